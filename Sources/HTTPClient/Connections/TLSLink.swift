internal import CCurl
internal import COpenSSL
internal import Foundation
internal import Synchronization

/// What carries a session's bytes; none of it waits.
protocol ByteLink: AnyObject, Sendable {
  var socket: curl_socket_t { get }
  /// Takes what has come.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> LinkInput
  /// Whether bytes have come that `receive` has not given yet, and that the socket tells nothing of.
  var hasReadAhead: Bool { get }
  /// Gives away as much as fits; the count, or why there is no connection any more.
  func send(_ bytes: UnsafeRawBufferPointer) -> Result<Int, TransportError>
}

enum LinkInput {
  case bytes(Int)
  case nothingYet
  case ended(String)
}

/// What comes of connecting.
enum ConnectOutcome: Sendable {
  case http2(any ByteLink)
  /// The peer is there, and does not speak HTTP/2 (no `h2` by ALPN, RFC 9113 §3.2).
  case http1
  case failed(TransportError)
}

/// A TLS connection that libcurl has made (proxies, names, addresses, trust) and that carries what it is given.
///
/// `@unchecked Sendable`: the thread that connects hands it over, and from then on the transport's thread alone
/// touches it. OpenSSL holds `peer`'s address while the handle lives.
final class TLSLink: ByteLink, @unchecked Sendable {
  private let curl: UnsafeMutableRawPointer
  private let options: CurlConnectionOptions
  private let peer = TLSPeer()
  private let isAbandoned: Abandonment
  private(set) var socket = CURL_SOCKET_BAD

  /// Connects on a thread of its own, since libcurl waits meanwhile, and calls `completion` on it.
  static func connect(
    to destination: Destination, unless abandonment: Abandonment,
    completion: @escaping @Sendable (ConnectOutcome) -> Void
  ) {
    let thread = Thread {
      guard let link = TLSLink(destination, abandonment) else {
        return completion(
          .failed(TransportError(code: .broken, wasSent: false, detail: "libcurl has no handle to give")))
      }
      completion(link.connect())
    }
    thread.name = "dragoman.connect"
    thread.start()
  }

  /// Nil when libcurl refuses an option or has no memory.
  private init?(_ destination: Destination, _ abandonment: Abandonment) {
    guard TLSPeer.isReady, let curl = curl_easy_init() else { return nil }
    self.curl = curl
    isAbandoned = abandonment
    var result = CURLE_OK
    options = CurlConnectionOptions(curl, destination: destination, result: &result)
    var setter = CurlOptionSetter(curl: curl)
    setter.long(CURLOPT_CONNECT_ONLY, 1)
    // Which protocol is spoken is agreed upon past libcurl: it would begin an HTTP/2 session of its own.
    setter.long(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    setter.long(CURLOPT_SSL_ENABLE_ALPN, 0)
    setter.long(CURLOPT_NOPROGRESS, 0)
    setter.pointer(CURLOPT_XFERINFODATA, Unmanaged.passUnretained(abandonment).toOpaque())
    setter.note(
      dragoman_curl_set_progress(curl) { context, _, _, _, _ in
        guard let context else { return 1 }
        return Unmanaged<Abandonment>.fromOpaque(context).takeUnretainedValue().isDone ? 1 : 0
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

  /// Whether the TLS that libcurl is about to begin is the peer's, and not a proxy's that speaks TLS itself. Where
  /// such a proxy may stand between, only what has gone through it is sure.
  private static func leadsToPeer(_ curl: UnsafeMutableRawPointer?) -> Bool {
    guard mayMeetTLSProxy, let curl else { return true }
    var status = 0
    return dragoman_curl_get_long(curl, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK && status / 100 == 2
  }

  private static let mayMeetTLSProxy = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
    ProcessInfo.processInfo.environment[$0].map(EndpointURL.isTLS) ?? false
  }

  private func connect() -> ConnectOutcome {
    let code = curl_easy_perform(curl)
    guard code == CURLE_OK else {
      if isAbandoned.isDone { return .failed(.shuttingDown) }
      let failure = options.failure(code, wasSent: false)
      // Nothing of a request has left: so there is no answer that is late, only a connection that is not there.
      return .failed(
        failure.code == .timeout || failure.code == .broken
          ? TransportError(code: .connection, wasSent: false, detail: failure.detail) : failure)
    }
    guard peer.speaksHTTP2 else { return .http1 }
    guard dragoman_curl_get_socket(curl, &socket) == CURLE_OK, socket != CURL_SOCKET_BAD else {
      return .failed(TransportError(code: .broken, wasSent: false, detail: "the connection is gone"))
    }
    return .http2(self)
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> LinkInput {
    var count = 0
    switch curl_easy_recv(curl, buffer.baseAddress, buffer.count, &count) {
    case CURLE_OK: return count > 0 ? .bytes(count) : .ended("the peer closed the connection")
    case CURLE_AGAIN: return .nothingYet
    case let code: return .ended(words(code))
    }
  }

  var hasReadAhead: Bool { peer.hasReadAhead }

  func send(_ bytes: UnsafeRawBufferPointer) -> Result<Int, TransportError> {
    var count = 0
    switch curl_easy_send(curl, bytes.baseAddress, bytes.count, &count) {
    case CURLE_OK: return .success(count)
    case CURLE_AGAIN: return .success(0)
    case let code: return .failure(TransportError(code: .broken, wasSent: true, detail: words(code)))
    }
  }

  private func words(_ code: CURLcode) -> String {
    defer { options.forgetFailure() }
    return options.words.isEmpty ? String(cString: curl_easy_strerror(code)) : options.words
  }
}

/// Tells those who connect that nobody waits for it any more.
final class Abandonment: Sendable {
  private let isSet = Atomic<Bool>(false)

  func set() { isSet.store(true, ordering: .relaxed) }
  var isDone: Bool { isSet.load(ordering: .relaxed) }
}

/// What OpenSSL tells of the other end of a connection that libcurl makes.
///
/// Not `Sendable`: its link's thread alone touches it.
private final class TLSPeer {
  private static let index = CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL_CTX, 0, nil, nil, nil, nil)
  static var isReady: Bool { index >= 0 }

  private(set) var speaksHTTP2 = false
  private var connection: OpaquePointer?
  /// A proxy's, where it speaks TLS itself: what its session tells later is not of the peer.
  private var outer: OpaquePointer?

  var hasReadAhead: Bool { connection.map { SSL_has_pending($0) == 1 } ?? false }

  /// Called by libcurl with the context of each connection that it is about to make.
  static func prepare(
    _ context: UnsafeMutableRawPointer?, _ peer: UnsafeMutableRawPointer?, mayOfferHTTP2: Bool
  ) -> Bool {
    guard let context = context.map({ OpaquePointer($0) }), let peer,
      SSL_CTX_set_ex_data(context, index, peer) == 1
    else { return false }
    // RFC 7301 §3.1: each name after its length. Unlike most of OpenSSL's, this function gives 0 for success.
    let names = [2] + Array("h2".utf8) + [8] + Array("http/1.1".utf8)
    if mayOfferHTTP2, SSL_CTX_set_alpn_protos(context, names, UInt32(names.count)) != 0 { return false }
    // Many records come with one read, and what is to be sent may lie elsewhere when it is tried again.
    SSL_CTX_ctrl(context, SSL_CTRL_SET_READ_AHEAD, 1, nil)
    SSL_CTX_ctrl(
      context, SSL_CTRL_MODE, Int(SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER), nil)
    SSL_CTX_set_info_callback(context) { connection, event, _ in
      guard event & SSL_CB_HANDSHAKE_DONE != 0, let connection,
        let peer = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), TLSPeer.index)
      else { return }
      Unmanaged<TLSPeer>.fromOpaque(peer).takeUnretainedValue().shookHands(connection)
    }
    return true
  }

  private func shookHands(_ connection: OpaquePointer) {
    guard connection != outer else { return }
    if self.connection != connection { outer = self.connection }
    self.connection = connection
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(connection, &name, &count)
    speaksHTTP2 = UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
  }
}
