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

  /// libcurl itself wakes up sooner where one of its timers is due.
  private static let pollMillisecondsMax: Int32 = 60_000
  private static let isCurlReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private let limits: TransportLimits
  private let log: Log
  private let multi: UnsafeMutableRawPointer?
  private let mailbox = Mutex(Mailbox())
  private let statistics = Mutex(TransportStatistics())
  private var running: [UnsafeMutableRawPointer: EasyHandle] = [:]
  private var idle: [ObjectIdentifier: [EasyHandle]] = [:]
  private var whenStopped: (@Sendable () -> Void)?
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
      let mayWait = mailbox.withLock { mailbox in
        mailbox.needsWake = mailbox.commands.isEmpty
        return mailbox.needsWake
      }
      if mayWait, whenStopped == nil, let multi {
        curl_multi_poll(multi, nil, 0, Self.pollMillisecondsMax, nil)
      }
    }
    finishAll()
  }

  private func carryOut(_ command: Command) {
    switch command {
    case .start(let request): begin(request)
    case .retire(let destination):
      abandon { $0.destination === destination }
      idle[ObjectIdentifier(destination)] = nil
    case .stop(let completion):
      let earlier = whenStopped
      whenStopped = {
        earlier?()
        completion()
      }
    }
  }

  private func begin(_ request: TransportRequest) {
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
    if idle[key, default: []].count < limits.idleHandlesMax { idle[key, default: []].append(handle) }
    return (request, result)
  }

  private func abandon(_ isMeant: (EasyHandle) -> Bool) {
    for handle in running.values where isMeant(handle) {
      running[handle.curl] = nil
      let ended = handle.abandon(detail: "shutting down")
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
    abandon { _ in true }
    idle = [:]
    publishStatistics()
    let late = mailbox.withLock { mailbox in
      mailbox.isOver = true
      defer { mailbox.commands = [] }
      return mailbox.commands
    }
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
