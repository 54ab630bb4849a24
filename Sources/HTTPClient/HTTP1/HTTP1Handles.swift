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
  private var idle: [ObjectIdentifier: [EasyHandle]] = [:]

  /// `multi` is nil where libcurl cannot be used, and must live until `forgetAll`.
  init(multi: UnsafeMutableRawPointer?, limits: TransportLimits, log: Log) {
    self.multi = multi
    self.limits = limits
    self.log = log
  }

  func begin(_ request: TransportRequest, _ finished: inout [FinishedRequest]) {
    guard let body = request.atDeparture() else {
      return finished.append((request, .failure(.withdrawn)))
    }
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
    var code = handle.begin(request, body: body)
    if code == CURLE_OK, curl_multi_add_handle(multi, handle.curl) != CURLM_OK { code = CURLE_FAILED_INIT }
    guard code == CURLE_OK else {
      if let ended = handle.finish(code) { finished.append(ended) }
      return
    }
    running[handle.curl] = handle
  }

  /// Carries the requests on as far as their sockets allow. Returns how many connections it opened.
  func drive(_ finished: inout [FinishedRequest]) -> Int {
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
    let key = ObjectIdentifier(handle.destination)
    if let ended = handle.finish(code) { finished.append(ended) }
    if idle[key, default: []].count < limits.idleHandlesMax { idle[key, default: []].append(handle) }
    return opened
  }

  /// Ends the requests that `isMeant` selects.
  func abandon(_ finished: inout [FinishedRequest], _ isMeant: (EasyHandle) -> Bool) {
    for handle in running.values where isMeant(handle) {
      running[handle.curl] = nil
      let ended = handle.abandon(.shuttingDown, detail: TransportError.shuttingDown.detail)
      curl_multi_remove_handle(multi, handle.curl)
      if let ended { finished.append(ended) }
    }
  }

  /// Ends the requests to a destination and frees its handles.
  func retire(_ destination: Destination, _ finished: inout [FinishedRequest]) {
    abandon(&finished) { $0.destination === destination }
    idle[ObjectIdentifier(destination)] = nil
  }

  /// Frees all handles.
  func forgetAll() {
    idle = [:]
    running = [:]
  }
}
