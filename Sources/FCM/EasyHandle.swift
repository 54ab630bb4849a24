internal import CCurl
internal import Glibc

/// One libcurl easy handle, set up for one destination and used for many requests, one after the other.
///
/// Not `Sendable`: only the transport's thread touches it. libcurl holds this object's address while the handle
/// lives, and the object owns the handle.
final class EasyHandle {
  let destination: Destination
  let curl: UnsafeMutableRawPointer
  private let limits: TransportLimits
  private let errorText: UnsafeMutablePointer<CChar>
  private var uploaded = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private(set) var request: TransportRequest?
  private var headers: HeaderList?
  private var body: [UInt8] = []
  private var retryAfter: String?
  private var headerBytes = 0
  private var isBodyCut = false
  private var hasRefusedAddress = false
  /// Whether a line of the answer's headers has come.
  private(set) var hasAnswerBegun = false
  private(set) var begunAt = ContinuousClock.now

  /// Nil when libcurl refuses an option or has no memory.
  init?(destination: Destination, limits: TransportLimits) {
    guard let curl = curl_easy_init() else { return nil }
    self.curl = curl
    self.destination = destination
    self.limits = limits
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    guard setUp() == CURLE_OK else { return nil }
  }

  deinit {
    curl_easy_cleanup(curl)
    errorText.deallocate()
    uploaded.deallocate()
  }

  /// Takes a request; the handle can then be added to a multi handle.
  func begin(_ request: TransportRequest) -> CURLcode {
    self.request = request
    errorText[0] = 0
    body = []
    retryAfter = nil
    headerBytes = 0
    isBodyCut = false
    hasRefusedAddress = false
    hasAnswerBegun = false
    begunAt = .now
    // libcurl reads the body for as long as the transfer runs: so it lies in memory that this object owns.
    if uploaded.count < request.body.count {
      uploaded.deallocate()
      uploaded = .allocate(byteCount: max(request.body.count, 4096), alignment: 1)
    }
    uploaded.copyBytes(from: request.body)
    var options = OptionSetter(curl: curl)
    // Until an answer begins: a connection that lets its last request time out is not used for another.
    options.long(CURLOPT_FORBID_REUSE, 1)
    if destination.method == .post {
      options.pointer(CURLOPT_POSTFIELDS, uploaded.baseAddress)
      options.offset(CURLOPT_POSTFIELDSIZE_LARGE, request.body.count)
    }
    if headers !== request.headers {
      options.list(CURLOPT_HTTPHEADER, request.headers.list)
      headers = request.headers
    }
    return options.result
  }

  /// Ends the request that was begun and tells how it went.
  func finish(
    _ code: CURLcode
  ) -> (TransportRequest, Result<TransportResponse, TransportFailure>)? {
    guard let request else { return nil }
    self.request = nil
    defer { body = [] }
    let status = information(CURLINFO_RESPONSE_CODE)
    if code == CURLE_OK || (code == CURLE_WRITE_ERROR && isBodyCut && status > 0) {
      let response = TransportResponse(
        status: status, retryAfter: retryAfter, body: body, isBodyCut: isBodyCut)
      return (request, .success(response))
    }
    return (request, .failure(failure(code)))
  }

  func abandon(
    _ kind: TransportFailure.Kind, detail: String
  ) -> (TransportRequest, Result<TransportResponse, TransportFailure>)? {
    guard let request else { return nil }
    self.request = nil
    return (request, .failure(TransportFailure(kind: kind, wasSent: wasSent, detail: detail)))
  }

  var isOverHTTP2: Bool { information(CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_2_0) }
  var connectionsOpened: Int { information(CURLINFO_NUM_CONNECTS) }

  private var wasSent: Bool {
    var bytes: curl_off_t = 0
    return dragoman_curl_get_offset(curl, CURLINFO_SIZE_UPLOAD_T, &bytes) != CURLE_OK || bytes > 0
  }

  private func information(_ info: CURLINFO) -> Int {
    var value = 0
    return dragoman_curl_get_long(curl, info, &value) == CURLE_OK ? value : 0
  }

  private func failure(_ code: CURLcode) -> TransportFailure {
    if code == CURLE_COULDNT_CONNECT, hasRefusedAddress {
      return TransportFailure(
        kind: .forbiddenAddress, wasSent: false, detail: "the host's address is not a public one")
    }
    let words = String(cString: errorText)
    if code == CURLE_HTTP2, words.isEmpty {
      // libcurl has no words of its own when a GOAWAY ends the session's last streams (http2.c, should_close_session).
      return TransportFailure(kind: .sessionEnded, wasSent: wasSent, detail: "HTTP/2 session ended by GOAWAY")
    }
    if code == CURLE_PARTIAL_FILE, information(CURLINFO_RESPONSE_CODE) == 0 {
      return TransportFailure(kind: .broken, wasSent: wasSent, detail: words)
    }
    let detail = words.isEmpty ? String(cString: curl_easy_strerror(code)) : words
    return TransportFailure(curlCode: code, wasSent: wasSent, detail: detail)
  }
}

// MARK: What libcurl calls

extension EasyHandle {
  private func setUp() -> CURLcode {
    var options = OptionSetter(curl: curl)
    let isTLS = destination.isTLS
    options.string(CURLOPT_URL, destination.url)
    options.long(destination.method == .post ? CURLOPT_POST : CURLOPT_HTTPGET, 1)
    options.string(CURLOPT_PROTOCOLS_STR, "http,https")
    options.long(CURLOPT_FOLLOWLOCATION, 0)
    options.long(CURLOPT_NOSIGNAL, 1)
    // Said outright, so that no default of a libcurl build can switch it off.
    options.long(CURLOPT_SSL_VERIFYPEER, 1)
    options.long(CURLOPT_SSL_VERIFYHOST, 2)
    options.long(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let caFile = destination.caFile { options.string(CURLOPT_CAINFO, caFile) }
    options.long(CURLOPT_HTTP_VERSION, isTLS ? Int(CURL_HTTP_VERSION_2TLS) : Int(CURL_HTTP_VERSION_1_1))
    options.long(CURLOPT_PIPEWAIT, isTLS ? 1 : 0)
    // An emulator or metadata server is near; a proxy for the outside is not asked for it.
    if !isTLS || !destination.mayUseProxy { options.string(CURLOPT_PROXY, "") }
    options.long(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    options.long(CURLOPT_TCP_KEEPALIVE, 1)
    options.long(CURLOPT_TCP_KEEPIDLE, 10)
    options.long(CURLOPT_TCP_KEEPINTVL, 5)
    options.long(CURLOPT_MAXLIFETIME_CONN, Int(limits.connectionLifetime.components.seconds))
    options.long(CURLOPT_TIMEOUT_MS, destination.timeout.wholeMilliseconds)
    options.long(CURLOPT_CONNECTTIMEOUT_MS, destination.connectTimeout.wholeMilliseconds)
    options.long(CURLOPT_BUFFERSIZE, 4096)
    options.string(CURLOPT_USERAGENT, "dragoman")
    options.pointer(CURLOPT_ERRORBUFFER, errorText)
    let context = Unmanaged.passUnretained(self).toOpaque()
    options.pointer(CURLOPT_WRITEDATA, context)
    options.pointer(CURLOPT_HEADERDATA, context)
    options.callback(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      EasyHandle.from(context)?.receiveBody(bytes, count: size * count) ?? 0
    }
    options.callback(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      EasyHandle.from(context)?.receiveHeader(bytes, count: size * count) ?? 0
    }
    if destination.addresses == .publicOnly {
      options.pointer(CURLOPT_OPENSOCKETDATA, context)
      options.note(
        dragoman_curl_set_open_socket(curl) { context, _, address in
          EasyHandle.from(context)?.openSocket(to: address) ?? CURL_SOCKET_BAD
        })
    }
    options.note(dragoman_curl_bound_unacknowledged(curl))
    return options.result
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> EasyHandle? {
    context.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Asked with each address that libcurl is about to connect to, so that no answer of a name server can lead
  /// around the policy after it was checked.
  private func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
    guard let address, let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else {
      return CURL_SOCKET_BAD
    }
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(address) + offset, count: Int(address.pointee.addrlen))
    guard PublicAddress.contains(socketAddress: bytes) else {
      hasRefusedAddress = true
      return CURL_SOCKET_BAD
    }
    return socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
      address.pointee.protocol)
  }

  /// Anything but `count` makes libcurl end the transfer.
  private func receiveBody(_ bytes: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
    guard let bytes, count > 0 else { return count }
    guard body.count + count <= limits.bodyBytesMax else {
      isBodyCut = true
      return 0
    }
    body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    return count
  }

  private func receiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
    guard let bytes else { return count }
    if !hasAnswerBegun {
      hasAnswerBegun = true
      guard dragoman_curl_set_long(curl, CURLOPT_FORBID_REUSE, 0) == CURLE_OK else { return 0 }
    }
    headerBytes += count
    guard headerBytes <= limits.headerBytesMax else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: count)
    if Self.begins(line, with: "http/") {
      // An interim answer, or one that libcurl asked again after, is not the one that counts.
      retryAfter = nil
      body = []
    } else if line.count <= 256, Self.begins(line, with: "retry-after:") {
      retryAfter = String(decoding: line.dropFirst("retry-after:".utf8.count), as: UTF8.self)
    }
    return count
  }

  private static func begins(_ line: UnsafeRawBufferPointer, with lowercase: StaticString) -> Bool {
    lowercase.withUTF8Buffer { prefix in
      line.count >= prefix.count
        && zip(line, prefix).allSatisfy { ((0x41...0x5A).contains($0) ? $0 | 0x20 : $0) == $1 }
    }
  }
}

/// Sets options and keeps the first refusal.
private struct OptionSetter {
  let curl: UnsafeMutableRawPointer
  private(set) var result = CURLE_OK

  init(curl: UnsafeMutableRawPointer) { self.curl = curl }

  mutating func note(_ code: CURLcode) { if result == CURLE_OK { result = code } }
  mutating func long(_ option: CURLoption, _ value: Int) { note(dragoman_curl_set_long(curl, option, value)) }
  mutating func offset(_ option: CURLoption, _ value: Int) {
    note(dragoman_curl_set_offset(curl, option, curl_off_t(value)))
  }
  mutating func string(_ option: CURLoption, _ value: String) {
    note(dragoman_curl_set_string(curl, option, value))
  }
  mutating func pointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
    note(dragoman_curl_set_pointer(curl, option, value))
  }
  mutating func list(_ option: CURLoption, _ value: UnsafeMutablePointer<curl_slist>?) {
    note(dragoman_curl_set_list(curl, option, value))
  }
  mutating func callback(_ option: CURLoption, _ value: @escaping dragoman_curl_data_callback) {
    note(dragoman_curl_set_data_callback(curl, option, value))
  }
}

extension Duration {
  /// At least 1, since libcurl takes 0 for no limit.
  fileprivate var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    return max(
      1,
      Int(clamping: seconds.multipliedReportingOverflow(by: 1000).partialValue)
        + Int(attoseconds / 1_000_000_000_000_000))
  }
}

extension TransportFailure {
  /// The one place where libcurl's codes are read.
  init(curlCode code: CURLcode, wasSent: Bool, detail: String) {
    let kind: Kind =
      switch code {
      case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_PROXY,
        CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_NOTFOUND,
        CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED:
        .connection
      case CURLE_OPERATION_TIMEDOUT: .timeout
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN:
        wasSent ? .badResponse : .unusable
      case CURLE_WEIRD_SERVER_REPLY, CURLE_PARTIAL_FILE, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
        .badResponse
      case CURLE_HTTP2_STREAM where detail.utf8.containsRefusedStream: .unprocessed
      default: .broken
      }
    self.init(kind: kind, wasSent: wasSent, detail: detail)
  }
}

extension String.UTF8View {
  fileprivate var containsRefusedStream: Bool {
    let needle = Array("REFUSED_STREAM".utf8)
    let bytes = Array(self)
    guard bytes.count >= needle.count else { return false }
    return (0...(bytes.count - needle.count)).contains {
      bytes[$0..<($0 + needle.count)].elementsEqual(needle)
    }
  }
}
