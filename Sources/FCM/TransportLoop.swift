internal import CCurl
internal import Foundation
internal import Synchronization
internal import Telemetry

/// The loop that drives libcurl's multi handle on a thread of its own.
///
/// `@unchecked Sendable`: `mailbox` is a mutex, `multi` is created once and woken from any thread (which libcurl
/// allows), and everything else is touched by the loop's thread alone.
final class TransportLoop: @unchecked Sendable {
  private enum Command {
    case start(TransportRequest)
    /// Abandons a destination's requests and frees its handles.
    case retire(Destination)
    case stop(@Sendable () -> Void)
  }

  private struct Mailbox {
    var commands: [Command] = []
    /// Whether the thread may be waiting in `curl_multi_poll`, and nobody has woken it yet.
    var needsWake = false
    var isOver = false
  }

  /// A request that goes ahead, and those that wait for it.
  private struct Pilot {
    let handle: EasyHandle
    var held: [TransportRequest] = []
  }

  /// libcurl itself wakes up sooner where one of its timers is due.
  private static let pollMillisecondsMax: Int32 = 60_000
  /// With more requests under way than this, the loop goes round at most once in so many microseconds.
  private static let gatherCountMin = 50
  private static let gatherMicroseconds = 1000.0
  private static let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private let limits: TransportLimits
  private let log: Log
  private let multi: UnsafeMutableRawPointer?
  private let mailbox = Mutex(Mailbox())
  private let statistics = Mutex(TransportStatistics())
  private var running: [UnsafeMutableRawPointer: EasyHandle] = [:]
  private var idle: [ObjectIdentifier: [EasyHandle]] = [:]
  private var gates: [ObjectIdentifier: PilotGate] = [:]
  private var pilots: [ObjectIdentifier: Pilot] = [:]
  /// Requests that timed out unanswered and are yet to be looked at: whether their connection is of any use.
  private var timedOut: [(destination: Destination, begunAt: ContinuousClock.Instant)] = []
  private var whenStopped: (@Sendable () -> Void)?
  /// When the loop last began to go round.
  private var drivenAt = ContinuousClock.now
  private var counted = TransportStatistics()

  init(limits: TransportLimits, log: Log) {
    self.limits = limits
    self.log = log
    multi = Self.isCurlReady ? curl_multi_init() : nil
    guard let multi else { return }
    let options: [(CURLMoption, Int)] = [
      (CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX)),
      (CURLMOPT_MAX_HOST_CONNECTIONS, limits.hostConnectionsMax),
      (CURLMOPT_MAX_TOTAL_CONNECTIONS, limits.totalConnectionsMax),
      (CURLMOPT_MAXCONNECTS, limits.totalConnectionsMax),
      (CURLMOPT_MAX_CONCURRENT_STREAMS, limits.concurrentStreamsMax),
    ]
    for (option, value) in options where dragoman_curl_multi_set_long(multi, option, value) != CURLM_OK {
      log.error("libcurl refuses an option", ["option": .integer(Int(option.rawValue))])
    }
  }

  deinit {
    idle = [:]
    running = [:]
    if let multi { curl_multi_cleanup(multi) }
  }

  var statisticsNow: TransportStatistics { statistics.withLock { $0 } }

  /// Starts the thread; it lives until `stop`.
  func begin() {
    let thread = Thread { [self] in run() }
    thread.name = "dragoman.fcm"
    thread.start()
  }

  /// Whether the loop takes the request; else it is over.
  func start(_ request: TransportRequest) -> Bool { post(.start(request)) }
  func retire(_ destination: Destination) { _ = post(.retire(destination)) }

  /// Abandons what is under way, ends the thread, then calls `completion`.
  func stop(_ completion: @escaping @Sendable () -> Void) {
    if !post(.stop(completion)) { completion() }
  }

  private func post(_ command: Command) -> Bool {
    let (isTaken, mustWake) = mailbox.withLock { mailbox in
      guard !mailbox.isOver else { return (false, false) }
      mailbox.commands.append(command)
      defer { mailbox.needsWake = false }
      return (true, mailbox.needsWake)
    }
    if mustWake, let multi { curl_multi_wakeup(multi) }
    return isTaken
  }
}

// MARK: On the thread

extension TransportLoop {
  private func run() {
    var commands: [Command] = []
    while whenStopped == nil {
      mailbox.withLock { mailbox in
        swap(&commands, &mailbox.commands)
        mailbox.needsWake = false
      }
      for command in commands { carryOut(command) }
      commands.removeAll(keepingCapacity: true)
      drive()
      openGates()
      let mayWait = mailbox.withLock { mailbox in
        mailbox.needsWake = mailbox.commands.isEmpty
        return mailbox.needsWake
      }
      if mayWait, whenStopped == nil, let multi {
        curl_multi_poll(multi, nil, 0, pollMilliseconds, nil)
      }
      gather()
    }
    finishAll()
  }

  /// Lets a little come together where much is under way: libcurl looks at all of it each time, with a system call for
  /// each request, however little has happened.
  private func gather() {
    if running.count > Self.gatherCountMin {
      let rest = Self.gatherMicroseconds - (ContinuousClock.now - drivenAt) / .microseconds(1)
      if rest > 0 { usleep(UInt32(min(rest, Self.gatherMicroseconds))) }
    }
    drivenAt = .now
  }

  private func carryOut(_ command: Command) {
    switch command {
    case .start(let request): admit(request)
    case .retire(let destination):
      let key = ObjectIdentifier(destination)
      let held = pilots.removeValue(forKey: key)?.held ?? []
      abandon { $0.destination === destination }
      idle[key] = nil
      gates[key] = nil
      for request in held { request.completion(.failure(.shuttingDown)) }
    case .stop(let completion):
      let earlier = whenStopped
      whenStopped = {
        earlier?()
        completion()
      }
    }
  }

  private func admit(_ request: TransportRequest) {
    guard request.destination.isTLS else { return begin(request) }
    let key = ObjectIdentifier(request.destination)
    switch gates[key, default: PilotGate(lifetime: limits.connectionLifetime)].requested(now: .now) {
    case .go: begin(request)
    case .wait where pilots[key] != nil: pilots[key]?.held.append(request)
    case .pilot, .wait:
      begin(request) { handle in pilots[key] = Pilot(handle: handle) }
    }
  }

  private func begin(_ request: TransportRequest, then note: (EasyHandle) -> Void = { _ in }) {
    let key = ObjectIdentifier(request.destination)
    let pooled = idle[key]?.popLast()
    guard let multi, let handle = pooled ?? EasyHandle(destination: request.destination, limits: limits)
    else {
      return request.completion(
        .failure(TransportFailure(kind: .broken, wasSent: false, detail: "libcurl has no handle to give")))
    }
    var code = handle.begin(request)
    if code == CURLE_OK, curl_multi_add_handle(multi, handle.curl) != CURLM_OK { code = CURLE_FAILED_INIT }
    guard code == CURLE_OK else {
      if let (request, result) = handle.finish(code) { request.completion(result) }
      return
    }
    running[handle.curl] = handle
    note(handle)
  }

  /// Lets go what waited for pilots whose answers have begun, or that take too long.
  private func openGates() {
    for (key, pilot) in pilots {
      let now = ContinuousClock.now
      guard pilot.handle.hasAnswerBegun || gates[key]?.deadline.map({ $0 <= now }) ?? true else { continue }
      gates[key]?.open(now: now)
      release(key)
    }
  }

  private func release(_ key: ObjectIdentifier) {
    for request in pilots.removeValue(forKey: key)?.held ?? [] { begin(request) }
  }

  private var pollMilliseconds: Int32 {
    guard let first = pilots.keys.compactMap({ gates[$0]?.deadline }).min() else {
      return Self.pollMillisecondsMax
    }
    let (seconds, attoseconds) = max(.zero, first - .now).components
    return min(
      Int32(clamping: seconds) * 1000 + Int32(attoseconds / 1_000_000_000_000_000) + 1,
      Self.pollMillisecondsMax)
  }

  private func drive() {
    guard let multi else { return }
    var stillRunning: Int32 = 0
    let code = curl_multi_perform(multi, &stillRunning)
    if code != CURLM_OK { log.error("libcurl fails", ["code": .integer(Int(code.rawValue))]) }
    var queued: Int32 = 0
    var finished: [(TransportRequest, Result<TransportResponse, TransportFailure>)] = []
    while let message = curl_multi_info_read(multi, &queued) {
      guard message.pointee.msg == CURLMSG_DONE, let curl = message.pointee.easy_handle else { continue }
      if let ended = finish(curl, dragoman_curl_message_result(message)) { finished.append(ended) }
    }
    giveUpSilentConnections()
    // First, so that whoever is told of an answer finds it counted.
    publishStatistics()
    for (request, result) in finished { request.completion(result) }
  }

  private func finish(
    _ curl: UnsafeMutableRawPointer, _ code: CURLcode
  ) -> (TransportRequest, Result<TransportResponse, TransportFailure>)? {
    guard let handle = running.removeValue(forKey: curl) else { return nil }
    curl_multi_remove_handle(multi, curl)
    counted.connectionsOpened += handle.connectionsOpened
    guard let (request, result) = handle.finish(code) else { return nil }
    switch result {
    case .success:
      counted.answers += 1
      if handle.isOverHTTP2 { counted.http2Answers += 1 }
    case .failure: counted.failures += 1
    }
    let key = ObjectIdentifier(handle.destination)
    noteEnd(of: handle, key, result)
    if idle[key, default: []].count < limits.idleHandlesMax { idle[key, default: []].append(handle) }
    return (request, result)
  }

  private func noteEnd(
    of handle: EasyHandle, _ key: ObjectIdentifier, _ result: Result<TransportResponse, TransportFailure>
  ) {
    let isPilot = pilots[key]?.handle === handle
    switch result {
    case .success:
      guard handle.destination.isTLS else { break }
      let now = ContinuousClock.now
      gates[key]?.answered(now: now)
      if isPilot { gates[key]?.open(now: now) }
    case .failure(let failure):
      if failure.kind == .timeout, !handle.hasAnswerBegun {
        timedOut.append((handle.destination, handle.begunAt))
      }
      if isPilot || failure.endsConnection { gates[key]?.broke(isPilot: isPilot) }
    }
    // With the pilot's failure too: what keeps it from the peer keeps the others from it as well, and soon shows.
    if isPilot { release(key) }
  }

  /// Ends what is under way to a peer that let a request time out and has answered nothing since that began. An
  /// HTTP/2 connection whose other end hangs would else be used on for as long as its TCP lives, and everything time
  /// out on it.
  private func giveUpSilentConnections() {
    for (destination, begunAt) in timedOut {
      let key = ObjectIdentifier(destination)
      guard gates[key]?.isSilent(since: begunAt) == true else { continue }
      let held = pilots.removeValue(forKey: key)?.held ?? []
      gates[key]?.broke(isPilot: true)
      abandon(.timeout, detail: "the peer answers nothing") { $0.destination === destination }
      for request in held { admit(request) }
    }
    timedOut = []
  }

  private func abandon(
    _ kind: TransportFailure.Kind = .shuttingDown, detail: String = "shutting down",
    _ isMeant: (EasyHandle) -> Bool
  ) {
    for handle in running.values where isMeant(handle) {
      running[handle.curl] = nil
      let ended = handle.abandon(kind, detail: detail)
      curl_multi_remove_handle(multi, handle.curl)
      counted.failures += 1
      if let (request, result) = ended { request.completion(result) }
    }
  }

  private func publishStatistics() {
    guard counted != TransportStatistics() else { return }
    statistics.withLock { statistics in
      statistics.answers += counted.answers
      statistics.failures += counted.failures
      statistics.http2Answers += counted.http2Answers
      statistics.connectionsOpened += counted.connectionsOpened
    }
    counted = TransportStatistics()
  }

  private func finishAll() {
    let held = pilots.values.flatMap(\.held)
    pilots = [:]
    abandon { _ in true }
    idle = [:]
    publishStatistics()
    let late = mailbox.withLock { mailbox in
      mailbox.isOver = true
      defer { mailbox.commands = [] }
      return mailbox.commands
    }
    for request in held { request.completion(.failure(.shuttingDown)) }
    for command in late {
      switch command {
      case .start(let request): request.completion(.failure(.shuttingDown))
      case .retire: break
      case .stop(let completion): completion()
      }
    }
    whenStopped?()
  }
}

extension TransportFailure {
  static let shuttingDown = TransportFailure(kind: .shuttingDown, wasSent: false, detail: "shutting down")
}
