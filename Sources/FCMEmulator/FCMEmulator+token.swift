internal import HTTPServer
internal import JSON
internal import Synchronization
internal import Telemetry

/// An error answer of the token endpoint (RFC 6749 §5.2), which is not a `google.rpc.Status`.
struct OAuthError: Error, Equatable, CustomStringConvertible {
  /// The `error` of the answer.
  let code: String
  /// The `error_description` of the answer. Holds no value of the request.
  let description: String
  /// The HTTP status: 401 for an unknown client, otherwise 400.
  var status: Int { code == "invalid_client" ? 401 : 400 }

  init(_ code: String, _ description: String) {
    self.code = code
    self.description = description
  }
}

extension FCMEmulator {
  /// `POST /token`: the JWT-bearer and refresh-token grants of Google's token endpoint.
  func token(_ request: HTTPRequest) -> HTTPResponse {
    let response: HTTPResponse
    let label: String
    do {
      response = HTTPResponse(status: 200, json: try grant(request))
      label = "200"
    } catch {
      response = HTTPResponse(
        status: error.status,
        json: ["error": .string(error.code), "error_description": .string(error.description)])
      label = "\(error.status) \(error.code)"
    }
    state.withLock { $0.counters.countToken(label) }
    log.debug("token answered", ["answer": .string(label)])
    var final = response
    // RFC 6749 §5.1.
    final.headers["Cache-Control"] = "no-store"
    return final
  }

  private func grant(_ request: HTTPRequest) throws(OAuthError) -> JSON {
    let form = try parameters(of: request.body)
    guard let type = form["grant_type"] else {
      throw OAuthError("invalid_request", "Required parameter is missing: grant_type")
    }
    switch type {
    case "urn:ietf:params:oauth:grant-type:jwt-bearer": return try jwtBearerGrant(form, request.head)
    case "refresh_token": return try refreshTokenGrant(form)
    default: throw OAuthError("unsupported_grant_type", "Invalid grant_type")
    }
  }

  private func jwtBearerGrant(_ form: [String: String], _ head: HTTPRequestHead) throws(OAuthError) -> JSON {
    guard let text = form["assertion"], let assertion = TokenAssertion(text) else {
      throw OAuthError("invalid_request", "Bad Request")
    }
    let ownURL = "http://\(head.headers["Host"] ?? "")/token"
    if let refusal = assertion.refusal(now: now(), ownURL: ownURL) { throw refusal }
    let known = ["openid", "email", "profile"]
    let isKnown = assertion.scopes.contains {
      $0.hasPrefix("https://www.googleapis.com/auth/") || known.contains(String($0))
    }
    // Google treats an unknown scope as the audience of an ID token.
    guard isKnown else { return ["id_token": "e30.e30.ZW11bGF0b3I"] }
    return accessToken(scopes: assertion.scopes)
  }

  private func refreshTokenGrant(_ form: [String: String]) throws(OAuthError) -> JSON {
    guard let client = form["client_id"], !client.isEmpty else {
      throw OAuthError("invalid_request", "Could not determine client ID from request.")
    }
    guard let secret = form["client_secret"], !secret.isEmpty else {
      throw OAuthError("invalid_request", "client_secret is missing.")
    }
    guard let token = form["refresh_token"], !token.isEmpty else {
      throw OAuthError("invalid_request", "Missing required parameter: refresh_token")
    }
    let scope = form["scope"] ?? "https://www.googleapis.com/auth/cloud-platform"
    guard case .object(var answer) = accessToken(scopes: scope.split(separator: " ")) else { return [:] }
    answer["scope"] = .string(scope)
    return .object(answer)
  }

  private func accessToken(scopes: [Substring]) -> JSON {
    let time = now()
    let token = state.withLock { $0.tokens.issue(scopes: scopes, now: time) }
    return [
      "access_token": .string(token), "expires_in": JSON(IssuedTokens.lifetimeSeconds),
      "token_type": "Bearer",
    ]
  }

  /// The parameters of a form; none may occur twice (RFC 6749 §3.2).
  private func parameters(of body: [UInt8]) throws(OAuthError) -> [String: String] {
    let text = String(decoding: body, as: UTF8.self)
    // A form has the same encoding as a query.
    guard let items = HTTPRequestHead(method: "POST", target: "/?\(text)").queryItems() else {
      throw OAuthError("invalid_request", "Bad Request")
    }
    var form: [String: String] = [:]
    for (name, value) in items {
      guard form.updateValue(value, forKey: name) == nil else {
        throw OAuthError("invalid_request", "Parameter given twice")
      }
    }
    return form
  }
}
