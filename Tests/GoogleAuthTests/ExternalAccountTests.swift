import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

@testable import GoogleAuth

/// Workload identity federation: from subject token to access token.
@Suite(.timeLimit(.minutes(1))) struct ExternalAccountTests {
  static let pool = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/w/providers/p"
  static let workforce = "//iam.googleapis.com/locations/global/workforcePools/w/providers/p"
  static let account = "sender@p.iam.gserviceaccount.com"
  static let impersonationPath = "/v1/projects/-/serviceAccounts/\(account):generateAccessToken"

  static func file(_ url: String, source: JSON) -> JSON {
    [
      "type": "external_account", "audience": .string(pool),
      "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": .string(url + "/v1/token"),
      "credential_source": source,
    ]
  }

  /// Grants every request; the subject token's URL is `/subject`.
  static func answer(_ request: StandIn.Request) -> StandIn.Answer {
    switch request.path {
    case "/v1/token":
      return .respond(200, [:], #"{"access_token":"federated","expires_in":3599,"token_type":"Bearer"}"#)
    case "/subject": return .respond(200, [:], " made-up.subject.token\n")
    case "/subject?a=b": return .respond(200, [:], #"{"id":{},"access_token":"made-up.json.token"}"#)
    case impersonationPath:
      return .respond(200, [:], #"{"accessToken":"impersonated","expireTime":"2023-11-14T23:13:20Z"}"#)
    default: return .respond(404, [:], "")
    }
  }

  @Test func readsTheTokenFileForEachExchange() async throws {
    try await withTemporaryFolder { folder in
      let token = folder.appending(path: "token")
      try await TokenServices.run(Self.answer) { services in
        let credentials = try Credentials.parse(
          Self.file(services.standIn.url, source: ["file": .string(token.path)]).serialized, file: "f")
        for text in ["first.token\n", "rotated.token+/="] {
          try Data(text.utf8).write(to: token)
          #expect(try await services.fetch(credentials).get().value == "federated")
        }
        let requests = services.requests(to: "/v1/token")
        #expect(requests.map { $0.form["subject_token"] } == ["first.token", "rotated.token+/="])
        var form = try #require(requests.first).form
        form["subject_token"] = nil
        #expect(
          form == [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "audience": Self.pool,
            "scope": "https://www.googleapis.com/auth/firebase.messaging",
            "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
          ])
        #expect(requests.first?.headers["authorization"] == nil)
      }
    }
  }

  @Test func readsATokenFileInJSON() async throws {
    try await withTemporaryFolder { folder in
      let token = folder.appending(path: "token")
      try Data(#"{"id_token":"made-up.json.token"}"#.utf8).write(to: token)
      let format: JSON = ["type": "json", "subject_token_field_name": "id_token"]
      try await TokenServices.run(Self.answer) { services in
        _ = try await services.grant(
          file: Self.file(services.standIn.url, source: ["file": .string(token.path), "format": format]))
        #expect(services.requests(to: "/v1/token").first?.form["subject_token"] == "made-up.json.token")
      }
    }
  }

  @Test func requestsTheTokenFromAURL() async throws {
    try await TokenServices.run(Self.answer) { services in
      let url = services.standIn.url
      _ = try await services.grant(
        file: Self.file(
          url, source: ["url": .string(url + "/subject"), "headers": ["Metadata": "True", "X-Two": "2"]]))
      let request = try #require(services.requests(to: "/subject").first)
      #expect(request.method == "GET")
      #expect(request.headers["metadata"] == "True")
      #expect(request.headers["x-two"] == "2")
      let format: JSON = ["type": "json", "subject_token_field_name": "access_token"]
      _ = try await services.grant(
        file: Self.file(url, source: ["url": .string(url + "/subject?a=b"), "format": format]))
      let subjects = services.requests(to: "/v1/token").map { $0.form["subject_token"] }
      #expect(subjects == ["made-up.subject.token", "made-up.json.token"])
    }
  }

  @Test func impersonatesAServiceAccount() async throws {
    try await TokenServices.run(Self.answer) { services in
      let url = services.standIn.url
      let file = try Self.file(url, source: ["url": .string(url + "/subject")])
        .with("service_account_impersonation_url", .string(url + Self.impersonationPath))
        .with("service_account_impersonation", ["token_lifetime_seconds": 1200])
      let grant = try await services.grant(file: file)
      #expect(grant.value == "impersonated")
      #expect(grant.lifetimeSeconds == 1200)
      #expect(
        services.requests(to: "/v1/token").first?.form["scope"] == "https://www.googleapis.com/auth/iam")
      let request = try #require(services.requests(to: Self.impersonationPath).first)
      #expect(request.headers["authorization"] == "Bearer federated")
      #expect(
        try JSON.parse(request.body) == [
          "scope": ["https://www.googleapis.com/auth/firebase.messaging"], "lifetime": "1200s",
        ])
      #expect(
        "\(try Credentials.parse(file.serialized, file: "f"))"
          == "workload identity federation as service account \(Self.account)")
    }
  }

  @Test func workforceUserNamesAProjectOrAClient() async throws {
    try await TokenServices.run(Self.answer) { services in
      let url = services.standIn.url
      let file = try Self.file(url, source: ["url": .string(url + "/subject")])
        .with("audience", .string(Self.workforce)).with("workforce_pool_user_project", "42")
      _ = try await services.grant(file: file)
      _ = try await services.grant(file: file.with("client_id", "id-1").with("client_secret", "made-up"))
      let requests = services.requests(to: "/v1/token")
      #expect(requests.map { $0.form["options"] } == [#"{"userProject":"42"}"#, nil])
      #expect(requests.map { $0.headers["authorization"] } == [nil, "Basic aWQtMTptYWRlLXVw"])
    }
  }

  @Test func fileWithoutATokenIsAPermanentError() async throws {
    let text: JSON = ["type": "text"]
    let json: JSON = ["type": "json", "subject_token_field_name": "made-up"]
    let cases: [(content: String?, format: JSON, reason: String)] = [
      (nil, text, "does not exist"), (" \n", text, "is empty"), ("s3cret", json, "is not JSON"),
      (#"{"s3cret":1}"#, json, "holds no text under subject_token_field_name"),
      (String(repeating: "x", count: 65_537), text, "has more than 65536 bytes"),
    ]
    try await withTemporaryFolder { folder in
      let token = folder.appending(path: "token")
      try await TokenServices.run(Self.answer) { services in
        for (content, format, reason) in cases {
          if let content { try Data(content.utf8).write(to: token) }
          let source: JSON = ["file": .string(token.path), "format": format]
          let refusal = try await services.refusal(file: Self.file(services.standIn.url, source: source))
          #expect(!refusal.isTransient)
          #expect(refusal.message == "the subject token file \(token.path) \(reason)")
        }
        #expect(services.standIn.requests.isEmpty)
      }
    }
  }

  @Test func reportsWhichStepFailed() async throws {
    func message(_ path: String, _ status: Int, _ body: String) async throws -> (String, Bool) {
      var result = ("", false)
      try await TokenServices.run { request in
        request.path == path ? .respond(status, [:], body) : Self.answer(request)
      } test: { services in
        let url = services.standIn.url
        let file = try Self.file(url, source: ["url": .string(url + "/subject")])
          .with("service_account_impersonation_url", .string(url + Self.impersonationPath))
        let refusal = try await services.refusal(file: file)
        result = (refusal.message, refusal.isTransient)
      }
      return result
    }
    #expect(
      try await message("/subject", 403, "s3cret") == ("the subject token's address answered HTTP 403", false)
    )
    #expect(
      try await message("/subject", 200, "") == (
        "the subject token's address gave an answer that is empty", false
      ))
    #expect(
      try await message("/subject", 503, "") == ("the subject token's address answered HTTP 503", true))
    #expect(
      try await message("/v1/token", 400, #"{"error":"invalid_target","error_description":"No such pool."}"#)
        == ("the token exchange answered HTTP 400: invalid_target: No such pool.", false))
    #expect(
      try await message("/v1/token", 429, "")
        == ("something other than the token exchange answered: HTTP 429, empty", true))
    let impersonation = "impersonation of service account \(Self.account)"
    #expect(
      try await message(
        Self.impersonationPath, 403, #"{"error":{"message":"no","status":"PERMISSION_DENIED"}}"#)
        == ("\(impersonation) answered HTTP 403: PERMISSION_DENIED: no", false))
    #expect(
      try await message(Self.impersonationPath, 200, "<html>")
        == ("something other than \(impersonation) answered: HTTP 200, empty", true))
    #expect(
      try await message(Self.impersonationPath, 200, "{}")
        == ("\(impersonation) answered without an accessToken", false))
  }

  @Test func unresponsiveURLIsATransientError() async throws {
    let dead = try StandIn.deadPort()
    try await TokenServices.run(Self.answer) { services in
      let refusal = try await services.refusal(
        file: Self.file(
          services.standIn.url, source: ["url": .string("http://127.0.0.1:\(dead)/subject")]))
      #expect(refusal.isTransient)
      #expect(refusal.message.hasPrefix("the subject token's address does not answer: "))
    }
  }
}
