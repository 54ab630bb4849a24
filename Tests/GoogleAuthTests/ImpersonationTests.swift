import Foundation
import JSON
import TestSupport
import Testing

@testable import GoogleAuth

/// `impersonated_service_account` files, and the API that issues the token.
@Suite(.timeLimit(.minutes(1))) struct ImpersonationTests {
  static let path = ExternalAccountTests.impersonationPath

  private func file(_ url: String, source: JSON, delegates: JSON? = nil) throws -> JSON {
    let file: JSON = [
      "type": "impersonated_service_account", "service_account_impersonation_url": .string(url + Self.path),
      "source_credentials": source,
    ]
    return try file.with("delegates", delegates)
  }

  private func answer(expireTime: String) -> @Sendable (StandIn.Request) -> StandIn.Answer {
    { request in
      request.path == "/token"
        ? StandIn.tokenAnswer(1)
        : .respond(200, [:], #"{"accessToken":"impersonated","expireTime":\#(expireTime)}"#)
    }
  }

  @Test func userImpersonatesAServiceAccount() async throws {
    try await TokenServices.run(answer(expireTime: #""2023-11-14T22:43:20Z""#)) { services in
      let url = services.standIn.url
      let source = try AuthorizedUserTests.file(url).with("quota_project_id", "billed")
      let delegates: JSON = ["a@p.iam.gserviceaccount.com", "projects/-/serviceAccounts/b@p"]
      let file = try file(url, source: source, delegates: delegates)
      let grant = try await services.grant(file: file)
      #expect(grant == TokenGrant(value: "impersonated", lifetimeSeconds: 1800))
      #expect(services.standIn.requests.map(\.path) == ["/token", Self.path])
      let request = try #require(services.requests(to: Self.path).first)
      #expect(request.headers["authorization"] == "Bearer t1")
      #expect(request.headers["x-goog-user-project"] == "billed")
      #expect(request.headers["content-type"] == "application/json")
      #expect(
        try JSON.parse(request.body) == [
          "scope": ["https://www.googleapis.com/auth/firebase.messaging"], "lifetime": "3600s",
          "delegates": [
            "projects/-/serviceAccounts/a@p.iam.gserviceaccount.com", "projects/-/serviceAccounts/b@p",
          ],
        ])
      #expect(
        "\(try Credentials.parse(file.serialized, file: "f"))"
          == "service account sender@p.iam.gserviceaccount.com impersonated by authorized user")
    }
  }

  @Test func serviceAccountRequestsIAMsScopeFirst() async throws {
    try await TokenServices.run(answer(expireTime: "null")) { services in
      let url = services.standIn.url
      let source = try TestKey.shared.get().serviceAccountFile(tokenURI: url + "/token")
      let grant = try await services.grant(file: file(url, source: source))
      #expect(grant.lifetimeSeconds == TokenAnswer.assumedLifetimeSeconds)
      let assertion = try #require(services.requests(to: "/token").first?.form["assertion"])
      let claims = try #require(assertion.split(separator: ".").dropFirst().first)
      var base64 = String(claims).replacing("-", with: "+").replacing("_", with: "/")
      while base64.utf8.count % 4 != 0 { base64 += "=" }
      let json = try JSON.parse(Array(try #require(Data(base64Encoded: base64))))
      #expect(json["scope"] == "https://www.googleapis.com/auth/iam")
    }
  }

  @Test func workloadImpersonatesAServiceAccount() async throws {
    try await TokenServices.run(ExternalAccountTests.answer) { services in
      let url = services.standIn.url
      let source = ExternalAccountTests.file(url, source: ["url": .string(url + "/subject")])
      let grant = try await services.grant(file: file(url, source: source))
      #expect(grant.value == "impersonated")
      #expect(services.standIn.requests.map(\.path) == ["/subject", "/v1/token", Self.path])
      #expect(services.requests(to: "/v1/token").first?.form["scope"] == OAuthScope.iam)
    }
  }

  @Test func refusedSourceIsNotImpersonated() async throws {
    try await TokenServices.run { _ in
      .respond(400, [:], AuthorizedUserTests.wrong)
    } test: { services in
      let url = services.standIn.url
      let refusal = try await services.refusal(file: file(url, source: AuthorizedUserTests.file(url)))
      #expect(!refusal.isTransient)
      #expect(services.standIn.requests.map(\.path) == ["/token"])
    }
  }

  @Test func reportsAllMistakesOfTheSourceToo() throws {
    #expect(
      try mistakes(["type": "impersonated_service_account"]) == [
        #"field "service_account_impersonation_url" is missing"#, #"field "source_credentials" is missing"#,
      ])
    #expect(
      try mistakes(
        file("http://x.test", source: ["type": "authorized_user", "client_id": "a"], delegates: ["a", 1]))
        == [
          #"field "delegates" is not an array of strings"#,
          #"field "service_account_impersonation_url" does not begin with https:// "#
            + "(http:// is for this machine's own addresses alone)",
          #"field "source_credentials.client_secret" is missing"#,
          #"field "source_credentials.refresh_token" is missing"#,
        ])
    let nested = try file("https://x.test", source: file("https://x.test", source: [:]))
    #expect(
      try mistakes(nested) == [
        #"field "source_credentials.type" is none of "service_account", "authorized_user", "#
          + #""external_account", "external_account_authorized_user""#
      ])
  }

  @Test(
    arguments: [
      "2023-11-14T22:13:20Z": 1_700_000_000, "2023-11-14T22:13:20.999999999Z": 1_700_000_000,
      "2023-11-14T22:13:20": nil, "2023-11-14T22:13:20+01:00": nil, "": nil, "Z": nil, ".Z": nil,
      "0000-00-00T00:00:00Z": nil, "tomorrow": nil, "99999999999999999999999999999-01-01T00:00:00Z": nil,
    ] as [String: Int64?])
  func readsTimestamps(_ text: String, _ seconds: Int64?) {
    #expect(Impersonation.unixSeconds(text) == seconds)
  }

  @Test(arguments: [
    #""2023-11-14T22:13:19Z""#: 0, #""2099-01-01T00:00:00Z""#: 3600, "7": 300, #""soon""#: 300,
  ])
  func lifetimeIsNeverLongerThanRequested(_ expireTime: String, _ seconds: Int) async throws {
    try await TokenServices.run(answer(expireTime: expireTime)) { services in
      let url = services.standIn.url
      let grant = try await services.grant(file: file(url, source: AuthorizedUserTests.file(url)))
      #expect(grant.lifetimeSeconds == seconds)
    }
  }
}
