// The bytes that clients make the server hold.
extension Connection {
  static let noRoom = HTTPProtocolError(
    .tooManyConnections, "The server holds as many bytes of requests as it may.")

  /// Reports what the connection holds. When all connections together hold too much, a body is not read on,
  /// and the client that has taken none of its answers for longest loses its connection; false if it is this
  /// one.
  func keepsToBudget() -> Bool {
    count(held)
    if share.outputBytes > 0, !loop.budget.hasRoomForOutput { loop.closeSlowestReader() }
    if isOpen, parser.bodyByteCount > 0, !loop.budget.hasRoomForRequests {
      parser.dropBody()
      refuse(Self.noRoom)
      loop.settleLater(self)
    }
    return isOpen
  }

  private var held: TrafficBudget.Share {
    var held = machine.share
    held.requestBytes += parser.bodyByteCount + backlog.count
    held.outputBytes += output.count - outputSent
    return held
  }

  func count(_ new: TrafficBudget.Share) {
    guard new != share else { return }
    loop.budget.exchange(share, for: new)
    share = new
  }
}
