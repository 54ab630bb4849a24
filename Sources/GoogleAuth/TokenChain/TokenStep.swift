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
  /// What the request holds that no error may quote.
  let secrets: [String]

  /// A GET.
  init(headers: [String]) {
    self.init(headers: headers, body: [], secrets: headers)
  }

  init(form: [(String, String)], headers: [String] = []) {
    let values = form.filter { Self.secretFields.contains($0.0) }.map(\.1)
    let secrets = values + values.map { FormBody.encoded($0) }
    self.init(
      headers: [FormBody.contentType] + headers, body: FormBody.encoded(form), secrets: secrets + headers)
  }

  init(json: JSON, headers: [String]) {
    self.init(
      headers: ["Content-Type: application/json"] + headers, body: json.serialized, secrets: headers)
  }

  private init(headers: [String], body: [UInt8], secrets: [String]) {
    self.headers = headers
    self.body = body
    self.secrets = secrets
  }

  private static let secretFields = [
    "assertion", "client_secret", "refresh_token", "subject_token", "actor_token",
  ]
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
