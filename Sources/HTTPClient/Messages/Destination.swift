internal import Synchronization

/// A URL and everything else that all requests to it share: method, trust, timeouts and address policy.
package final class Destination: Sendable {
  package enum Method: Sendable {
    case get, post, delete

    /// Its name in a request (RFC 9110 §9.1).
    var name: String {
      switch self {
      case .get: "GET"
      case .post: "POST"
      case .delete: "DELETE"
      }
    }
  }

  static let userAgent = "dragoman"

  package let url: String
  package let method: Method
  /// A file of certificates to trust instead of the system's; nil for the system's.
  package let caFile: String?
  /// What the client shows to a peer that asks who it is.
  package let identity: ClientIdentity?
  /// The path of the unix-domain socket to connect to in place of the URL's host, for `http` URLs.
  package let socketPath: String?
  package let timeout: Duration
  package let connectTimeout: Duration
  /// Which addresses the URL's host may resolve to.
  package let addresses: AddressPolicy
  /// Whether requests may go through a proxy that the environment names; requests to `http` URLs never do.
  package let mayUseProxy: Bool
  package let isTLS: Bool
  /// What requests have in common that share the limit on HTTP/1.1 connections.
  let host: String
  /// The key of the HTTP/2 connections that requests share; nil without TLS, where HTTP/2 is not used.
  let origin: Origin?
  /// The fields that begin each request over HTTP/2 (RFC 9113 §8.3.1).
  let http2Fields: HeaderList
  /// 0 before it is known.
  private let knownConcurrency = Atomic<Int>(0)

  package init(
    url: String, method: Method = .post, caFile: String? = nil, identity: ClientIdentity? = nil,
    socketPath: String? = nil,
    timeout: Duration = .seconds(10), addresses: AddressPolicy = .any, mayUseProxy: Bool = true
  ) {
    self.url = url
    self.method = method
    self.caFile = caFile
    self.identity = identity
    self.socketPath = socketPath
    self.timeout = timeout
    self.addresses = addresses
    self.mayUseProxy = mayUseProxy
    isTLS = EndpointURL.isTLS(url)
    connectTimeout = min(timeout, .seconds(5))
    let (authority, path) = EndpointURL.authorityAndPath(url)
    host = socketPath ?? authority
    origin =
      isTLS
      ? Origin(
        authority: authority, caFile: caFile, identity: identity, addresses: addresses,
        mayUseProxy: mayUseProxy) : nil
    http2Fields = HeaderList([
      ":method: \(method.name)", ":scheme: https", ":authority: \(authority)",
      ":path: \(path)", "User-Agent: \(Self.userAgent)", "Accept: */*",
    ])
  }

  /// How many of its requests can be under way at once, as far as the transport has found out; nil before the
  /// first was sent. Any thread.
  package var concurrencyMax: Int? {
    let known = knownConcurrency.load(ordering: .relaxed)
    return known > 0 ? known : nil
  }

  func note(concurrencyMax: Int) {
    guard knownConcurrency.load(ordering: .relaxed) != concurrencyMax else { return }
    knownConcurrency.store(concurrencyMax, ordering: .relaxed)
  }
}

/// A certificate of a client, with its chain, and the key that belongs to it: files in PEM, which can be one.
package struct ClientIdentity: Hashable, Sendable {
  package let certificateFile: String
  /// Not encrypted: nobody is asked for a passphrase.
  package let keyFile: String

  package init(certificateFile: String, keyFile: String) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}

/// What requests must have in common to share an HTTP/2 connection.
struct Origin: Hashable {
  let authority: String
  let caFile: String?
  let identity: ClientIdentity?
  let addresses: AddressPolicy
  let mayUseProxy: Bool
}
