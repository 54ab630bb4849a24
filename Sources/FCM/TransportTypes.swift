/// Where requests of one kind go, and how: everything that is the same for all of them.
package final class Destination: Sendable {
  package enum Method: Sendable { case get, post }

  static let userAgent = "dragoman"

  package let url: String
  package let method: Method
  package let caFile: String?
  package let timeout: Duration
  package let connectTimeout: Duration
  /// Which addresses the URL's host may lead to.
  package let addresses: AddressPolicy
  /// Whether a proxy of the environment may stand between; an `http` URL never has one.
  package let mayUseProxy: Bool
  let isTLS: Bool
  /// With what else they share HTTP/2 connections; nil where that is not spoken, without TLS.
  let origin: Origin?
  /// What begins each of their requests over HTTP/2 (RFC 9113 §8.3.1).
  let http2Fields: HeaderList

  package init(
    url: String, method: Method = .post, caFile: String? = nil, timeout: Duration = .seconds(10),
    addresses: AddressPolicy = .any, mayUseProxy: Bool = true
  ) {
    self.url = url
    self.method = method
    self.caFile = caFile
    self.timeout = timeout
    self.addresses = addresses
    self.mayUseProxy = mayUseProxy
    isTLS = EndpointURL.isTLS(url)
    connectTimeout = min(timeout, .seconds(5))
    let (authority, path) = EndpointURL.authorityAndPath(url)
    origin =
      isTLS
      ? Origin(authority: authority, caFile: caFile, addresses: addresses, mayUseProxy: mayUseProxy) : nil
    http2Fields = HeaderList([
      ":method: \(method == .get ? "GET" : "POST")", ":scheme: https", ":authority: \(authority)",
      ":path: \(path)", "User-Agent: \(Self.userAgent)", "Accept: */*",
    ])
  }
}

/// What requests have in common that may go over one HTTP/2 connection.
struct Origin: Hashable {
  let authority: String
  let caFile: String?
  let addresses: AddressPolicy
  let mayUseProxy: Bool
}

/// One request; of a GET, the body is not sent.
package struct TransportRequest: Sendable {
  package let destination: Destination
  package let headers: HeaderList
  package let body: [UInt8]
  /// Called exactly once, on the transport's thread or, where that has ended, on a queue. Must not block.
  package let completion: @Sendable (Result<TransportResponse, TransportFailure>) -> Void

  package init(
    destination: Destination, headers: HeaderList, body: [UInt8],
    completion: @escaping @Sendable (Result<TransportResponse, TransportFailure>) -> Void
  ) {
    self.destination = destination
    self.headers = headers
    self.body = body
    self.completion = completion
  }
}

/// A peer's answer, as much of it as is of use.
package struct TransportResponse: Sendable, Equatable {
  package let status: Int
  package let retryAfter: String?
  package let body: [UInt8]
  /// Whether the answer was longer than is read.
  package let isBodyCut: Bool
}

/// Why a request got no answer.
package struct TransportFailure: Error, Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    /// No address, no connection, or no TLS that can be trusted.
    case connection
    /// The host leads to addresses that the destination's policy excludes; none was connected to.
    case forbiddenAddress
    case timeout
    /// The connection broke.
    case broken
    /// The peer's HTTP/2 said that it did nothing with the request (RFC 9113 §8.7), or nothing of it had left.
    case unprocessed
    /// What came was no HTTP, or not all of it.
    case badResponse
    /// The address or an option cannot be used.
    case unusable
    case shuttingDown
  }

  package let kind: Kind
  /// Whether any of the request's body had left: then the peer may have acted on it.
  package let wasSent: Bool
  /// What the connection's libraries say. Never holds anything of the request or the answer.
  package let detail: String

  package init(kind: Kind, wasSent: Bool, detail: String) {
    self.kind = kind
    self.wasSent = wasSent
    self.detail = detail
  }
}

extension TransportFailure {
  /// Whether the peer did nothing with the request and is no worse for it.
  var mayBeResent: Bool { kind == .unprocessed }

  /// What the failure means for the message that was being sent.
  package var sendFailure: SendFailure {
    let disposition: SendFailure.Disposition = wasSent ? .retryOutcomeUnknown : .retry
    return switch kind {
    case .timeout: failure(.timeout, disposition, .service)
    case .badResponse: failure(.badResponse, disposition, .service)
    case .connection, .forbiddenAddress, .unprocessed: failure(.network, .retry, .service)
    case .broken, .shuttingDown: failure(.network, disposition, .service)
    case .unusable: failure(.network, .permanent, .configuration)
    }
  }

  private func failure(
    _ code: SendFailure.Code, _ disposition: SendFailure.Disposition, _ scope: SendFailure.Scope
  ) -> SendFailure {
    SendFailure(
      code: code, message: FailureMessage.cleaned(detail), disposition: disposition, scope: scope)
  }
}

/// The bounds of one transport.
package struct TransportLimits: Sendable {
  /// Connections to one host and port. Each carries up to `concurrentStreamsMax` requests over HTTP/2, one over
  /// HTTP/1.1.
  package var hostConnectionsMax = 32
  package var totalConnectionsMax = 512
  package var concurrentStreamsMax = 100
  /// Bytes of an answer's body that are read; FCM's have some hundred.
  package var bodyBytesMax = 65_536
  /// Bytes of an answer's headers.
  package var headerBytesMax = 65_536
  /// Easy handles kept for a destination's next requests over HTTP/1.1.
  package var idleHandlesMax = 1024
  /// After this long a connection is not used for new requests, so that a changed address is noticed.
  package var connectionLifetime: Duration = .seconds(600)

  package init() {}
}

/// What a transport has done since it began.
package struct TransportStatistics: Sendable, Equatable {
  package var answers = 0
  package var failures = 0
  /// Answers that came over HTTP/2.
  package var http2Answers = 0
  package var connectionsOpened = 0

  package init() {}
}
