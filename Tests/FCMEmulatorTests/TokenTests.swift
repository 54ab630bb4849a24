import Foundation
import HTTPServer
import JSON
import Testing

@Suite struct TokenTests {
  let fixture = Fixture()
  private let now = 1_700_000_000.0
  private static let scope = "https://www.googleapis.com/auth/firebase.messaging"

  private func base64URL(_ text: String) -> String {
    Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
      "=", with: "")
  }

  /// An assertion as Google's libraries make it; a change to nil removes a claim.
  private func assertion(
    header: String = #"{"typ":"JWT","alg":"RS256","kid":"k"}"#, signature: String = "c2ln",
    changes: KeyValuePairs<String, JSON?> = [:]
  ) -> String {
    var claims = JSON.Object([
      ("iss", "robot@p.iam.gserviceaccount.com"), ("iat", JSON(Int(now))), ("exp", JSON(Int(now) + 3600)),
      ("aud", "https://oauth2.googleapis.com/token"), ("scope", .string(Self.scope)),
    ])
    for (name, value) in changes { claims[name] = value }
    let payload = String(decoding: JSON.object(claims).serialized, as: UTF8.self)
    return "\(base64URL(header)).\(base64URL(payload)).\(signature)"
  }

  private func post(_ form: String) async throws -> Fixture.Answer {
    try #require(
      await fixture.call("POST", "/token", body: form, headers: ["Host": "127.0.0.1:8085"]))
  }

  private func grant(_ assertion: String) async throws -> Fixture.Answer {
    try await post("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)")
  }

  private func send(with token: String) async throws -> Fixture.Answer {
    try #require(
      await fixture.call(
        "POST", "/v1/projects/p/messages:send", body: #"{"message":{"token":"t"}}"#,
        headers: ["Authorization": "Bearer \(token)"]))
  }

  @Test func issuesATokenThatIsValidUntilItExpires() async throws {
    let answer = try await grant(assertion())
    #expect(answer.status == 200)
    #expect(answer.json["expires_in"] == 3599)
    #expect(answer.json["token_type"] == "Bearer")
    let token = try #require(answer.json["access_token"]?.string)
    #expect(token.hasPrefix("ya29."))
    #expect(try await send(with: token).status == 200)
    fixture.clock.advance(by: 3598)
    #expect(try await send(with: token).status == 200)
    fixture.clock.advance(by: 1)
    let expired = try await send(with: token)
    #expect(expired.status == 401)
    #expect(expired.detail("ErrorInfo")?["reason"] == "ACCESS_TOKEN_EXPIRED")
  }

  @Test func acceptsItsOwnURLAsTheAudience() async throws {
    #expect(try await grant(assertion(changes: ["aud": "http://127.0.0.1:8085/token"])).status == 200)
    #expect(try await grant(assertion(changes: ["aud": "http://127.0.0.1:8086/token"])).status == 400)
  }

  @Test func rejectsWhatIsNotAnAssertion() async throws {
    for text in ["", "a.b", "a.b.c", "e30.e30", "\(assertion()).x", "!.e30.c2ln", "W10.e30.c2ln"] {
      let answer = try await grant(text)
      #expect(answer.status == 400)
      #expect(answer.json == ["error": "invalid_request", "error_description": "Bad Request"], "\(text)")
    }
  }

  private func expectRefusal(_ assertion: String, _ error: String, _ description: String) async throws {
    let answer = try await grant(assertion)
    #expect(answer.status == 400)
    #expect(answer.json == ["error": .string(error), "error_description": .string(description)])
  }

  @Test func rejectsInGooglesWordsAndOrder() async throws {
    let unset: JSON? = nil
    let window =
      "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
      + "Check your iat and exp values in the JWT claim."
    try await expectRefusal(
      assertion(header: #"{"alg":"HS256"}"#, changes: ["iss": unset]), "invalid_grant",
      "Invalid JWT Signature.")
    try await expectRefusal(assertion(signature: ""), "invalid_grant", "Invalid JWT Signature.")
    try await expectRefusal(
      assertion(changes: ["iss": unset, "iat": unset]), "invalid_grant", "Invalid grant: account not found")
    try await expectRefusal(
      assertion(changes: ["iat": unset, "exp": unset]), "invalid_grant",
      "Invalid JWT: iat (issued at) is not set.")
    try await expectRefusal(
      assertion(changes: ["exp": unset, "scope": unset]), "invalid_grant",
      "Invalid JWT: exp (expiration time) is not set.")
    try await expectRefusal(
      assertion(changes: ["exp": JSON(Int(now) + 3601), "scope": unset]), "invalid_grant", window)
    try await expectRefusal(
      assertion(changes: ["iat": JSON(Int(now) - 7200), "exp": JSON(Int(now) - 3600)]), "invalid_grant",
      window)
    try await expectRefusal(
      assertion(changes: ["iat": JSON(Int(now) + 900), "exp": JSON(Int(now) + 4000)]), "invalid_grant", window
    )
    try await expectRefusal(
      assertion(changes: ["scope": "", "aud": "x"]), "invalid_scope",
      "Invalid OAuth scope or ID token audience provided.")
    try await expectRefusal(
      assertion(changes: ["aud": "x"]), "invalid_grant", "Invalid JWT: Failed audience check.")
  }

  @Test func acceptsAClockFiveMinutesAhead() async throws {
    let ahead = assertion(changes: ["iat": JSON(Int(now) + 300), "exp": JSON(Int(now) + 3900)])
    #expect(try await grant(ahead).status == 200)
  }

  @Test func answersAnUnknownScopeWithAnIDToken() async throws {
    let answer = try await grant(assertion(changes: ["scope": "https://example.com"]))
    #expect(answer.status == 200)
    #expect(answer.json["id_token"] != nil)
    #expect(answer.json["access_token"] == nil)
  }

  @Test func forbidsSendingWithoutItsScope() async throws {
    let answer = try await grant(assertion(changes: ["scope": "https://www.googleapis.com/auth/drive"]))
    let refusal = try await send(with: try #require(answer.json["access_token"]?.string))
    #expect(refusal.status == 403)
    #expect(refusal.detail("ErrorInfo")?["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT")
  }

  @Test func refreshesAUsersToken() async throws {
    let answer = try await post("grant_type=refresh_token&client_id=c&client_secret=s&refresh_token=1%2F%2Fr")
    #expect(answer.status == 200)
    #expect(answer.headers["Cache-Control"] == "no-store")
    #expect(try await send(with: try #require(answer.json["access_token"]?.string)).status == 200)
  }

  @Test(arguments: [
    ("", "invalid_request"), ("grant_type=password", "unsupported_grant_type"),
    ("grant_type=refresh_token", "invalid_request"),
    ("grant_type=refresh_token&client_id=c", "invalid_request"),
    ("grant_type=refresh_token&client_id=c&client_secret=s", "invalid_request"),
    ("grant_type=refresh_token&grant_type=refresh_token", "invalid_request"),
    ("grant_type=%zz", "invalid_request"),
  ])
  func rejectsAFormAsRFC6749Requires(_ form: String, _ error: String) async throws {
    let answer = try await post(form)
    #expect(answer.status == 400)
    #expect(answer.json["error"] == .string(error))
    #expect(answer.json["error_description"]?.string != nil)
  }
}
