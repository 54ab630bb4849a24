internal import CCurl
internal import Clock
internal import Foundation
internal import Synchronization
internal import Telemetry

/// The loop that carries requests on its own thread: over HTTP/2, by `HTTP2Pool`, if the peer speaks it,
/// and otherwise over HTTP/1.1, by `HTTP1Handles`.
///
/// While it waits, a thread that sends a few requests over HTTP/2 connections writes them itself: to wake the
/// loop would take longer.
// Guard: `mailbox` and `statistics` are mutexes, `multi` is created once and libcurl allows any thread to
// wake it; only the thread that has the turn uses the rest, and `multi` otherwise only the loop's thread.
final class TransportLoop: @unchecked Sendable {
  private enum Command {
    case start(TransportRequest)
    case connected(Origin, ConnectOutcome)
    /// Abandons a destination's requests and frees its handles.
    case retire(Destination)
    case stop(@Sendable () -> Void)
  }

  private struct Mailbox {
    var commands: [Command] = []
    /// Whether the thread may be waiting in `curl_multi_poll` and has not been woken.
    var needsWake = false
    /// Whether the thread runs, or is being started.
    var hasThread = false
    var isOver = false
  }

  /// libcurl wakes up sooner when one of its own timers is due.
  private static let pollMillisecondsMax: Int32 = 60_000
  private static let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
  private static let readBytes = 65_536
  /// Requests that another thread sends in place of the loop.
  private static let borrowedRequestsMax = 4

  private let limits: TransportLimits
  private let log: Log
  private let multi: UnsafeMutableRawPointer?
  private let mailbox = Mutex(Mailbox())
  private let turn = Turn()
  private let statistics = Mutex(TransportStatistics())
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: readBytes, alignment: 16)
  private let handles: HTTP1Handles
  private var pools: [Origin: HTTP2Pool] = [:]
  /// When the loop stops waiting at the latest, if nothing wakes it; nil for never.
  private var waitsUntil: ContinuousClock.Instant?
  private var finished: [FinishedRequest] = []
  private var whenStopped: (@Sendable () -> Void)?
  private var counted = TransportStatistics()

  typealias ThreadStart = @Sendable (_ name: String, _ run: @escaping @Sendable () -> Void) -> Bool
  private let startThread: ThreadStart

  init(
    limits: TransportLimits, log: Log,
    startThread: @escaping ThreadStart = { DetachedThread.start(named: $0, $1) }
  ) {
    self.startThread = startThread
    self.limits = limits
    self.log = log
    multi = Self.isCurlReady ? curl_multi_init() : nil
    handles = HTTP1Handles(multi: multi, limits: limits, log: log)
    guard let multi else { return }
    let options: [(CURLMoption, Int)] = [
      (CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING)),
      (CURLMOPT_MAX_HOST_CONNECTIONS, limits.hostConnectionsMax),
      (CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.totalConnectionsMax),
      (CURLMOPT_MAXCONNECTS, limits.totalConnectionsMax),
    ]
    for (option, value) in options where dragoman_curl_multi_set_long(multi, option, value) != CURLM_OK {
      log.error("libcurl rejected an option; its default applies", ["option": .integer(Int(option.rawValue))])
    }
  }

  deinit {
    handles.forgetAll()
    pools = [:]
    if let multi { curl_multi_cleanup(multi) }
    buffer.deallocate()
  }

  var statisticsNow: TransportStatistics { statistics.withLock { $0 } }

  /// Takes the request, and starts the thread, which lives until `stop`, for the first one. Returns why the
  /// request was not taken: the loop has ended, or there is no thread.
  func start(_ request: TransportRequest) -> TransportError? {
    let mustBegin = mailbox.withLock { mailbox in
      guard !mailbox.isOver else { return false }
      defer { mailbox.hasThread = true }
      return !mailbox.hasThread
    }
    if mustBegin, !startThread("dragoman.fcm", { [self] in run() }) {
      return giveUp(.noThread)
    }
    return post(.start(request)) ? nil : .shuttingDown
  }

  func retire(_ destination: Destination) { _ = post(.retire(destination)) }

  /// Abandons all requests, ends the thread, then calls `completion`.
  func stop(_ completion: @escaping @Sendable () -> Void) {
    let isIdle = mailbox.withLock { mailbox in
      guard !mailbox.hasThread else { return false }
      mailbox.isOver = true
      return true
    }
    if isIdle || !post(.stop(completion)) { completion() }
  }

  /// Fails what other threads have posted while this one tried to start the loop's.
  private func giveUp(_ error: TransportError) -> TransportError {
    let commands = mailbox.withLock { mailbox in
      mailbox.hasThread = false
      mailbox.needsWake = false
      defer { mailbox.commands = [] }
      return mailbox.commands
    }
    log.error(
      "the system has no thread for requests to FCM; raise its limit on processes (pids, ulimit -u, TasksMax)"
    )
    for command in commands {
      switch command {
      case .start(let request): request.completion(.failure(error))
      case .stop(let completion):
        mailbox.withLock { $0.isOver = true }
        completion()
      case .connected, .retire: break
      }
    }
    return error
  }

  private func post(_ command: Command) -> Bool {
    let (isTaken, mustWake) = mailbox.withLock { mailbox in
      guard !mailbox.isOver, mailbox.hasThread else { return (false, false) }
      mailbox.commands.append(command)
      defer { mailbox.needsWake = false }
      return (true, mailbox.needsWake)
    }
    guard mustWake else { return isTaken }
    if case .start = command { DeferredWork.perform { [self] in performDeferred() } } else { wake() }
    return isTaken
  }

  private func wake() {
    if let multi { curl_multi_wakeup(multi) }
  }
}

// MARK: The loop's thread

extension TransportLoop {
  private func run() {
    var commands: [Command] = []
    var sockets: [curl_waitfd] = []
    turn.take()
    while whenStopped == nil {
      mailbox.withLock { mailbox in
        swap(&commands, &mailbox.commands)
        mailbox.needsWake = false
      }
      let now = ContinuousClock.now
      for command in commands { carryOut(command, now: now) }
      commands.removeAll(keepingCapacity: true)
      let readable = Set(sockets.lazy.filter { $0.revents != 0 }.map(\.fd))
      sockets.removeAll(keepingCapacity: true)
      for request in driveSessions(now: now, readable) { begin(request, now: now) }
      driveHandles(now: now)
      complete()
      let mayWait = mailbox.withLock { mailbox in
        mailbox.needsWake = mailbox.commands.isEmpty
        return mailbox.needsWake
      }
      if mayWait, whenStopped == nil { wait(for: &sockets) }
    }
    finishAll()
    turn.end()
  }

  /// Sends in place of the loop, which waits, and wakes it only for what is left: other commands, HTTP/1.1,
  /// the ends of requests, a full socket, an earlier deadline.
  private func performDeferred() {
    guard turn.tryTake() else { return wake() }
    defer { turn.end() }
    let now = ContinuousClock.now
    let requests = mailbox.withLock { mailbox -> [TransportRequest]? in
      let requests = mailbox.commands.compactMap { command -> TransportRequest? in
        guard case .start(let request) = command, let origin = request.destination.origin,
          let pool = pools[origin], !pool.prefersHTTP1(now: now)
        else { return nil }
        return request
      }
      guard requests.count == mailbox.commands.count, requests.count <= Self.borrowedRequestsMax else {
        return nil
      }
      mailbox.commands.removeAll(keepingCapacity: true)
      return requests
    }
    guard let requests else { return wake() }
    for request in requests {
      if let origin = request.destination.origin { pools[origin]?.admit(request, now: now) }
    }
    let other = driveSessions(now: now, [])
    let isDone = mailbox.withLock { mailbox in
      mailbox.commands.insert(contentsOf: other.map { .start($0) }, at: 0)
      mailbox.needsWake = mailbox.commands.isEmpty
      return mailbox.needsWake
    }
    guard isDone, finished.isEmpty, mayGoOnWaiting else { return wake() }
  }

  /// Whether the loop waits for all that has to be waited for now.
  private var mayGoOnWaiting: Bool {
    for pool in pools.values {
      if let due = pool.due, waitsUntil.map({ due < $0 }) ?? true { return false }
      var isReady = false
      pool.forEachConnection { isReady = isReady || $0.mustWrite || $0.mustRead }
      if isReady { return false }
    }
    return true
  }

  private func carryOut(_ command: Command, now: ContinuousClock.Instant) {
    switch command {
    case .start(let request):
      guard let origin = request.destination.origin else { return begin(request, now: now) }
      let pool = pool(of: origin)
      if pool.prefersHTTP1(now: now) { begin(request, now: now) } else { pool.admit(request, now: now) }
    case .connected(let origin, let outcome):
      if case .http2 = outcome { counted.connectionsOpened += 1 }
      // Where the pool is gone, the link closes with its last reference.
      for request in pools[origin]?.connected(outcome, now: now, &finished) ?? [] {
        begin(request, now: now)
      }
    case .retire(let destination):
      handles.retire(destination, &finished)
      for pool in pools.values {
        pool.abandon(.shuttingDown, &finished) { $0.destination === destination }
      }
    case .stop(let completion):
      let earlier = whenStopped
      whenStopped = {
        earlier?()
        completion()
      }
    }
  }

  private func pool(of origin: Origin) -> HTTP2Pool {
    if let pool = pools[origin] { return pool }
    let pool = HTTP2Pool(limits: limits)
    pools[origin] = pool
    return pool
  }

  // MARK: HTTP/2

  /// Reads from the sockets that are `readable`, and writes. Returns the requests to send over HTTP/1.1.
  private func driveSessions(
    now: ContinuousClock.Instant, _ readable: Set<curl_socket_t>
  ) -> [TransportRequest] {
    guard !pools.isEmpty else { return [] }
    var other: [TransportRequest] = []
    let first = finished.count
    for (origin, pool) in pools {
      other += pool.goRound(
        now: now, buffer: buffer, isReadable: { $0.mustRead || readable.contains($0.socket) }, &finished)
      connect(pool, to: origin, now: now)
    }
    counted.http2Answers += finished[first...].count { $0.1.isSuccess }
    func isNeeded(_ pool: HTTP2Pool) -> Bool { !pool.isEmpty || pool.prefersHTTP1(now: now) }
    if !pools.values.allSatisfy(isNeeded) { pools = pools.filter { isNeeded($0.value) } }
    return other
  }

  private func connect(_ pool: HTTP2Pool, to origin: Origin, now: ContinuousClock.Instant) {
    guard let destination = pool.nextDestination else { return }
    let total = pools.values.reduce(0) { $0 + $1.connectionCount }
    for _ in 0..<pool.connectionsToMake(total: total, now: now) {
      TLSLink.connect(to: destination, cancellation: pool.cancellation) { [weak self] outcome in
        _ = self?.post(.connected(origin, outcome))
      }
    }
  }

  /// Waits without the turn.
  private func wait(for sockets: inout [curl_waitfd]) {
    guard let multi else { return }
    var due = handles.due
    var mustRead = false
    for pool in pools.values {
      pool.forEachConnection { connection in
        let events = CURL_WAIT_POLLIN | (connection.mustWrite ? CURL_WAIT_POLLOUT : 0)
        mustRead = mustRead || connection.mustRead
        sockets.append(curl_waitfd(fd: connection.socket, events: Int16(events), revents: 0))
      }
      if let other = pool.due { due = due.map { min($0, other) } ?? other }
    }
    let milliseconds = due.map { Int32(clamping: max(.zero, $0 - .now).curlMilliseconds + 1) } ?? .max
    waitsUntil = due
    turn.end()
    curl_multi_poll(
      multi, &sockets, UInt32(sockets.count), mustRead ? 0 : min(milliseconds, Self.pollMillisecondsMax), nil)
    turn.take()
  }

  // MARK: HTTP/1.1

  private func begin(_ request: TransportRequest, now: ContinuousClock.Instant) {
    handles.begin(request, now: now, &finished)
  }

  private func driveHandles(now: ContinuousClock.Instant) {
    counted.connectionsOpened += handles.drive(now: now, &finished)
  }

  // MARK: Ends

  private func complete() {
    guard !finished.isEmpty || counted != TransportStatistics() else { return }
    // First, so that the statistics include an answer when its completion runs.
    publishStatistics()
    DeferredWork.afterwards { for (request, result) in finished { request.completion(result) } }
    finished.removeAll(keepingCapacity: true)
  }

  private func publishStatistics() {
    for (_, result) in finished {
      switch result {
      case .success: counted.answers += 1
      case .failure: counted.failures += 1
      }
    }
    statistics.withLock { statistics in
      statistics.answers += counted.answers
      statistics.failures += counted.failures
      statistics.http2Answers += counted.http2Answers
      statistics.connectionsOpened += counted.connectionsOpened
    }
    counted = TransportStatistics()
  }

  private func finishAll() {
    handles.abandon(&finished) { _ in true }
    for pool in pools.values {
      pool.cancellation.cancel()
      pool.abandon(.shuttingDown, &finished) { _ in true }
    }
    pools = [:]
    handles.forgetAll()
    let late = mailbox.withLock { mailbox in
      mailbox.isOver = true
      defer { mailbox.commands = [] }
      return mailbox.commands
    }
    for command in late {
      if case .start(let request) = command { finished.append((request, .failure(.shuttingDown))) }
    }
    complete()
    for command in late {
      if case .stop(let completion) = command { completion() }
    }
    whenStopped?()
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
