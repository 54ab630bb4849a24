internal import CCurl

/// The HTTP/2 connections to one origin: carries out what `HTTP2PoolStateMachine` decides.
///
/// Not `Sendable`: only the thread that has the transport's turn uses it.
final class HTTP2Pool {
  private typealias Machine = HTTP2PoolStateMachine<HTTP2Exchange>

  private let limits: TransportLimits
  private var machine: Machine
  private var connections: [(id: Machine.ConnectionID, connection: HTTP2Connection)] = []
  let cancellation = ConnectCancellation()

  init(limits: TransportLimits) {
    self.limits = limits
    machine = Machine(limits: limits)
  }

  /// Whether requests to the origin go over HTTP/1.1.
  func prefersHTTP1(now: ContinuousClock.Instant) -> Bool { machine.prefersHTTP1(now: now) }

  /// Whether it holds no connection and no request.
  var isEmpty: Bool { machine.isEmpty }
  /// Connections that exist or are being made.
  var connectionCount: Int { machine.connectionCount }
  /// When `goRound` may have something to end; nil for never.
  var due: ContinuousClock.Instant? { machine.due }
  /// Where to make the next connection; nil when no request waits.
  var nextDestination: Destination? { machine.firstWaiting?.request.destination }

  func admit(_ request: TransportRequest, now: ContinuousClock.Instant) {
    machine.admit(HTTP2Exchange(request, now: now))
  }

  /// How many connections to make now; the outcome of each is passed to `connected`.
  func connectionsToMake(total: Int, now: ContinuousClock.Instant) -> Int {
    machine.connectionsToMake(total: total, now: now)
  }

  /// A connection was made, or not. Returns the requests to send over HTTP/1.1.
  func connected(
    _ outcome: ConnectOutcome, now: ContinuousClock.Instant, _ finished: inout [FinishedRequest]
  ) -> [TransportRequest] {
    switch outcome {
    case .http2(let link):
      guard let connection = HTTP2Connection(link: link, limits: limits) else {
        machine.connectionDropped()
        return []
      }
      connections.append((machine.connected(now: now), connection))
      return []
    case .http1: return carryOut(machine.peerSpeaksHTTP1(now: now), &finished)
    case .failed(let error): return carryOut(machine.connectFailed(error, now: now), &finished)
    }
  }

  /// Reads from the connections that `isReadable` selects, assigns requests to those that have room, writes,
  /// and ends what is over. Returns the requests to send over HTTP/1.1.
  func goRound(
    now: ContinuousClock.Instant, buffer: UnsafeMutableRawBufferPointer,
    isReadable: (HTTP2Connection) -> Bool, _ finished: inout [FinishedRequest]
  ) -> [TransportRequest] {
    for (id, connection) in connections where isReadable(connection) {
      if connection.read(into: buffer) { machine.received(on: id, now: now) }
      collect(from: connection, &finished)
    }
    var http1: [TransportRequest] = []
    if let due, due <= now {
      http1 += carryOut(machine.timerFired(now: now, underWay: underWay), &finished)
    }
    let assigned = machine.assign(now: now, capacity: capacity)
    let concurrencyMax = machine.concurrencyMax(now: now)
    for case .begin(let exchange, _) in assigned {
      exchange.request.destination.note(concurrencyMax: concurrencyMax)
    }
    http1 += carryOut(assigned, &finished)
    var wantsHTTP1 = false
    for (_, connection) in connections {
      connection.write()
      wantsHTTP1 = wantsHTTP1 || connection.session.wantsHTTP1
      collect(from: connection, &finished)
    }
    http1 += reap(now: now, &finished)
    if wantsHTTP1 { http1 += carryOut(machine.peerWantsHTTP1(now: now), &finished) }
    return http1
  }

  /// Ends the requests that `isMeant` selects.
  func abandon(
    _ error: TransportError, _ finished: inout [FinishedRequest], _ isMeant: (TransportRequest) -> Bool
  ) {
    let actions = machine.abandon(error, underWay: underWay) { isMeant($0.request) }
    _ = carryOut(actions, &finished)
  }

  /// Calls `body` with each connection whose socket is to be waited for.
  func forEachConnection(_ body: (HTTP2Connection) -> Void) {
    for (_, connection) in connections { body(connection) }
  }

  private func carryOut(
    _ actions: [Machine.Action], _ finished: inout [FinishedRequest]
  ) -> [TransportRequest] {
    var http1: [TransportRequest] = []
    var refused: [(id: Machine.ConnectionID, requests: [HTTP2Exchange])] = []
    for action in actions {
      switch action {
      case .begin(let exchange, let id):
        // Requests after a refused one stay behind it, so that the order is kept.
        if let last = refused.indices.last, refused[last].id == id {
          refused[last].requests.append(exchange)
        } else if self[id]?.session.begin(exchange) != true {
          refused.append((id, [exchange]))
        }
      case .cancel(let exchange, let id, let ending):
        self[id]?.session.cancel(exchange)
        finished.append((exchange.request, exchange.result(ending)))
      case .end(let exchange, let ending): finished.append((exchange.request, exchange.result(ending)))
      case .close(let id, let reason): self[id]?.close(reason)
      case .sendOverHTTP1(let exchange): http1.append(exchange.request)
      }
    }
    for (id, requests) in refused.reversed() {
      http1 += carryOut(
        machine.refused(requests, on: id, reason: "nghttp2 refuses a request"), &finished)
    }
    return http1
  }

  private func collect(from connection: HTTP2Connection, _ finished: inout [FinishedRequest]) {
    for (exchange, ending) in connection.session.takeEnded() {
      finished.append((exchange.request, exchange.result(ending)))
    }
  }

  private func reap(now: ContinuousClock.Instant, _ finished: inout [FinishedRequest]) -> [TransportRequest] {
    guard connections.contains(where: { $0.connection.end != nil }) else { return [] }
    var ended: [Machine.EndedConnection] = []
    connections.removeAll { id, connection in
      guard let reason = connection.end else { return false }
      let underWay = connection.session.abandonAll().map { (request: $0, wasSent: $0.wasSent) }
      ended.append(Machine.EndedConnection(id: id, reason: reason, underWay: underWay))
      return true
    }
    return carryOut(machine.ended(ended, now: now), &finished)
  }

  private subscript(_ id: Machine.ConnectionID) -> HTTP2Connection? {
    connections.first { $0.id == id }?.connection
  }

  private func underWay(_ id: Machine.ConnectionID) -> [HTTP2Exchange] {
    self[id]?.session.underWay ?? []
  }

  private func capacity(_ id: Machine.ConnectionID) -> Machine.Capacity {
    guard let connection = self[id] else { return Machine.Capacity(streamsMax: nil, room: 0) }
    let session = connection.session
    return Machine.Capacity(
      streamsMax: session.hasSettings ? session.streamsMax : nil,
      room: connection.end == nil ? session.room : 0)
  }
}
