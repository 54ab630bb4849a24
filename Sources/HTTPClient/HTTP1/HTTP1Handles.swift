internal import CCurl
internal import Telemetry

/// The requests over HTTP/1.1, by libcurl's multi handle, and the handles that are kept for the next ones.
///
/// Not `Sendable`: only the transport's thread uses it.
final class HTTP1Handles {
  private let multi: UnsafeMutableRawPointer?
  private let limits: TransportLimits
  private let log: Log
  private var running: [UnsafeMutableRawPointer: EasyHandle] = [:]
  private var queue: HTTP1Queue<TransportRequest>
  private var idle: [ObjectIdentifier: [EasyHandle]] = [:]

  /// `multi` is nil where libcurl cannot be used, and must live until `forgetAll`.
  init(multi: UnsafeMutableRawPointer?, limits: TransportLimits, log: Log) {
    self.multi = multi
    self.limits = limits
    self.log = log
    queue = HTTP1Queue(limits: limits)
  }

  /// When `drive` may have something to end that libcurl does not know of; nil for never.
  var due: ContinuousClock.Instant? { queue.due }

  /// Begins the request, or lets it wait until a connection is free.
  func begin(
    _ request: TransportRequest, now: ContinuousClock.Instant, _ finished: inout [FinishedRequest]
  ) {
    let destination = request.destination
    destination.note(concurrencyMax: limits.hostConnectionsMax)
    if queue.admit(request, to: destination.host, until: now + destination.timeout) {
      start(request, &finished)
    }
  }

  private func start(_ request: TransportRequest, _ finished: inout [FinishedRequest]) {
    if let result = startTransfer(request) {
      queue.ended(on: request.destination.host)
      finished.append((request, result))
    }
  }

  /// Its result if the request has ended at once.
  private func startTransfer(
    _ request: TransportRequest
  ) -> Result<TransportResponse, TransportError>? {
    guard let body = request.atDeparture() else { return .failure(.withdrawn) }
    let key = ObjectIdentifier(request.destination)
    let pooled = idle[key]?.popLast()
    guard let multi, let handle = pooled ?? EasyHandle(destination: request.destination, limits: limits)
    else {
      return .failure(
        TransportError(code: .broken, wasSent: false, detail: "libcurl could not create a handle"))
    }
    var code = handle.begin(request, body: body)
    if code == CURLE_OK, curl_multi_add_handle(multi, handle.curl) != CURLM_OK { code = CURLE_FAILED_INIT }
    guard code == CURLE_OK else { return handle.finish(code)?.1 }
    running[handle.curl] = handle
    return nil
  }

  /// Carries the requests on as far as their sockets allow. Returns how many connections it opened.
  func drive(now: ContinuousClock.Instant, _ finished: inout [FinishedRequest]) -> Int {
    for request in queue.removeLate(now: now) { finished.append((request, .failure(.busy))) }
    let opened = driveTransfers(&finished)
    while let request = queue.next() { start(request, &finished) }
    return opened
  }

  private func driveTransfers(_ finished: inout [FinishedRequest]) -> Int {
    guard let multi, !running.isEmpty else { return 0 }
    var stillRunning: Int32 = 0
    let code = curl_multi_perform(multi, &stillRunning)
    if code != CURLM_OK { log.error("libcurl failed", ["code": .integer(Int(code.rawValue))]) }
    var opened = 0
    var queued: Int32 = 0
    while let message = curl_multi_info_read(multi, &queued) {
      guard message.pointee.msg == CURLMSG_DONE, let curl = message.pointee.easy_handle else { continue }
      opened += finish(curl, dragoman_curl_message_result(message), &finished)
    }
    return opened
  }

  private func finish(
    _ curl: UnsafeMutableRawPointer, _ code: CURLcode, _ finished: inout [FinishedRequest]
  ) -> Int {
    guard let handle = running.removeValue(forKey: curl) else { return 0 }
    curl_multi_remove_handle(multi, curl)
    let opened = handle.connectionsOpened
    queue.ended(on: handle.destination.host)
    let key = ObjectIdentifier(handle.destination)
    if let ended = handle.finish(code) { finished.append(ended) }
    if idle[key, default: []].count < limits.idleHandlesMax { idle[key, default: []].append(handle) }
    return opened
  }

  /// Ends the requests to the destinations that `isMeant` selects.
  func abandon(_ finished: inout [FinishedRequest], _ isMeant: (Destination) -> Bool) {
    for request in queue.removeAll(where: { isMeant($0.destination) }) {
      finished.append((request, .failure(.shuttingDown)))
    }
    for handle in running.values where isMeant(handle.destination) {
      running[handle.curl] = nil
      queue.ended(on: handle.destination.host)
      let ended = handle.abandon(.shuttingDown, detail: TransportError.shuttingDown.detail)
      curl_multi_remove_handle(multi, handle.curl)
      if let ended { finished.append(ended) }
    }
  }

  /// Ends the requests to a destination and frees its handles.
  func retire(_ destination: Destination, _ finished: inout [FinishedRequest]) {
    abandon(&finished) { $0 === destination }
    idle[ObjectIdentifier(destination)] = nil
  }

  /// Frees all handles.
  func forgetAll() {
    idle = [:]
    running = [:]
    queue = HTTP1Queue(limits: limits)
  }
}
