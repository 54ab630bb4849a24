internal import HTTPClient
internal import JSON

/// Trust and timeout of requests to token services, the same as for FCM.
package struct TokenRoute: Sendable {
  let caFile: String?
  let timeout: Duration

  package init(caFile: String?, timeout: Duration) {
    self.caFile = caFile
    self.timeout = timeout
  }

  func destination(_ url: String, method: Destination.Method = .post) -> Destination {
    Destination(url: url, method: method, caFile: caFile, timeout: timeout)
  }
}

/// The parts of a request that one step of a chain sends.
struct TokenMessage: Sendable {
  /// Whole header lines.
  let headers: [String]
  let body: [UInt8]

  /// A GET.
  init(headers: [String]) {
    self.headers = headers
    body = []
  }

  init(form: [(String, String)], headers: [String] = []) {
    self.headers = [FormBody.contentType] + headers
    body = FormBody.encoded(form)
  }

  init(json: JSON, headers: [String]) {
    self.headers = ["Content-Type: application/json"] + headers
    body = json.serialized
  }
}

/// One of the requests that lead to an access token.
struct TokenStep: Sendable {
  typealias Compose = @Sendable (_ previous: String, _ now: Int64) throws(TokenError) -> TokenMessage
  typealias Read = @Sendable (TransportResponse, _ now: Int64) -> Result<TokenGrant, TokenError>

  /// The service, as the beginning of an error: `the token endpoint`.
  let peer: String
  let destination: Destination
  /// Composes the request from the token of the previous step, empty for the first; `now` is in UNIX seconds.
  /// May sign and read files, so it must not run on the transport's thread.
  let compose: Compose
  let read: Read

  /// Without `read`, the response is read as an OAuth response.
  init(peer: String, destination: Destination, read: Read? = nil, compose: @escaping Compose) {
    self.peer = peer
    self.destination = destination
    self.compose = compose
    self.read = read ?? { TokenAnswer.read($0, from: peer, now: $1) }
  }
}
