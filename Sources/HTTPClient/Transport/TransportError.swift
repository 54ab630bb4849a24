/// Why a request got no response.
package struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// The host did not resolve, or no connection could be made.
    case connection
    /// The peer's certificate is not trusted, or names another host.
    case untrusted
    /// The host resolves to addresses that the destination's policy excludes; none was connected to.
    case forbiddenAddress
    case timeout
    /// The connection broke.
    case broken
    /// The peer's HTTP/2 reported that it did not process the request (RFC 9113 §8.7), or no byte of it was
    /// sent.
    case unprocessed
    /// The peer ended the connection in order (GOAWAY with NO_ERROR, RFC 9113 §6.8), and did not process the
    /// request.
    case goingAway
    /// The response was not HTTP, or incomplete.
    case badResponse
    /// The URL or an option cannot be used.
    case unusable
    case shuttingDown
    /// The caller withdrew the request before any of it was sent.
    case withdrawn
    /// For as long as the request might wait, others used all that the peer carries at once: nothing of it
    /// was sent, and nothing is wrong with the peer.
    case busy
  }

  /// How far a request came.
  package enum Phase: String, Sendable, CaseIterable {
    /// The name servers were asked for the host's addresses.
    case lookup
    /// A TCP connection was being made.
    case connect
    /// A proxy was asked to connect.
    case proxy
    /// The TLS handshake was under way, or the certificate was verified.
    case tls
    /// The connection was there, and none or only a part of the request had left.
    case send
    /// The request had left, or was answered.
    case answer
  }

  package let code: Code
  package let phase: Phase
  /// The status of a proxy's answer that refuses to connect; nil for anything else.
  package let proxyStatus: Int?
  /// Whether any of the request's body was sent: if so, the peer may have acted on it.
  package let wasSent: Bool
  /// The library's error message. Never holds anything of the request or the response.
  package let detail: String

  /// Without a `phase`, the one in which such an error usually happens.
  package init(
    code: Code, wasSent: Bool, detail: String, phase: Phase? = nil, proxyStatus: Int? = nil
  ) {
    self.code = code
    self.phase = phase ?? (wasSent ? .answer : code.usualPhase)
    self.proxyStatus = proxyStatus
    self.wasSent = wasSent
    self.detail = detail
  }

  package static let shuttingDown = TransportError(
    code: .shuttingDown, wasSent: false, detail: "shutting down")

  /// The caller withdrew the request.
  package static let withdrawn = TransportError(code: .withdrawn, wasSent: false, detail: "withdrawn")

  /// Other requests used all connections and streams.
  static let busy = TransportError(
    code: .busy, wasSent: false, detail: "no connection or stream became free in time")

  /// The system has no thread left, which a limit on processes can cause. The next request tries again.
  static let noThread = TransportError(
    code: .connection, wasSent: false, detail: "no thread could be started")

  package var description: String { detail }

  /// Whether the peer did not process the request, so that sending it again cannot repeat anything.
  package var mayBeResent: Bool { code == .unprocessed || code == .goingAway }
}

extension TransportError.Code {
  /// The phase of a request of which nothing was sent.
  fileprivate var usualPhase: TransportError.Phase {
    switch self {
    case .connection, .forbiddenAddress, .timeout: .connect
    case .untrusted: .tls
    case .broken, .unprocessed, .goingAway, .unusable, .shuttingDown, .withdrawn, .busy: .send
    case .badResponse: .answer
    }
  }
}
