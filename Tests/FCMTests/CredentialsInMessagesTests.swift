import FCM
import GoogleAuth
import HTTPClient
import JSON
import TestSupport
import Testing

/// Messages sent with credentials that take several requests, or that name a quota project.
@Suite(.timeLimit(.minutes(1))) struct CredentialsInMessagesTests {
  private static let impersonationPath =
    "/v1/projects/-/serviceAccounts/sender@p.iam.gserviceaccount.com:generateAccessToken"

  /// A person's credentials, whose token endpoint is `url` + `/token`.
  static func userFile(_ url: String) -> JSON {
    [
      "type": "authorized_user", "client_id": "id-1", "client_secret": "made-up",
      "refresh_token": "made-up-refresh", "token_uri": .string(url + "/token"),
    ]
  }

  private static func workloadFile(_ url: String) -> JSON {
    [
      "type": "external_account",
      "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/w/providers/p",
      "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": .string(url + "/v1/token"),
      "credential_source": ["url": .string(url + "/subject")],
      "service_account_impersonation_url": .string(url + impersonationPath),
    ]
  }

  @Test func sendsTheQuotaProjectWithEachMessage() async throws {
    try await Fixture.run(
      credentials: {
        var file = try #require(Self.userFile($0.url).object)
        file["quota_project_id"] = "billed"
        return try Credentials.parse(JSON.object(file).serialized, file: "adc.json")
      },
      { request in
        request.path == "/token" ? StandIn.tokenAnswer(1) : .respond(200, [:], Fixture.success)
      },
      test: { fixture in
        #expect(await fixture.send() == .sent(name: "projects/p/messages/1"))
        let message = try #require(fixture.requests(to: FCMClientTests.path).first)
        #expect(message.headers["x-goog-user-project"] == "billed")
        #expect(message.headers["authorization"] == "Bearer t1")
        #expect(fixture.requests(to: "/token").first?.headers["x-goog-user-project"] == nil)
      })
  }

  @Test func performsAllStepsOnceForFiftyMessages() async throws {
    try await Fixture.run(
      credentials: {
        try Credentials.parse(Self.workloadFile($0.url).serialized, file: "adc.json")
      },
      { request in
        switch request.path {
        case FCMClientTests.path: .respond(200, [:], Fixture.success)
        case Self.impersonationPath:
          .respond(200, [:], #"{"accessToken":"impersonated","expireTime":"2099-01-01T00:00:00Z"}"#)
        case "/v1/token": .respond(200, [:], #"{"access_token":"federated","expires_in":3599}"#)
        default: .respond(200, [:], "made-up.subject.token")
        }
      },
      test: { fixture in
        let outcomes = await fixture.sendAtOnce(50)
        #expect(outcomes.allSatisfy { $0 == .sent(name: "projects/p/messages/1") })
        #expect(
          fixture.standIn.requests.prefix(3).map(\.path) == ["/subject", "/v1/token", Self.impersonationPath])
        #expect(fixture.requests(to: FCMClientTests.path).count == 50)
        #expect(fixture.standIn.requests.count == 53)
        #expect(
          fixture.requests(to: FCMClientTests.path).allSatisfy {
            $0.headers["authorization"] == "Bearer impersonated"
          })
      })
  }
}
