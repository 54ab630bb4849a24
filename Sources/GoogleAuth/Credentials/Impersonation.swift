internal import Clock
internal import HTTPClient
internal import JSON

/// A service account that other credentials may act as: `projects.serviceAccounts.generateAccessToken` of the
/// IAM Service Account Credentials API.
struct Impersonation: Sendable, CustomStringConvertible {
  let url: String
  /// Service accounts between the caller and this one, each of which may act as the next.
  let delegates: [String]
  let lifetimeSeconds: Int64

  /// The API's default, and its maximum unless an organization's policy allows more.
  static let lifetimeSecondsDefault: Int64 = 3600
  /// AIP-4117's bounds for `token_lifetime_seconds`.
  static let lifetimeSeconds: ClosedRange<Int64> = 600...43_200
  private static let method = ":generateAccessToken"

  /// Reads `service_account_impersonation_url` and the fields that belong to it.
  init?(_ fields: CredentialsFields) {
    let options = fields.object("service_account_impersonation")
    let lifetime = options?.seconds("token_lifetime_seconds", in: Self.lifetimeSeconds)
    delegates = fields.texts("delegates").map(Self.resourceName)
    lifetimeSeconds = lifetime ?? Self.lifetimeSecondsDefault
    guard let url = fields.secretEndpoint("service_account_impersonation_url") else { return nil }
    guard url.utf8.suffix(Self.method.utf8.count).elementsEqual(Self.method.utf8) else {
      fields.note("service_account_impersonation_url", "does not end in \(Self.method)")
      return nil
    }
    self.url = url
  }

  /// The account's e-mail address, as the URL holds it.
  var description: String {
    let path = url.utf8.dropLast(Self.method.utf8.count)
    let start = path.lastIndex(of: UInt8(ascii: "/")).map(path.index(after:)) ?? path.startIndex
    return "service account " + String(decoding: path[start...], as: UTF8.self)
  }

  /// The API takes resource names; `gcloud` writes bare e-mail addresses into its file.
  private static func resourceName(_ account: String) -> String {
    account.utf8.starts(with: "projects/".utf8) ? account : "projects/-/serviceAccounts/\(account)"
  }

  /// The request for a token of this account, with the caller's token and its quota project `quotaProjectID`.
  func step(scope: String, quotaProjectID: String?, route: TokenRoute) -> TokenStep {
    let peer = "impersonation of \(description)"
    return TokenStep(
      peer: peer, destination: route.destination(url),
      read: { response, now in read(response, from: peer, now: now) },
      compose: { previous, _ in
        var body = JSON.Object([
          ("scope", .array([.string(scope)])), ("lifetime", .string("\(lifetimeSeconds)s")),
        ])
        if !delegates.isEmpty { body["delegates"] = .array(delegates.map(JSON.string)) }
        var headers = ["Authorization: Bearer \(previous)"]
        if let quotaProjectID { headers.append(AccessToken.quotaHeader(quotaProjectID)) }
        return TokenMessage(json: .object(body), headers: headers)
      })
  }

  private func read(
    _ response: TransportResponse, from peer: String, now: Int64
  ) -> Result<TokenGrant, TokenError> {
    guard response.status == 200 else {
      return .failure(TokenAnswer.refusal(response, from: peer, now: now))
    }
    guard let json = TokenAnswer.json(response.wholeBody) else {
      return .failure(TokenAnswer.unreadable(response, from: peer))
    }
    guard let value = json["accessToken"]?.string, !value.isEmpty else {
      return .failure(.permanent("\(peer) answered without an accessToken", status: 200))
    }
    let left = json["expireTime"]?.string.flatMap(Self.unixSeconds).map { $0 - now }
    // Measured by the local clock, which may be wrong, so never longer than requested.
    let lifetime = min(max(left ?? Int64(TokenAnswer.assumedLifetimeSeconds), 0), lifetimeSeconds)
    return TokenAnswer.grant(value, lifetimeSeconds: Int(lifetime), from: peer)
  }

  /// A `google.protobuf.Timestamp` in JSON: RFC 3339 in UTC, with a fraction or without.
  static func unixSeconds(_ timestamp: String) -> Int64? {
    guard timestamp.utf8.count <= 40, timestamp.utf8.last == UInt8(ascii: "Z") else { return nil }
    return Timestamp(rfc3339: timestamp)?.unixSeconds
  }
}

/// A service account that other credentials act as (`impersonated_service_account`), as
/// `gcloud auth application-default login --impersonate-service-account` writes it.
package struct ImpersonatedServiceAccount: Sendable, CustomStringConvertible {
  let source: Credentials
  let target: Impersonation

  package var description: String { "\(target) impersonated by \(source)" }

  init?(_ fields: CredentialsFields) {
    if !fields.has("service_account_impersonation_url") {
      fields.note("service_account_impersonation_url", "is missing")
    }
    let isNamed = fields.has("service_account_impersonation_url")
    let target = isNamed ? Impersonation(fields) : nil
    if !fields.has("source_credentials") { fields.note("source_credentials", "is missing") }
    let source = fields.object("source_credentials").flatMap { Credentials($0, isSource: true) }
    guard let source, let target else { return nil }
    self.source = source
    self.target = target
  }

  func steps(scope: String, route: TokenRoute) -> [TokenStep] {
    source.steps(scope: OAuthScope.iam, route: route)
      + [target.step(scope: scope, quotaProjectID: source.quotaProjectID, route: route)]
  }
}
