internal import CCurl

/// The HTTP/2 connections to one origin, and the requests that wait for room on them.
///
/// Not `Sendable`: only the transport's thread touches it.
final class HTTP2Pool {
  typealias Finished = (TransportRequest, Result<TransportResponse, TransportError>)

  /// Connections that are being made at a time.
  private static let connectingMax = 4
  /// How long a connection is kept that carries nothing.
  private static let idleMax: Duration = .seconds(110)
  /// After a further connection could not be made, how long the others do alone.
  private static let furtherDelay: Duration = .seconds(1)

  private let limits: TransportLimits
  private var connections: [HTTP2Connection] = []
  private var waiting = FirstInFirstOut<HTTP2Exchange>()
  private var connecting = 0
  private var noFurtherBefore: ContinuousClock.Instant?
  /// How many requests a connection is expected to take: as many as the last one did.
  private var expectedRoom: Int
  /// The peer speaks HTTP/1.1 only, or wants to, until then.
  private var http1Until: ContinuousClock.Instant?
  /// When something may have to be ended, at the earliest.
  private(set) var due: ContinuousClock.Instant?
  let abandonment = Abandonment()

  init(limits: TransportLimits) {
    self.limits = limits
    expectedRoom = max(1, limits.concurrentStreamsMax)
  }

  /// Whether requests to the origin go over HTTP/1.1.
  func prefersHTTP1(now: ContinuousClock.Instant) -> Bool { http1Until.map { now < $0 } ?? false }

  /// Whether there is nothing in it that would have to be kept.
  var isEmpty: Bool { connections.isEmpty && waiting.isEmpty && connecting == 0 }

  func admit(_ request: TransportRequest, now: ContinuousClock.Instant) {
    let exchange = HTTP2Exchange(request, now: now)
    waiting.append(exchange)
    note(due: exchange.deadline)
  }

  private func note(due instant: ContinuousClock.Instant) { due = due.map { min($0, instant) } ?? instant }

  // MARK: Connections

  /// How many connections are to be made now for what waits, which they will be told of by `connected`.
  func connectionsToMake(total: Int, now: ContinuousClock.Instant) -> Int {
    guard !waiting.isEmpty else { return 0 }
    let greeting = connections.count { !$0.session.hasSettings }
    if connections.count > greeting, let noFurtherBefore, now < noFurtherBefore { return 0 }
    let wanted = (waiting.count + expectedRoom - 1) / expectedRoom - greeting
    let allowed = min(
      Self.connectingMax, limits.hostConnectionsMax - connections.count, limits.totalConnectionsMax - total)
    let made = max(0, min(wanted, allowed) - connecting)
    connecting += made
    return made
  }

  var connectionCount: Int { connections.count + connecting }

  /// Where the next connection is to lead; nil when nothing waits.
  var nextDestination: Destination? { waiting.first?.request.destination }

  /// A connection was made, or not. Gives back what is to be sent over HTTP/1.1.
  func connected(
    _ outcome: ConnectOutcome, now: ContinuousClock.Instant, _ finished: inout [Finished]
  ) -> [TransportRequest] {
    connecting = max(0, connecting - 1)
    switch outcome {
    case .http2(let link):
      guard let connection = HTTP2Connection(link: link, limits: limits, now: now) else { break }
      connections.append(connection)
      note(due: min(connection.expiry(limits), now + Self.idleMax))
    case .http1: return preferHTTP1(now: now)
    case .failed(let failure): couldNotConnect(failure, now: now, &finished)
    }
    return []
  }

  private func preferHTTP1(now: ContinuousClock.Instant) -> [TransportRequest] {
    http1Until = now + limits.connectionLifetime
    var requests: [TransportRequest] = []
    while let exchange = waiting.popFirst() { requests.append(exchange.request) }
    return requests
  }

  // MARK: Going round

  /// Reads from the connections that `isReadable` tells, puts what waits on those that have room, writes, and ends
  /// what is over. Gives back what is to be sent over HTTP/1.1.
  func goRound(
    now: ContinuousClock.Instant, buffer: UnsafeMutableRawBufferPointer,
    isReadable: (HTTP2Connection) -> Bool, _ finished: inout [Finished]
  ) -> [TransportRequest] {
    for connection in connections where isReadable(connection) {
      connection.read(into: buffer, now: now)
      collect(from: connection, &finished)
    }
    if let due, due <= now { endLate(now: now, &finished) }
    distribute(now: now)
    var mustTurnToHTTP1 = false
    for connection in connections {
      connection.write()
      if connection.session.wantsHTTP1 { mustTurnToHTTP1 = true }
      collect(from: connection, &finished)
    }
    bury(now: now, &finished)
    return mustTurnToHTTP1 && !prefersHTTP1(now: now) ? preferHTTP1(now: now) : []
  }

  private func distribute(now: ContinuousClock.Instant) {
    guard !waiting.isEmpty else { return }
    for connection in connections {
      var room = connection.room(now: now, limits)
      if connection.session.hasSettings, connection.session.streamsMax > 0 {
        expectedRoom = connection.session.streamsMax
      }
      while room > 0, let exchange = waiting.popFirst() {
        room -= 1
        guard connection.begin(exchange, now: now) else {
          connection.close("nghttp2 refuses a request")
          waiting.prepend(exchange)
          break
        }
      }
    }
  }

  private func collect(from connection: HTTP2Connection, _ finished: inout [Finished]) {
    for (exchange, ending) in connection.session.takeEnded() {
      finished.append((exchange.request, exchange.result(ending)))
    }
  }

  /// Forgets the connections that have ended, with what was under way on them.
  private func bury(now: ContinuousClock.Instant, _ finished: inout [Finished]) {
    guard connections.contains(where: { $0.end != nil }) else { return }
    var greetingFailure: String?
    for connection in connections {
      guard let end = connection.end else { continue }
      if !connection.session.hasSettings
        || connection.endedAtOnce(now: now, within: Self.furtherDelay)
      {
        greetingFailure = end
      }
      for exchange in connection.session.abandonAll() {
        let ending: HTTP2Exchange.Ending = exchange.wasSent ? .failed(.broken, end) : .unprocessed(end)
        finished.append((exchange.request, exchange.result(ending)))
      }
    }
    connections.removeAll { $0.end != nil }
    guard let greetingFailure else { return }
    // A peer that ends connections before it has said anything would else be connected to again and again.
    couldNotConnect(
      TransportError(code: .connection, wasSent: false, detail: greetingFailure), now: now, &finished)
  }

  /// Ends what waits, where nothing is left to wait for.
  private func couldNotConnect(
    _ failure: TransportError, now: ContinuousClock.Instant, _ finished: inout [Finished]
  ) {
    noFurtherBefore = now + Self.furtherDelay
    guard connections.isEmpty, connecting == 0 else { return }
    while let exchange = waiting.popFirst() { finished.append((exchange.request, .failure(failure))) }
  }

  /// Ends the requests whose time is over, and the connections that are of no more use.
  private func endLate(now: ContinuousClock.Instant, _ finished: inout [Finished]) {
    due = nil
    var late: [HTTP2Exchange] = []
    waiting.removeAll { exchange in
      guard exchange.deadline <= now else { return false }
      late.append(exchange)
      return true
    }
    for exchange in late {
      finished.append((exchange.request, exchange.result(.failed(.timeout, "no answer"))))
    }
    for connection in connections { endLate(on: connection, now: now, &finished) }
    for exchange in waiting.elements { note(due: exchange.deadline) }
  }

  private func endLate(
    on connection: HTTP2Connection, now: ContinuousClock.Instant, _ finished: inout [Finished]
  ) {
    let late = connection.session.underWay { $0.deadline <= now }
    // An HTTP/2 connection whose other end hangs would else be used on for as long as its TCP lives, and everything
    // time out on it.
    let isSilent = late.contains { connection.receivedAt < $0.begunAt }
    for exchange in late {
      connection.session.cancel(exchange)
      finished.append((exchange.request, exchange.result(.failed(.timeout, "no answer in time"))))
    }
    if isSilent {
      for exchange in connection.session.abandonAll() {
        finished.append((exchange.request, exchange.result(.failed(.timeout, "the peer answers nothing"))))
      }
      return connection.close("the peer answers nothing")
    }
    for exchange in connection.session.underWay({ _ in true }) { note(due: exchange.deadline) }
    guard connection.session.count == 0 else { return }
    let end = min(connection.expiry(limits), connection.usedAt + Self.idleMax)
    if end <= now { connection.close("it is old") } else { note(due: end) }
  }

  // MARK: Giving up

  /// Ends what `isMeant` tells.
  func abandon(
    _ failure: TransportError, _ finished: inout [Finished], _ isMeant: (TransportRequest) -> Bool
  ) {
    waiting.removeAll { exchange in
      guard isMeant(exchange.request) else { return false }
      finished.append((exchange.request, .failure(failure)))
      return true
    }
    for connection in connections {
      for exchange in connection.session.underWay({ isMeant($0.request) }) {
        connection.session.cancel(exchange)
        finished.append((exchange.request, exchange.result(.failed(failure.code, failure.detail))))
      }
    }
  }

  /// For whoever waits for their sockets.
  func forEachSocket(_ body: (HTTP2Connection) -> Void) { connections.forEach(body) }
}
