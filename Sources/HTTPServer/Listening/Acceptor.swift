internal import CLinux
internal import Glibc
internal import Synchronization

/// An accepted connection on its way to a loop.
struct AcceptedSocket: Sendable {
  let descriptor: Int32
  /// As `HTTPRequestHead.peer`.
  let peer: String
  /// The address whose limit it counts against; nil for none.
  let address: ClientAddress?
  /// Why it is refused; nil if it is served.
  let refusal: HTTPProtocolError?
}

/// The listening socket: accepts connections and passes each to the loop that has the fewest.
final class Acceptor: Sendable {
  enum Outcome: Equatable {
    case goOn
    /// There are too many connections (nil), or no descriptors or memory (`errno`): an immediate retry would
    /// spin.
    case pause(errno: Int32?)
  }

  /// Connections accepted in one turn of the loop.
  private static let batchMax = 64

  private let socket: ListeningSocket
  private let census: ConnectionCensus
  private let connectionsMax: Int
  private let refusedConnectionsMax: Int
  private let loops: [EventLoop]
  /// A reserved descriptor to release when no other is left, so that a client receives a 503; or -1.
  private let reserve: Atomic<Int32>

  var descriptor: Int32 { socket.descriptor }

  init(
    socket: ListeningSocket, loops: [EventLoop], census: ConnectionCensus,
    configuration: HTTPServerConfiguration
  ) {
    self.socket = socket
    self.loops = loops
    self.census = census
    connectionsMax = configuration.connectionsMax
    refusedConnectionsMax = configuration.refusedConnectionsMax
    reserve = Atomic(Self.openReserve())
  }

  func acceptBatch() -> Outcome {
    refillReserve()
    for _ in 0..<Self.batchMax {
      let count = loops.reduce(0) { $0 + $1.connectionCount.load(ordering: .relaxed) }
      guard count < connectionsMax + refusedConnectionsMax else { return .pause(errno: nil) }
      var storage = sockaddr_storage()
      let accepted = accept(&storage)
      guard accepted >= 0 else {
        let number = errno
        switch number {
        case EAGAIN: return .goOn
        case EMFILE, ENFILE:
          answerFromReserve()
          return .pause(errno: number)
        case ENOBUFS, ENOMEM: return .pause(errno: number)
        // The client has left already, or the network reports an error of its own (accept(2)): try the next
        // one.
        default: continue
        }
      }
      adopt(
        accepted, storage,
        refusal: count < connectionsMax
          ? nil : HTTPProtocolError(.tooManyConnections, "There are too many connections."))
    }
    return .goOn
  }

  private func accept(_ storage: inout sockaddr_storage) -> Int32 {
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      // Guard: a sockaddr_storage has room for every address, and the pointer does not leave the closure.
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { dragoman_accept4(descriptor, $0, &length) }
    }
  }

  private func adopt(_ accepted: Int32, _ storage: sockaddr_storage, refusal: HTTPProtocolError?) {
    var refusal = refusal
    let address = ClientAddress(storage)
    if let address {
      let excess = census.enter(address)
      guard excess <= refusedConnectionsMax else {
        // One address must not use up the refusals that are reserved for all.
        census.leave(address)
        Glibc.close(accepted)
        return
      }
      if excess > 0, refusal == nil {
        refusal = HTTPProtocolError(.tooManyConnections, "There are too many connections from this address.")
      }
      var on: Int32 = 1
      setsockopt(accepted, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    let least = loops.min {
      $0.connectionCount.load(ordering: .relaxed) < $1.connectionCount.load(ordering: .relaxed)
    }
    least?.adopt(
      AcceptedSocket(
        descriptor: accepted, peer: SocketAddress.text(storage), address: address, refusal: refusal))
  }

  // MARK: Out of descriptors

  private static func openReserve() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }

  private func refillReserve() {
    guard reserve.load(ordering: .relaxed) < 0 else { return }
    reserve.store(Self.openReserve(), ordering: .relaxed)
  }

  /// Uses the reserve for one connection, which is refused.
  private func answerFromReserve() {
    let given = reserve.exchange(-1, ordering: .relaxed)
    guard given >= 0 else { return }
    Glibc.close(given)
    var storage = sockaddr_storage()
    let accepted = accept(&storage)
    if accepted >= 0 {
      adopt(
        accepted, storage,
        refusal: HTTPProtocolError(.tooManyConnections, "The server has no room for more connections."))
    }
    refillReserve()
  }

  /// Ends listening and removes the socket's file.
  func close() {
    let given = reserve.exchange(-1, ordering: .relaxed)
    if given >= 0 { Glibc.close(given) }
    socket.close()
  }
}
