internal import JSON

/// Workload identity federation: a token of another identity provider, exchanged for one of Google's
/// (`external_account`, AIP-4117), with impersonation of a service account if the file requests it.
///
/// As in Google's own libraries, which dropped their lists of hosts, any URL that is safe for secrets is
/// allowed: regional and private endpoints have many names. The author of the file decides where tokens go.
package struct ExternalAccount: Sendable, CustomStringConvertible {
  let audience: String
  let subjectTokenType: String
  let tokenURL: String
  let source: SubjectTokenSource
  let impersonation: Impersonation?
  let clientID: String?
  let clientSecret: Secret
  /// The project whose quota a workforce user's exchange counts against.
  let userProject: String?

  static let googleTokenURL = "https://sts.googleapis.com/v1/token"

  package var description: String {
    "workload identity federation" + (impersonation.map { " as \($0.description)" } ?? "")
  }

  init?(_ fields: CredentialsFields) {
    let audience = fields.required("audience")
    let subjectTokenType = fields.required("subject_token_type")
    let tokenURL = fields.secretEndpoint("token_url", or: Self.googleTokenURL)
    if !fields.has("credential_source") { fields.note("credential_source", "is missing") }
    let source = fields.object("credential_source").flatMap(SubjectTokenSource.init)
    let isImpersonating = fields.has("service_account_impersonation_url")
    impersonation = isImpersonating ? Impersonation(fields) : nil
    clientID = fields.optional("client_id")
    clientSecret = Secret(fields.optional("client_secret") ?? "")
    userProject = fields.optional("workforce_pool_user_project")
    if userProject != nil, let audience, !Self.isWorkforcePool(audience) {
      fields.note("workforce_pool_user_project", "is for workforce pools; \"audience\" names none")
    }
    guard let audience, let subjectTokenType, let tokenURL, let source else { return nil }
    self.audience = audience
    self.subjectTokenType = subjectTokenType
    self.tokenURL = tokenURL
    self.source = source
  }

  /// `//iam.googleapis.com/locations/LOCATION/workforcePools/…`, unlike a workload's `…/projects/…`.
  private static func isWorkforcePool(_ audience: String) -> Bool {
    let parts = audience.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count > 6, parts[0].isEmpty, parts[1].isEmpty else { return false }
    return parts[2].elementsEqual("iam.googleapis.com".utf8) && parts[3].elementsEqual("locations".utf8)
      && parts[5].elementsEqual("workforcePools".utf8)
  }

  func steps(scope: String, quotaProjectID: String?, route: TokenRoute) -> [TokenStep] {
    let exchange = exchange(scope: impersonation == nil ? scope : OAuthScope.iam, route: route)
    let steps = [source.step(route: route), exchange].compactMap { $0 }
    guard let impersonation else { return steps }
    return steps + [impersonation.step(scope: scope, quotaProjectID: quotaProjectID, route: route)]
  }

  /// The token exchange (RFC 8693 §2.1).
  private func exchange(scope: String, route: TokenRoute) -> TokenStep {
    TokenStep(peer: "the token exchange", destination: route.destination(tokenURL)) {
      previous, _ throws(TokenError) in
      let subjectToken = try source.fileToken() ?? previous
      var form = [
        ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("audience", audience),
        ("scope", scope), ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
        ("subject_token", subjectToken), ("subject_token_type", subjectTokenType),
      ]
      var headers: [String] = []
      if let clientID {
        headers.append(BasicAuthentication.header(clientID, clientSecret.value))
      } else if let userProject {
        // A client's id already determines the project.
        let options: JSON = ["userProject": .string(userProject)]
        form.append(("options", String(decoding: options.serialized, as: UTF8.self)))
      }
      return TokenMessage(form: form, headers: headers)
    }
  }
}
