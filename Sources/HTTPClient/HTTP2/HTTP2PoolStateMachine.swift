/// A request that waits for an HTTP/2 connection or is under way on one.
protocol HTTP2PoolRequest: Equatable {
  /// When it was admitted, and then when it was assigned to a connection.
  var begunAt: ContinuousClock.Instant { get }
  /// Until when it waits, and then until when it is to be answered: the same time for each.
  var deadline: ContinuousClock.Instant { get }
  /// Called just before it is sent, which begins its time anew; false if its caller no longer wants it to be.
  mutating func leave(now: ContinuousClock.Instant) -> Bool
}

/// Decides how the requests to one origin share HTTP/2 connections: takes events with their time, returns
/// actions, does no I/O.
///
/// A request waits until a connection has room, then is under way on it until it ends. Its time to be
/// answered begins with the second: one that left with little time left would be abandoned half-way. A
/// connection is ready after the peer's SETTINGS, takes requests until it is too old, and is removed once its
/// driver reports its end.
struct HTTP2PoolStateMachine<Request: HTTP2PoolRequest> {
  typealias Instant = ContinuousClock.Instant

  struct ConnectionID: Hashable { fileprivate let number: Int }

  /// What a connection's session can carry.
  struct Capacity: Equatable {
    /// Streams at a time; nil before the peer's SETTINGS have arrived.
    var streamsMax: Int?
    /// Further requests that it takes now.
    var room: Int
  }

  /// A connection that has ended, with the requests that were under way on it.
  struct EndedConnection {
    var id: ConnectionID
    var reason: String
    /// `wasSent` is true if anything of the request may have been sent.
    var underWay: [(request: Request, wasSent: Bool)]
  }

  /// What a driver does, in order.
  enum Action: Equatable {
    case begin(Request, on: ConnectionID)
    /// Reset the request's stream, then complete the request.
    case cancel(Request, on: ConnectionID, HTTP2Ending)
    /// Complete the request, which is under way on no connection.
    case end(Request, HTTP2Ending)
    /// Close the connection; report its end with `ended`.
    case close(ConnectionID, reason: String)
    case sendOverHTTP1(Request)
  }

  private struct Connection {
    let id: ConnectionID
    let openedAt: Instant
    var receivedAt: Instant
    var usedAt: Instant
    var isGreeted = false
    var hasCarried = false
    /// Whether the pool itself closed it.
    var wasClosed = false
  }

  /// Connections that are being made at a time.
  static var connectingMax: Int { 4 }
  /// How long an idle connection is kept.
  static var idleMax: Duration { .seconds(110) }
  /// How long after a failed attempt no further connection is made while others exist.
  static var furtherDelay: Duration { .seconds(1) }

  private let limits: TransportLimits
  private var connections: [Connection] = []
  private var waiting = FirstInFirstOut<Request>()
  private var connecting = 0
  private var nextNumber = 0
  private var noFurtherBefore: Instant?
  /// How many requests a new connection is expected to take: as many as the last one did.
  private var expectedRoom: Int
  /// Until then requests use HTTP/1.1, because the peer speaks nothing else or required it.
  private var http1Until: Instant?
  /// The earliest moment at which `timerFired` may have something to end; nil for none.
  private(set) var due: Instant?

  init(limits: TransportLimits) {
    self.limits = limits
    expectedRoom = max(1, limits.concurrentStreamsMax)
  }

  /// Whether requests to the origin go over HTTP/1.1.
  func prefersHTTP1(now: Instant) -> Bool { http1Until.map { now < $0 } ?? false }

  /// How many requests can be under way at once, as far as it is known.
  func concurrencyMax(now: Instant) -> Int {
    prefersHTTP1(now: now) ? limits.hostConnectionsMax : expectedRoom * limits.hostConnectionsMax
  }

  /// Whether it holds no connection and no request.
  var isEmpty: Bool { connections.isEmpty && waiting.isEmpty && connecting == 0 }
  /// Connections that exist or are being made.
  var connectionCount: Int { connections.count + connecting }
  /// The request that has waited longest.
  var firstWaiting: Request? { waiting.first }

  mutating func admit(_ request: Request) {
    waiting.append(request)
    note(due: request.deadline)
  }

  private mutating func note(due instant: Instant) { due = due.map { min($0, instant) } ?? instant }
}

// MARK: Connections

extension HTTP2PoolStateMachine {
  /// How many connections to make now for the requests that wait. The driver reports the outcome of each with
  /// `connected`, `connectFailed` or `peerSpeaksHTTP1`. `total` counts the connections of all origins.
  mutating func connectionsToMake(total: Int, now: Instant) -> Int {
    guard !waiting.isEmpty else { return 0 }
    let greeting = connections.count { !$0.isGreeted }
    if connections.count > greeting, let noFurtherBefore, now < noFurtherBefore { return 0 }
    let wanted = (waiting.count + expectedRoom - 1) / expectedRoom - greeting
    let allowed = min(
      Self.connectingMax, limits.hostConnectionsMax - connections.count, limits.totalConnectionsMax - total)
    let made = max(0, min(wanted, allowed) - connecting)
    connecting += made
    return made
  }

  /// A connection was made; requests are assigned to it after the peer's SETTINGS.
  mutating func connected(now: Instant) -> ConnectionID {
    connecting = max(0, connecting - 1)
    let id = ConnectionID(number: nextNumber)
    nextNumber += 1
    let connection = Connection(id: id, openedAt: now, receivedAt: now, usedAt: now)
    connections.append(connection)
    note(due: min(expiry(of: connection), now + Self.idleMax, now + limits.greetingTimeout))
    return id
  }

  /// A connection was made but cannot be used for lack of memory.
  mutating func connectionDropped() { connecting = max(0, connecting - 1) }

  mutating func connectFailed(_ error: TransportError, now: Instant) -> [Action] {
    connecting = max(0, connecting - 1)
    return couldNotConnect(error, now: now)
  }

  /// The peer negotiated no HTTP/2.
  mutating func peerSpeaksHTTP1(now: Instant) -> [Action] {
    connecting = max(0, connecting - 1)
    return preferHTTP1(now: now)
  }

  /// The peer answered a request with HTTP_1_1_REQUIRED (RFC 9113 §7).
  mutating func peerWantsHTTP1(now: Instant) -> [Action] {
    prefersHTTP1(now: now) ? [] : preferHTTP1(now: now)
  }

  /// Bytes arrived on the connection.
  mutating func received(on id: ConnectionID, now: Instant) {
    guard let index = connections.firstIndex(where: { $0.id == id }) else { return }
    connections[index].receivedAt = now
    connections[index].usedAt = now
  }

  /// Removes the connections that have ended, with the requests that were under way on them.
  mutating func ended(_ ended: [EndedConnection], now: Instant) -> [Action] {
    var actions: [Action] = []
    var greetingFailure: String?
    for end in ended {
      guard let index = connections.firstIndex(where: { $0.id == end.id }) else { continue }
      let connection = connections.remove(at: index)
      let endedAtOnce =
        !connection.wasClosed && !connection.hasCarried && now - connection.openedAt < Self.furtherDelay
      // A request waits on for another connection when one was closed because its peer was silent.
      let failedToGreet = !connection.isGreeted && !connection.wasClosed
      if failedToGreet || endedAtOnce { greetingFailure = end.reason }
      for (request, wasSent) in end.underWay {
        actions.append(.end(request, wasSent ? .failed(.broken, end.reason) : .unprocessed(end.reason)))
      }
    }
    guard let greetingFailure else { return actions }
    // A peer that ends connections before it has sent anything would otherwise be connected to again and
    // again.
    return actions
      + couldNotConnect(
        TransportError(code: .connection, wasSent: false, detail: greetingFailure), now: now)
  }

  private func expiry(of connection: Connection) -> Instant {
    connection.openedAt + limits.connectionLifetime
  }

  private mutating func preferHTTP1(now: Instant) -> [Action] {
    http1Until = now + limits.connectionLifetime
    return takeAllWaiting().map { .sendOverHTTP1($0) }
  }

  /// Fails the waiting requests, unless a connection is left to wait for.
  private mutating func couldNotConnect(_ error: TransportError, now: Instant) -> [Action] {
    noFurtherBefore = now + Self.furtherDelay
    guard connections.isEmpty, connecting == 0 else { return [] }
    return takeAllWaiting().map { .end($0, .unconnected(error)) }
  }

  private mutating func takeAllWaiting() -> [Request] {
    var requests: [Request] = []
    while let request = waiting.popFirst() { requests.append(request) }
    return requests
  }
}

// MARK: Requests

extension HTTP2PoolStateMachine {
  /// Assigns waiting requests to connections that have room.
  mutating func assign(now: Instant, capacity: (ConnectionID) -> Capacity) -> [Action] {
    var actions: [Action] = []
    for index in connections.indices where !waiting.isEmpty || !connections[index].isGreeted {
      let id = connections[index].id
      let capacity = capacity(id)
      guard let streamsMax = capacity.streamsMax else { continue }
      connections[index].isGreeted = true
      guard !waiting.isEmpty else { continue }
      if streamsMax > 0 { expectedRoom = streamsMax }
      var room = now < expiry(of: connections[index]) ? capacity.room : 0
      while room > 0, var request = waiting.popFirst() {
        guard request.leave(now: now) else {
          actions.append(.end(request, .failed(.withdrawn, TransportError.withdrawn.detail)))
          continue
        }
        room -= 1
        connections[index].usedAt = now
        connections[index].hasCarried = true
        actions.append(.begin(request, on: id))
      }
    }
    return actions
  }

  /// The connection's session accepted none of these requests, which were assigned to it in this order.
  mutating func refused(_ requests: [Request], on id: ConnectionID, reason: String) -> [Action] {
    for request in requests.reversed() { waiting.prepend(request) }
    return close(id, reason: reason)
  }

  /// Ends the requests whose deadline has passed, and the connections that can no longer be used.
  mutating func timerFired(now: Instant, underWay: (ConnectionID) -> [Request]) -> [Action] {
    due = nil
    var actions: [Action] = []
    // With a connection that works, nothing but a stream was missing.
    let ending: HTTP2Ending =
      connections.contains(where: \.isGreeted)
      ? .failed(.busy, TransportError.busy.detail) : .failed(.timeout, "no answer")
    waiting.removeAll { request in
      guard request.deadline <= now else { return false }
      actions.append(.end(request, ending))
      return true
    }
    for connection in connections {
      actions += timerFired(on: connection, underWay: underWay(connection.id), now: now)
    }
    for request in waiting.elements { note(due: request.deadline) }
    return actions
  }

  private mutating func timerFired(
    on connection: Connection, underWay: [Request], now: Instant
  ) -> [Action] {
    let late = underWay.filter { $0.deadline <= now }
    let rest = underWay.filter { $0.deadline > now }
    var actions: [Action] = late.map {
      .cancel($0, on: connection.id, .failed(.timeout, "no answer in time"))
    }
    // A connection whose other end hangs would otherwise be used for as long as its TCP connection lives, and
    // every request on it would time out.
    if late.contains(where: { connection.receivedAt < $0.begunAt }) {
      let reason = "the peer answers nothing"
      actions += rest.map { .cancel($0, on: connection.id, .failed(.timeout, reason)) }
      return actions + close(connection.id, reason: reason)
    }
    for request in rest { note(due: request.deadline) }
    guard rest.isEmpty else { return actions }
    if !connection.isGreeted {
      let end = connection.openedAt + limits.greetingTimeout
      if end <= now { return actions + close(connection.id, reason: "the peer sent no SETTINGS in time") }
      note(due: end)
      return actions
    }
    let end = min(expiry(of: connection), connection.usedAt + Self.idleMax)
    if end <= now { return actions + close(connection.id, reason: "the connection is old") }
    note(due: end)
    return actions
  }

  /// Ends the requests that `isMeant` selects.
  mutating func abandon(
    _ error: TransportError, underWay: (ConnectionID) -> [Request], where isMeant: (Request) -> Bool
  ) -> [Action] {
    let ending = HTTP2Ending.failed(error.code, error.detail)
    var actions: [Action] = []
    waiting.removeAll { request in
      guard isMeant(request) else { return false }
      actions.append(.end(request, ending))
      return true
    }
    for connection in connections {
      for request in underWay(connection.id) where isMeant(request) {
        actions.append(.cancel(request, on: connection.id, ending))
      }
    }
    return actions
  }

  private mutating func close(_ id: ConnectionID, reason: String) -> [Action] {
    guard let index = connections.firstIndex(where: { $0.id == id }) else { return [] }
    connections[index].wasClosed = true
    return [.close(id, reason: reason)]
  }
}
