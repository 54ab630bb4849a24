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

  package let code: Code
  /// Whether any of the request's body was sent: if so, the peer may have acted on it.
  package let wasSent: Bool
  /// The library's error message. Never holds anything of the request or the response.
  package let detail: String

  package init(code: Code, wasSent: Bool, detail: String) {
    self.code = code
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
  package var mayBeResent: Bool { code == .unprocessed }
}
