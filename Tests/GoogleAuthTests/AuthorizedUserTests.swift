import Foundation
import HTTPClient
import JSON
import TestSupport
import Testing

@testable import GoogleAuth

@Suite(.timeLimit(.minutes(1))) struct AuthorizedUserTests {
  static let wrong = #"{"error":"invalid_grant","error_description":"Token has been expired or revoked."}"#

  static func file(_ url: String) -> JSON {
    [
      "type": "authorized_user", "client_id": "id-1", "client_secret": "made-up secret/&",
      "refresh_token": "made-up-refresh", "token_uri": .string(url + "/token"), "account": "",
      "universe_domain": "googleapis.com",
    ]
  }

  static func workforceFile(_ url: String) -> JSON {
    [
      "type": "external_account_authorized_user", "client_id": "id-1", "client_secret": "made-up",
      "refresh_token": "r1", "token_url": .string(url + "/v1/oauthtoken"),
      "audience": "//iam.googleapis.com/locations/global/workforcePools/w/providers/p",
    ]
  }

  @Test func exchangesTheRefreshToken() async throws {
    try await TokenServices.run { _ in
      StandIn.tokenAnswer(1)
    } test: { services in
      let grant = try await services.grant(file: Self.file(services.standIn.url))
      #expect(grant.value == "t1")
      #expect(grant.lifetimeSeconds == 3599)
      let request = try #require(services.requests(to: "/token").first)
      #expect(request.method == "POST")
      #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
      #expect(request.headers["authorization"] == nil)
      #expect(
        request.form == [
          "grant_type": "refresh_token", "client_id": "id-1", "client_secret": "made-up secret/&",
          "refresh_token": "made-up-refresh",
        ])
    }
  }

  @Test func workforceUsersClientAuthenticatesInAHeader() async throws {
    try await TokenServices.run { _ in
      .respond(200, [:], #"{"access_token":"t","expires_in":9,"refresh_token":"r2"}"#)
    } test: { services in
      let credentials = try Credentials.parse(
        Self.workforceFile(services.standIn.url).serialized, file: "adc.json")
      _ = try await services.fetch(credentials).get()
      _ = try await services.fetch(credentials).get()
      let requests = services.requests(to: "/v1/oauthtoken")
      #expect(requests.first?.headers["authorization"] == "Basic aWQtMTptYWRlLXVw")
      #expect(requests.map { $0.form["refresh_token"] } == ["r1", "r2"])
      #expect(requests.map(\.form.count) == [2, 2])
    }
  }

  @Test func revokedRefreshTokenIsAPermanentErrorAndNotShown() async throws {
    try await TokenServices.run { _ in
      .respond(400, [:], Self.wrong)
    } test: { services in
      let refusal = try await services.refusal(file: Self.file(services.standIn.url))
      #expect(!refusal.isTransient)
      #expect(
        refusal.message
          == "the token endpoint answered HTTP 400: invalid_grant: Token has been expired or revoked.")
    }
  }

  @Test func aTokenServiceThatEchoesWhatItGotGetsNoSecretIntoTheError() async throws {
    try await TokenServices.run { request in
      let form = String(decoding: request.body, as: UTF8.self)
      let pieces = form.map { "\($0) " }.joined()
      return .respond(400, [:], #"{"error":"invalid_grant","error_description":"\#(form) \#(pieces) end"}"#)
    } test: { services in
      let refusal = try await services.refusal(file: Self.file(services.standIn.url))
      for secret in ["made-up", "m a d e", "s e c r e t % 2 F"] {
        #expect(!refusal.message.contains(secret), "\(refusal.message)")
      }
      #expect(refusal.message.contains("invalid_grant"))
    }
  }

  @Test(.enabled(if: HTTP2Proxy.isInstalled, "nghttpx (nghttp2-proxy) or openssl is not installed"))
  func trustsTokenServicesByTheSameCertificatesAsFCM() async throws {
    try await TokenServices.run { _ in
      StandIn.tokenAnswer(1)
    } test: { services in
      let proxy = try await HTTP2Proxy.start(
        before: services.standIn.port, name: "IP:127.0.0.1", options: [])
      defer { proxy.stop() }
      let credentials = try Credentials.parse(Self.file(proxy.url).serialized, file: "adc.json")
      guard case .failure(let refusal) = await services.fetch(credentials) else {
        Issue.record("trusted without its authority")
        return
      }
      #expect(refusal.isTransient)
      #expect(refusal.message.hasPrefix("the token endpoint does not answer: "))
      #expect(services.standIn.requests.isEmpty)
      #expect(try await services.fetch(credentials, caFile: proxy.caFile).get().value == "t1")
    }
  }

  @Test func reportsAllMistakesOfAFile() throws {
    let bare: JSON = ["type": "authorized_user", "client_id": "", "quota_project_id": "a\r\nX-Evil: 1"]
    #expect(
      try mistakes(bare) == [
        #"field "client_id" is empty"#, #"field "client_secret" is missing"#,
        #"field "refresh_token" is missing"#,
        #"field "quota_project_id" holds characters that a header cannot carry"#,
      ])
    #expect(
      try mistakes(["type": "external_account_authorized_user"]) == [
        #"field "token_url" is missing"#, #"field "client_id" is missing"#,
        #"field "client_secret" is missing"#, #"field "refresh_token" is missing"#,
      ])
  }

  @Test func neverShowsSecrets() throws {
    let credentials = try Credentials.parse(Self.file("https://x.test").serialized, file: "adc.json")
    var dumped = ""
    dump(credentials, to: &dumped)
    for text in ["\(credentials)", String(reflecting: credentials), dumped] {
      #expect(!text.contains("made-up"))
    }
    #expect("\(credentials)" == "authorized user")
  }
}
