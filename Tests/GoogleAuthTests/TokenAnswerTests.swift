import HTTPClient
import JSON
import Testing

@testable import GoogleAuth

@Suite struct TokenAnswerTests {
  private func read(
    _ status: Int, _ body: String, retryAfter: String? = nil
  ) -> Result<TokenGrant, TokenError> {
    TokenAnswer.read(
      TransportResponse(
        status: status, fields: .init(retryAfter: retryAfter), body: Array(body.utf8)),
      from: "the token endpoint",
      now: 1_700_000_000)
  }

  private func refusal(_ status: Int, _ body: String, retryAfter: String? = nil) throws -> TokenError {
    guard case .failure(let refusal) = read(status, body, retryAfter: retryAfter) else {
      Issue.record("a grant")
      return .permanent("")
    }
    return refusal
  }

  @Test(arguments: [
    "3599": 3599, "\"3599\"": 3599, "3599.9": 3599, "0": 0, "-1": 0, "1e99": 86_400, "null": 300,
    "\"x\"": 300,
    "\"nan\"": 300,
  ])
  func readsALifetimeAsNumberOrText(_ json: String, _ seconds: Int) {
    let answer = #"{"access_token":"ya29.a","expires_in":\#(json),"token_type":"Bearer"}"#
    #expect(read(200, answer) == .success(TokenGrant(value: "ya29.a", lifetimeSeconds: seconds)))
  }

  @Test(arguments: [
    "invalid_grant": "Invalid JWT Signature.", "invalid_request": "Bad Request",
    "invalid_scope": "Invalid OAuth scope or ID token audience provided.",
    "invalid_client": "The OAuth client was not found.", "disabled_client": "x",
  ])
  func refusalOfCredentialsIsAPermanentError(_ name: String, _ description: String) throws {
    let refusal = try refusal(400, #"{"error":"\#(name)","error_description":"\#(description)"}"#)
    #expect(!refusal.isTransient)
    #expect(refusal.code == .refused)
    #expect(refusal.message == "the token endpoint answered HTTP 400: \(name): \(description)")
  }

  @Test(arguments: [408, 429, 500, 502, 503, 504])
  func faultOfTheTokenEndpointIsATransientError(_ status: Int) throws {
    let refusal = try refusal(status, "<html>", retryAfter: "7")
    #expect(refusal.isTransient)
    #expect(refusal.code == .unavailable)
    #expect(refusal.retryAfterSeconds == 7)
  }

  /// A login page, a proxy or a web filter knows nothing of the credentials.
  @Test(arguments: [302, 400, 401, 403, 404, 407])
  func aPageOfSomebodyElseRefusesNoCredentials(_ status: Int) throws {
    let refusal = try refusal(status, "<html><b>Log in</b></html>")
    #expect(refusal.isTransient)
    #expect(refusal.end.peer == (status == 407 ? .proxy : .unknown))
    #expect(
      refusal.message == "something other than the token endpoint answered: HTTP \(status): Log in")
  }

  @Test(arguments: ["access_token=ya29.secret", #"{"access_token":"ya29.secret"#])
  func quotesNoGrantThatItCannotRead(_ body: String) throws {
    #expect(try !refusal(200, body).message.contains("ya29"))
  }

  @Test(arguments: ["internal_failure", "server_error", "temporarily_unavailable"])
  func someCodesAreTransientWithAnyStatus(_ word: String) throws {
    #expect(try refusal(400, #"{"error":"\#(word)"}"#).isTransient)
    #expect(try refusal(400, #"{"error":"x","error_description":"\#(word)"}"#).isTransient)
  }

  @Test func quotesTheMessageOfAGoogleError() throws {
    let body = #"{"error":{"code":403,"message":"Permission denied on x","status":"PERMISSION_DENIED"}}"#
    let refusal = try refusal(403, body)
    #expect(!refusal.isTransient)
    #expect(
      refusal.message
        == "the token endpoint answered HTTP 403: PERMISSION_DENIED: Permission denied on x")
  }

  @Test func adoptsARotatedRefreshToken() {
    let answer = read(200, #"{"access_token":"a","expires_in":9,"refresh_token":"next"}"#)
    #expect(answer == .success(TokenGrant(value: "a", lifetimeSeconds: 9, refreshToken: "next")))
  }

  @Test func idTokenAloneIsNoAccessToken() throws {
    let refusal = try refusal(200, #"{"id_token":"a.b.c"}"#)
    #expect(!refusal.isTransient)
    #expect(refusal.message.contains("id_token"))
  }

  @Test(arguments: ["a\\r\\nX-Evil: 1", "a b", "é", "\\u0000"])
  func rejectsATokenThatWouldBreakTheHeader(_ value: String) throws {
    #expect(try !refusal(200, #"{"access_token":"\#(value)","expires_in":1}"#).isTransient)
  }

  @Test(arguments: ["", "<html>", #"{"access_token":"#])
  func unreadableGrantIsATransientError(_ body: String) throws {
    #expect(try refusal(200, body).isTransient)
  }
}
