internal import CCurl
internal import Foundation
internal import Synchronization
internal import Telemetry

/// The loop that carries requests on its own thread: over HTTP/2, by `HTTP2Pool`, if the peer speaks it,
/// and otherwise over HTTP/1.1, by libcurl's multi handle.
///
/// Guard: `mailbox` and `statistics` are mutexes, `multi` is created once and libcurl allows any thread to
/// wake it; only the loop's thread uses the rest.
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

  private let limits: TransportLimits
  private let log: Log
  private let multi: UnsafeMutableRawPointer?
  private let mailbox = Mutex(Mailbox())
  private let statistics = Mutex(TransportStatistics())
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: readBytes, alignment: 16)
  private var running: [UnsafeMutableRawPointer: EasyHandle] = [:]
  private var idle: [ObjectIdentifier: [EasyHandle]] = [:]
  private var pools: [Origin: HTTP2Pool] = [:]
  private var sockets: [curl_waitfd] = []
  private var finished: [HTTP2Pool.Finished] = []
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
    idle = [:]
    running = [:]
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
    if mustWake, let multi { curl_multi_wakeup(multi) }
    return isTaken
  }
}

// MARK: The loop's thread

extension TransportLoop {
  private func run() {
    var commands: [Command] = []
    while whenStopped == nil {
      mailbox.withLock { mailbox in
        swap(&commands, &mailbox.commands)
        mailbox.needsWake = false
      }
      let now = ContinuousClock.now
      for command in commands { carryOut(command, now: now) }
      commands.removeAll(keepingCapacity: true)
      driveSessions(now: now)
      driveHandles()
      complete()
      let mayWait = mailbox.withLock { mailbox in
        mailbox.needsWake = mailbox.commands.isEmpty
        return mailbox.needsWake
      }
      if mayWait, whenStopped == nil { wait() }
    }
    finishAll()
  }

  private func carryOut(_ command: Command, now: ContinuousClock.Instant) {
    switch command {
    case .start(let request):
      guard let origin = request.destination.origin else { return begin(request) }
      let pool = pool(of: origin)
      if pool.prefersHTTP1(now: now) { begin(request) } else { pool.admit(request, now: now) }
    case .connected(let origin, let outcome):
      if case .http2 = outcome { counted.connectionsOpened += 1 }
      // Where the pool is gone, the link closes with its last reference.
      for request in pools[origin]?.connected(outcome, now: now, &finished) ?? [] { begin(request) }
    case .retire(let destination):
      abandon { $0.destination === destination }
      for pool in pools.values {
        pool.abandon(.shuttingDown, &finished) { $0.destination === destination }
      }
      idle[ObjectIdentifier(destination)] = nil
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

  private func driveSessions(now: ContinuousClock.Instant) {
    guard !pools.isEmpty else { return }
    let first = finished.count
    let readable = Set(sockets.lazy.filter { $0.revents != 0 }.map(\.fd))
    for (origin, pool) in pools {
      let requests = pool.goRound(
        now: now, buffer: buffer, isReadable: { $0.mustRead || readable.contains($0.socket) }, &finished)
      for request in requests { begin(request) }
      connect(pool, to: origin, now: now)
    }
    counted.http2Answers += finished[first...].count { $0.1.isSuccess }
    func isNeeded(_ pool: HTTP2Pool) -> Bool { !pool.isEmpty || pool.prefersHTTP1(now: now) }
    if !pools.values.allSatisfy(isNeeded) { pools = pools.filter { isNeeded($0.value) } }
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

  private func wait() {
    guard let multi else { return }
    sockets.removeAll(keepingCapacity: true)
    var due: ContinuousClock.Instant?
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
    curl_multi_poll(
      multi, &sockets, UInt32(sockets.count), mustRead ? 0 : min(milliseconds, Self.pollMillisecondsMax), nil)
  }

  // MARK: HTTP/1.1

  private func begin(_ request: TransportRequest) {
    guard request.mayLeave() else { return finished.append((request, .failure(.withdrawn))) }
    let key = ObjectIdentifier(request.destination)
    let pooled = idle[key]?.popLast()
    guard let multi, let handle = pooled ?? EasyHandle(destination: request.destination, limits: limits)
    else {
      finished.append(
        (
          request,
          .failure(TransportError(code: .broken, wasSent: false, detail: "libcurl could not create a handle"))
        ))
      return
    }
    var code = handle.begin(request)
    if code == CURLE_OK, curl_multi_add_handle(multi, handle.curl) != CURLM_OK { code = CURLE_FAILED_INIT }
    guard code == CURLE_OK else {
      if let ended = handle.finish(code) { finished.append(ended) }
      return
    }
    running[handle.curl] = handle
  }

  private func driveHandles() {
    guard let multi, !running.isEmpty else { return }
    var stillRunning: Int32 = 0
    let code = curl_multi_perform(multi, &stillRunning)
    if code != CURLM_OK { log.error("libcurl failed", ["code": .integer(Int(code.rawValue))]) }
    var queued: Int32 = 0
    while let message = curl_multi_info_read(multi, &queued) {
      guard message.pointee.msg == CURLMSG_DONE, let curl = message.pointee.easy_handle else { continue }
      finish(curl, dragoman_curl_message_result(message))
    }
  }

  private func finish(_ curl: UnsafeMutableRawPointer, _ code: CURLcode) {
    guard let handle = running.removeValue(forKey: curl) else { return }
    curl_multi_remove_handle(multi, curl)
    counted.connectionsOpened += handle.connectionsOpened
    let key = ObjectIdentifier(handle.destination)
    if let ended = handle.finish(code) { finished.append(ended) }
    if idle[key, default: []].count < limits.idleHandlesMax { idle[key, default: []].append(handle) }
  }

  private func abandon(_ isMeant: (EasyHandle) -> Bool) {
    for handle in running.values where isMeant(handle) {
      running[handle.curl] = nil
      let ended = handle.abandon(.shuttingDown, detail: TransportError.shuttingDown.detail)
      curl_multi_remove_handle(multi, handle.curl)
      if let ended { finished.append(ended) }
    }
  }

  // MARK: Ends

  private func complete() {
    guard !finished.isEmpty || counted != TransportStatistics() else { return }
    // First, so that the statistics include an answer when its completion runs.
    publishStatistics()
    for (request, result) in finished { request.completion(result) }
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
    abandon { _ in true }
    for pool in pools.values {
      pool.cancellation.cancel()
      pool.abandon(.shuttingDown, &finished) { _ in true }
    }
    pools = [:]
    idle = [:]
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
