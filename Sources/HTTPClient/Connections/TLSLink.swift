internal import CCurl
internal import Clock
internal import Foundation

/// A TLS connection that libcurl has made (proxies, names, addresses, trust) and that then carries raw bytes.
///
/// Guard: the connecting thread hands it over to the transport, and only the thread that has the transport's
/// turn uses it from then on. OpenSSL holds `peer`'s address while the handle lives.
final class TLSLink: ByteLink, @unchecked Sendable {
  private let curl: UnsafeMutableRawPointer
  private let options: CurlConnectionOptions
  private let peer = TLSPeer()
  private let cancellation: ConnectCancellation
  private(set) var socket = CURL_SOCKET_BAD

  /// Connects on a new thread, because libcurl blocks meanwhile, and calls `completion` on it, or on this one
  /// when there is no thread to be had.
  static func connect(
    to destination: Destination, cancellation: ConnectCancellation,
    completion: @escaping @Sendable (ConnectOutcome) -> Void
  ) {
    let isStarted = DetachedThread.start(named: "dragoman.dial") {
      guard let link = TLSLink(destination, cancellation) else {
        return completion(
          .failed(TransportError(code: .broken, wasSent: false, detail: "libcurl could not create a handle")))
      }
      completion(link.connect(destination))
    }
    if !isStarted { completion(.failed(.noThread)) }
  }

  /// Nil when libcurl refuses an option or has no memory.
  private init?(_ destination: Destination, _ cancellation: ConnectCancellation) {
    guard TLSPeer.isReady, let curl = curl_easy_init() else { return nil }
    self.curl = curl
    self.cancellation = cancellation
    var result = CURLE_OK
    options = CurlConnectionOptions(curl, destination: destination, result: &result)
    var setter = CurlOptionSetter(curl: curl)
    setter.long(CURLOPT_CONNECT_ONLY, 1)
    // ALPN is set up below instead of by libcurl, which would begin its own HTTP/2 session.
    setter.long(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    setter.long(CURLOPT_SSL_ENABLE_ALPN, 0)
    setter.long(CURLOPT_NOPROGRESS, 0)
    setter.pointer(CURLOPT_XFERINFODATA, Unmanaged.passUnretained(cancellation).toOpaque())
    setter.note(
      dragoman_curl_set_progress(curl) { context, _, _, _, _ in
        guard let context else { return 1 }
        return Unmanaged<ConnectCancellation>.fromOpaque(context).takeUnretainedValue().isCancelled ? 1 : 0
      })
    setter.pointer(CURLOPT_SSL_CTX_DATA, Unmanaged.passUnretained(peer).toOpaque())
    setter.note(
      dragoman_curl_set_tls_context(curl) { curl, context, peer in
        TLSPeer.prepare(context, peer, mayOfferHTTP2: TLSLink.leadsToPeer(curl))
          ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
      })
    guard result == CURLE_OK, setter.result == CURLE_OK else { return nil }
  }

  deinit { curl_easy_cleanup(curl) }

  /// Whether the TLS session that libcurl is about to begin is with the peer, not with a proxy that speaks
  /// TLS itself. Where there may be such a proxy, only a session after its CONNECT response is certain to be
  /// the peer's.
  private static func leadsToPeer(_ curl: UnsafeMutableRawPointer?) -> Bool {
    guard mayMeetTLSProxy, let curl else { return true }
    var status = 0
    return dragoman_curl_get_long(curl, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK && status / 100 == 2
  }

  private static let mayMeetTLSProxy = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
    ProcessInfo.processInfo.environment[$0].map(EndpointURL.isTLS) ?? false
  }

  private func connect(_ destination: Destination) -> ConnectOutcome {
    // Sooner than the requests that wait end, so that they end with the reason.
    if let failure = options.lookUp(within: destination.timeout * 4 / 5) { return .failed(failure) }
    let code = curl_easy_perform(curl)
    guard code == CURLE_OK else {
      if cancellation.isCancelled { return .failed(.shuttingDown) }
      let failure = options.failure(code, wasSent: false)
      // Nothing of a request was sent, so a timeout here means that there is no connection.
      let isNone = failure.code == .timeout || failure.code == .broken
      return .failed(
        TransportError(
          code: isNone ? .connection : failure.code, wasSent: false, detail: failure.detail,
          phase: failure.phase == .connect && peer.hasBegun ? .tls : failure.phase,
          proxyStatus: failure.proxyStatus))
    }
    guard peer.speaksHTTP2 else { return .http1 }
    guard dragoman_curl_get_socket(curl, &socket) == CURLE_OK, socket != CURL_SOCKET_BAD else {
      return .failed(TransportError(code: .broken, wasSent: false, detail: "the connection is closed"))
    }
    return .http2(self)
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> LinkInput {
    var count = 0
    switch curl_easy_recv(curl, buffer.baseAddress, buffer.count, &count) {
    case CURLE_OK: return count > 0 ? .bytes(count) : .ended("the peer closed the connection")
    case CURLE_AGAIN: return .nothingYet
    case let code: return .ended(errorMessage(code))
    }
  }

  var hasReadAhead: Bool { peer.hasReadAhead }

  func send(_ bytes: UnsafeRawBufferPointer) -> Result<Int, TransportError> {
    var count = 0
    switch curl_easy_send(curl, bytes.baseAddress, bytes.count, &count) {
    case CURLE_OK: return .success(count)
    case CURLE_AGAIN: return .success(0)
    case let code: return .failure(TransportError(code: .broken, wasSent: true, detail: errorMessage(code)))
    }
  }

  private func errorMessage(_ code: CURLcode) -> String {
    defer { options.forgetFailure() }
    return options.errorMessage.isEmpty ? String(cString: curl_easy_strerror(code)) : options.errorMessage
  }
}
