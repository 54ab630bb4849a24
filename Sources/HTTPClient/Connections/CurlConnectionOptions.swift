internal import CCurl
internal import Clock
internal import Glibc

/// What holds for every connection that libcurl makes: where to, over which proxy, whom to trust, which addresses to
/// refuse, how long to try.
///
/// Not `Sendable`: one thread at a time touches it and its handle. libcurl holds this object's address while the
/// handle lives.
final class CurlConnectionOptions {
  private let addresses: AddressPolicy
  private let errorText: UnsafeMutablePointer<CChar>
  /// Whether an address was refused because of the policy.
  private var hasRefusedAddress = false

  /// Sets up `curl`. What libcurl refused first is in `result`.
  init(_ curl: UnsafeMutableRawPointer, destination: Destination, result: inout CURLcode) {
    addresses = destination.addresses
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    var options = CurlOptionSetter(curl: curl)
    let isTLS = destination.isTLS
    options.string(CURLOPT_URL, destination.url)
    options.string(CURLOPT_PROTOCOLS_STR, "http,https")
    options.long(CURLOPT_FOLLOWLOCATION, 0)
    options.long(CURLOPT_NOSIGNAL, 1)
    // Said outright, so that no default of a libcurl build can switch it off.
    options.long(CURLOPT_SSL_VERIFYPEER, 1)
    options.long(CURLOPT_SSL_VERIFYHOST, 2)
    options.long(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let caFile = destination.caFile { options.string(CURLOPT_CAINFO, caFile) }
    // An emulator or metadata server is near; a proxy for the outside is not asked for it.
    if !isTLS || !destination.mayUseProxy { options.string(CURLOPT_PROXY, "") }
    options.long(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    options.long(CURLOPT_TCP_KEEPALIVE, 1)
    options.long(CURLOPT_TCP_KEEPIDLE, 10)
    options.long(CURLOPT_TCP_KEEPINTVL, 5)
    options.long(CURLOPT_CONNECTTIMEOUT_MS, destination.connectTimeout.wholeMilliseconds)
    options.string(CURLOPT_USERAGENT, Destination.userAgent)
    options.pointer(CURLOPT_ERRORBUFFER, errorText)
    if addresses == .publicOnly {
      options.pointer(CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque())
      options.note(
        dragoman_curl_set_open_socket(curl) { context, _, address in
          guard let context else { return CURL_SOCKET_BAD }
          return Unmanaged<CurlConnectionOptions>.fromOpaque(context).takeUnretainedValue()
            .openSocket(to: address)
        })
    }
    options.note(dragoman_curl_bound_unacknowledged(curl))
    result = options.result
  }

  deinit { errorText.deallocate() }

  /// To be called before each request.
  func forgetFailure() {
    errorText[0] = 0
    hasRefusedAddress = false
  }

  /// What libcurl says of the last failure.
  var words: String { String(cString: errorText) }

  /// What `code` means for a request.
  func failure(_ code: CURLcode, wasSent: Bool) -> TransportError {
    if code == CURLE_COULDNT_CONNECT, hasRefusedAddress {
      return TransportError(
        code: .forbiddenAddress, wasSent: false, detail: "the host's address is not a public one")
    }
    let detail = words.isEmpty ? String(cString: curl_easy_strerror(code)) : words
    return TransportError(curlCode: code, wasSent: wasSent, detail: detail)
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
}

/// Sets options and keeps the first refusal.
struct CurlOptionSetter {
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
  var wholeMilliseconds: Int {
    let (seconds, attoseconds) = components
    return max(
      1,
      Int(clamping: seconds.multipliedReportingOverflow(by: 1000).partialValue)
        + Int(attoseconds / 1_000_000_000_000_000))
  }
}

extension TransportError {
  /// The one place where libcurl's codes are read.
  init(curlCode code: CURLcode, wasSent: Bool, detail: String) {
    let meaning: Code =
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
      default: .broken
      }
    self.init(code: meaning, wasSent: wasSent, detail: detail)
  }
}
