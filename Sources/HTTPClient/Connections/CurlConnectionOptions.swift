internal import CCurl
internal import Foundation
internal import Glibc

/// The options of every connection that libcurl makes: URL, proxy, trust, refused addresses and timeouts.
///
/// Not `Sendable`: one thread at a time uses it and its handle. libcurl holds this object's address while the
/// handle lives.
final class CurlConnectionOptions {
  private let curl: UnsafeMutableRawPointer
  private let isTLS: Bool
  private let addresses: AddressPolicy
  private let socketPath: String?
  private let url: String
  /// The name that is looked up; nil if a proxy does that, or if there is nothing to look up.
  private let lookedUpHost: String?
  /// libcurl reads it while the handle has it.
  private var resolved: CurlList?
  private let errorText: UnsafeMutablePointer<CChar>
  /// Whether an address was refused because of the policy.
  private var hasRefusedAddress = false

  /// Sets up `curl`; `result` is the first refusal.
  init(_ curl: UnsafeMutableRawPointer, destination: Destination, result: inout CURLcode) {
    (self.curl, isTLS) = (curl, destination.isTLS)
    (addresses, socketPath) = (destination.addresses, destination.socketPath)
    url = destination.url
    let isDirect = !Self.hasProxy || !destination.mayUseProxy
    lookedUpHost = destination.isTLS && isDirect ? EndpointURL.hostName(destination.url) : nil
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    var options = CurlOptionSetter(curl: curl)
    options.string(CURLOPT_URL, destination.url)
    options.string(CURLOPT_PROTOCOLS_STR, "http,https")
    options.long(CURLOPT_FOLLOWLOCATION, 0)
    options.long(CURLOPT_NOSIGNAL, 1)
    // Set explicitly, so that no default of a libcurl build can switch it off.
    options.long(CURLOPT_SSL_VERIFYPEER, 1)
    options.long(CURLOPT_SSL_VERIFYHOST, 2)
    options.long(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let caFile = destination.caFile { options.string(CURLOPT_CAINFO, caFile) }
    if let identity = destination.identity {
      options.string(CURLOPT_SSLCERT, identity.certificateFile)
      options.string(CURLOPT_SSLKEY, identity.keyFile)
      // Otherwise, OpenSSL would ask the terminal for the passphrase of an encrypted key.
      options.string(CURLOPT_KEYPASSWD, "")
    }
    if let path = socketPath { options.string(CURLOPT_UNIX_SOCKET_PATH, path) }
    // Emulators and metadata servers are near; no proxy is needed to reach them.
    if !isTLS || !destination.mayUseProxy { options.string(CURLOPT_PROXY, "") }
    options.long(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    options.long(CURLOPT_TCP_KEEPALIVE, 1)
    options.long(CURLOPT_TCP_KEEPIDLE, 10)
    options.long(CURLOPT_TCP_KEEPINTVL, 5)
    options.long(CURLOPT_CONNECTTIMEOUT_MS, destination.connectTimeout.curlMilliseconds)
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

  private static let hasProxy = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].contains {
    ProcessInfo.processInfo.environment[$0]?.isEmpty == false
  }

  /// Looks up the host's addresses for libcurl, whose own lookup ends with the request. Blocks, `timeout` at
  /// most; why there is no address.
  func lookUp(within timeout: Duration) -> TransportError? {
    guard let host = lookedUpHost else { return nil }
    switch HostLookup.shared.addresses(of: host, within: timeout) {
    case .success(let addresses):
      use(addresses, of: host)
      return nil
    case .failure(let error):
      return TransportError(
        code: .connection, wasSent: false, detail: "\(host) has no address: \(error.reason)", phase: .lookup)
    }
  }

  /// Uses the addresses that are known of the host, if any. Does not block.
  func useKnownAddresses() {
    guard let host = lookedUpHost else { return }
    use(HostLookup.shared.known(host), of: host)
  }

  private func use(_ addresses: [String], of host: String) {
    let port = EndpointURL.port(url)
    guard let entry = HostLookup.curlEntry(host: host, port: port, addresses) else { return }
    let list = CurlList([entry])
    var options = CurlOptionSetter(curl: curl)
    options.list(CURLOPT_RESOLVE, list.first)
    resolved = list
  }

  /// Clears the last failure; called before each request.
  func forgetFailure() {
    errorText[0] = 0
    hasRefusedAddress = false
  }

  /// libcurl's message about the last failure. It would quote a proxy's URL that it cannot use, password and
  /// all: "Unsupported proxy syntax in 'http://user:password@host'".
  var errorMessage: String {
    let message = String(cString: errorText)
    guard message.hasPrefix("Unsupported proxy") else { return message }
    return "the proxy's URL in HTTPS_PROXY or ALL_PROXY cannot be used; percent-encode the password in it"
  }

  /// The error that `code` stands for.
  func failure(_ code: CURLcode, wasSent: Bool) -> TransportError {
    if code == CURLE_COULDNT_CONNECT, hasRefusedAddress {
      return TransportError(
        code: .forbiddenAddress, wasSent: false, detail: "the host's address is not public")
    }
    var proxyStatus = 0
    if dragoman_curl_get_long(curl, CURLINFO_HTTP_CONNECTCODE, &proxyStatus) == CURLE_OK, proxyStatus >= 300 {
      return TransportError(
        code: .connection, wasSent: false, detail: "the proxy refuses to connect: HTTP \(proxyStatus)",
        phase: .proxy, proxyStatus: proxyStatus)
    }
    // libcurl's message names the URL's host, to which nobody tried to connect.
    if code == CURLE_COULDNT_CONNECT, let socketPath {
      return TransportError(
        curlCode: code, wasSent: false, detail: "nothing listens on the socket \(socketPath)")
    }
    let detail = errorMessage.isEmpty ? String(cString: curl_easy_strerror(code)) : errorMessage
    return TransportError(
      curlCode: code, wasSent: wasSent, detail: detail, phase: wasSent ? nil : phase(of: code))
  }

  /// The phase in which a request failed of which nothing was sent.
  private func phase(of code: CURLcode) -> TransportError.Phase? {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST: .lookup
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: .proxy
    case CURLE_COULDNT_CONNECT: .connect
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_ISSUER_ERROR, CURLE_PEER_FAILED_VERIFICATION:
      .tls
    case CURLE_OPERATION_TIMEDOUT, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
      if !isDone(CURLINFO_NAMELOOKUP_TIME_T) {
        .lookup
      } else if !isDone(CURLINFO_CONNECT_TIME_T) {
        .connect
      } else if isTLS, !isDone(CURLINFO_APPCONNECT_TIME_T) {
        .tls
      } else {
        .send
      }
    default: nil
    }
  }

  /// Whether the transfer has gone past the step whose time `info` is.
  private func isDone(_ info: CURLINFO) -> Bool {
    var microseconds: curl_off_t = 0
    return dragoman_curl_get_offset(curl, info, &microseconds) == CURLE_OK && microseconds > 0
  }

  /// Called with each address that libcurl is about to connect to, so that no name server's answer can bypass
  /// the policy after it was checked.
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
