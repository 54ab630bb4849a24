import Foundation
import HTTPClient
import JSON
import Telemetry
import TestSupport
import Testing

@testable import GoogleAuth

/// The source of credentials when none are configured, and the metadata server.
@Suite(.timeLimit(.minutes(1))) struct ApplicationDefaultTests {
  private static let tokenPath =
    "/computeMetadata/v1/instance/service-accounts/default/token"
    + "?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Ffirebase.messaging"

  /// Like Google's: 403 without its header.
  private static func metadata(_ request: StandIn.Request) -> StandIn.Answer {
    guard request.method == "GET", request.headers["metadata-flavor"] == "Google" else {
      return .respond(403, [:], "")
    }
    switch request.path {
    case "/computeMetadata/v1/project/project-id":
      return .respond(200, ["Metadata-Flavor": "Google"], "my-project")
    case tokenPath: return StandIn.tokenAnswer(1)
    default: return .respond(404, [:], "")
    }
  }

  private func find(
    _ environment: [String: String], _ services: TokenServices
  ) async throws(CredentialsError)
    -> Credentials
  {
    var detection = MetadataServer.Detection(environment)
    detection.pauses = [.zero, .zero]
    return try await Credentials.applicationDefault(
      environment: environment, detection: detection, over: services.transport)
  }

  private func notFound(_ environment: [String: String], _ services: TokenServices) async throws -> [String] {
    let error = await #expect(throws: CredentialsError.self) { try await find(environment, services) }
    #expect(error?.code == .notFound)
    return try #require(error).problems.map(\.description)
  }

  private func host(_ services: TokenServices) -> String { "127.0.0.1:\(services.standIn.port)" }

  @Test func searchesInGooglesOrder() async throws {
    try await withTemporaryFolder { folder in
      let wellKnown = folder.appending(path: "application_default_credentials.json")
      let named = folder.appending(path: "named.json")
      try Data(TestKey.shared.get().serviceAccountFile().serialized).write(to: wellKnown)
      try Data(TestKey.shared.get().serviceAccountFile().with("project_id", "named").serialized).write(
        to: named)
      try await TokenServices.run(Self.metadata) { services in
        var environment = [
          "GOOGLE_APPLICATION_CREDENTIALS": named.path, "CLOUDSDK_CONFIG": folder.path,
          "GCE_METADATA_HOST": host(services),
        ]
        #expect(try await find(environment, services).projectID == "named")
        environment["GOOGLE_APPLICATION_CREDENTIALS"] = ""
        #expect(try await find(environment, services).projectID == "p")
        #expect(services.standIn.requests.isEmpty)
        environment["CLOUDSDK_CONFIG"] = "/nonexistent"
        let found = try await find(environment, services)
        #expect(found.projectID == "my-project")
        #expect("\(found)" == "the metadata server at \(host(services))")
      }
    }
  }

  @Test func doesNotSkipAnInvalidFile() async throws {
    try await TokenServices.run(Self.metadata) { services in
      let environment = [
        "GOOGLE_APPLICATION_CREDENTIALS": "/nonexistent/key.json", "GCE_METADATA_HOST": host(services),
      ]
      let error = await #expect(throws: CredentialsError.self) { try await find(environment, services) }
      #expect(error?.description == "credentials file /nonexistent/key.json: does not exist")
    }
  }

  /// A common mistake, after which the file must not be repeated.
  @Test func hidesAFileThatStandsInPlaceOfItsName() async throws {
    let file = #"{"type": "service_account", "private_key": "s3cret\#(String(repeating: "x", count: 100))"}"#
    let pem = #"-----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY-----"#
    let encoded = ["\(file)", "{\n  \(file)", "\(pem)\(file)"].map { Data($0.utf8).base64EncodedString() }
    try await TokenServices.run(Self.metadata) { services in
      for text in [file, pem] + encoded {
        let error = await #expect(throws: CredentialsError.self) {
          try await find(["GOOGLE_APPLICATION_CREDENTIALS": text], services)
        }
        #expect(
          error?.description == "credentials: GOOGLE_APPLICATION_CREDENTIALS must be the name of a file, "
            + "not what the file holds")
      }
    }
  }

  @Test func reportsAllSourcesThatWereTried() async throws {
    let dead = try StandIn.deadPort()
    try await TokenServices.run(Self.metadata) { services in
      let environment = ["HOME": "/nonexistent", "GCE_METADATA_HOST": "127.0.0.1:\(dead)"]
      let tried = try await notFound(environment, services)
      #expect(
        tried.prefix(3) == [
          "no Application Default Credentials", "GOOGLE_APPLICATION_CREDENTIALS is not set",
          "gcloud's file /nonexistent/.config/gcloud/application_default_credentials.json does not exist",
        ])
      #expect(tried.count == 4)
      #expect(tried.last?.hasPrefix("the metadata server at 127.0.0.1:\(dead) does not answer: ") == true)
      #expect(
        try await notFound(["NO_GCE_CHECK": "True"], services).suffix(2) == [
          "gcloud's file cannot be located because neither CLOUDSDK_CONFIG nor HOME is set",
          "the metadata server is not checked because NO_GCE_CHECK is set",
        ])
    }
  }

  @Test func usesTokensOfTheMetadataServer() async throws {
    try await TokenServices.run(Self.metadata) { services in
      let credentials = try await find(["GCE_METADATA_HOST": host(services)], services)
      #expect(try await services.fetch(credentials).get() == TokenGrant(value: "t1", lifetimeSeconds: 3599))
    }
  }

  @Test func machineWithoutAServiceAccountIsAPermanentError() async throws {
    try await TokenServices.run { request in
      request.path.hasSuffix("project-id") ? .respond(200, [:], "p") : .respond(404, [:], "Not Found")
    } test: { services in
      let credentials = try await find(["GCE_METADATA_HOST": host(services)], services)
      guard case .failure(let refusal) = await services.fetch(credentials) else {
        Issue.record("a token")
        return
      }
      #expect(!refusal.isTransient)
      #expect(refusal.message == "the metadata server answered HTTP 404")
    }
  }

  @Test func waitsForAMetadataServerThatStarts() async throws {
    let tries = Counter()
    try await TokenServices.run { request in
      tries.next() < 3 ? .respond(503, [:], "") : Self.metadata(request)
    } test: { services in
      let found = try await find(["GCE_METADATA_HOST": host(services)], services)
      #expect(found.projectID == "my-project")
    }
  }

  @Test(arguments: [200: "<html>Log in to the hotel's network</html>", 404: "", 302: "", 500: ""])
  func acceptsOnlyAMetadataServer(_ status: Int, _ body: String) async throws {
    try await TokenServices.run { _ in
      .respond(status, [:], body)
    } test: { services in
      let reason = try #require(
        try await notFound(["GCE_METADATA_HOST": host(services)], services).last)
      #expect(reason.contains(status == 500 ? "answers HTTP 500" : "is not a metadata server"))
      #expect(services.standIn.requests.count == (status == 500 ? 3 : 1))
    }
  }

  @Test(arguments: ["a/b", "a b", "user@host", "h?x", ""])
  func rejectsAnInvalidMetadataHost(_ host: String) async throws {
    let detection = MetadataServer.Detection(["GCE_METADATA_HOST": host, "GCE_METADATA_TIMEOUT": "2"])
    #expect(detection.timeout == .seconds(2))
    guard !host.isEmpty else {
      #expect(detection.host == "169.254.169.254")
      return
    }
    try await TokenServices.run(Self.metadata) { services in
      let tried = try await notFound(["GCE_METADATA_HOST": host], services)
      #expect(
        tried.last
          == "GCE_METADATA_HOST is not a host name or address, with a port or without")
    }
  }

  @Test func quotaProjectOfTheEnvironmentTakesPrecedence() async throws {
    try await TokenServices.run(Self.metadata) { services in
      var environment = ["GCE_METADATA_HOST": host(services), "GOOGLE_CLOUD_QUOTA_PROJECT": "billed"]
      let found = try await find(environment, services)
      #expect(found.quotaProjectID == "billed")
      environment["GOOGLE_CLOUD_QUOTA_PROJECT"] = "a\nb"
      let tried = try await notFound(environment, services)
      #expect(tried.first?.hasPrefix("GOOGLE_CLOUD_QUOTA_PROJECT") == true)
    }
  }
}
