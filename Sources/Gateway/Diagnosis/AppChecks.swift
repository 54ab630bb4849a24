internal import FCM
internal import GoogleAuth
internal import HTTPClient
internal import JSON
internal import Telemetry

/// Checks one app's credentials by a dry run: FCM validates a message to a topic and delivers it to nobody.
struct AppChecks {
  private let app: GatewayConfiguration.App
  private let requestTimeout: Duration
  private let transport: HTTPTransport

  private typealias Check = Diagnosis.Check

  init(_ app: GatewayConfiguration.App, requestTimeout: Duration, over transport: HTTPTransport) {
    (self.app, self.requestTimeout, self.transport) = (app, requestTimeout, transport)
  }

  /// `token`, `project` and `role`.
  func checks() async -> [Diagnosis.Check] {
    let credentials: Credentials
    do throws(CredentialsError) {
      credentials = try await GatewayParts.credentials(of: app, over: transport)
    } catch {
      let token = Check.failed(
        .token, app: app.name, error.description,
        help: "Correct apps.\(app.name).credentials; docs/credentials.md describes the kinds that there are.")
      return [token] + unknown("there are no credentials")
    }
    guard let projectID = app.projectID ?? credentials.projectID ?? Credentials.projectID() else {
      let project = Check.failed(
        .project, app: app.name, "the credentials name no project",
        help: "Set apps.\(app.name).project_id to the project's id, which the Firebase console shows.")
      return [
        .skipped(.token, app: app.name, "there is no project"), project,
        .skipped(.role, app: app.name, "there is no project"),
      ]
    }
    let client = FCMClient(
      configuration: FCMAppConfiguration(
        projectID: projectID, endpoint: app.endpoint, credentials: credentials, caFile: app.caFile,
        requestTimeout: requestTimeout), transport: transport, log: .silent)
    defer { client.shutDown() }
    let missing = await withCheckedContinuation { continuation in
      client.checkCredentials { continuation.resume(returning: $0) }
    }
    if let missing {
      let token = Check.failed(
        .token, app: app.name, "\(credentials): \(missing)",
        help:
          "See docs/operations.md, \"credentials\". The key may have been deleted, or the network or a proxy "
          + "keeps requests from the token service.")
      return [token] + unknown("there is no access token")
    }
    let outcome = await withCheckedContinuation { continuation in
      client.send(Self.message) { continuation.resume(returning: $0) }
    }
    return checks(outcome, projectID, credentials)
  }

  /// What FCM's answer to the dry run says about the token, the project and the role.
  private func checks(
    _ outcome: SendOutcome, _ projectID: String, _ credentials: Credentials
  ) -> [Diagnosis.Check] {
    let name = app.name
    let token = Check.ok(
      .token, app: name,
      app.credentials == .none ? "credentials: none, for an emulator" : "\(credentials)")
    let project = Check.ok(.project, app: name, "\(projectID) exists")
    guard case .failed(let failure) = outcome else {
      return [
        token, project, .ok(.role, app: name, "\(app.endpoint) accepts messages, as a dry run shows"),
      ]
    }
    let detail = "\(app.endpoint): \(failure)"
    switch failure.code {
    case .authentication:
      let refused = Check.failed(
        .token, app: name, detail, help: "Create another key for the account, and check the clock above.")
      return [refused] + unknown("FCM refuses the access token")
    case .notFound:
      let missing = Check.failed(
        .project, app: name, detail,
        help:
          "Correct apps.\(name).project_id, now \(projectID): the Firebase console shows the id, which is not "
          + "the project's display name.")
      return [token, missing, .skipped(.role, app: name, "the project is not known")]
    case .permission:
      let refused = Check.failed(
        .role, app: name, detail,
        help:
          "Grant the account roles/firebasecloudmessaging.admin in the project \(projectID), and enable the "
          + "Firebase Cloud Messaging API there.")
      return [token, .skipped(.project, app: name, "FCM does not say whether \(projectID) exists"), refused]
    case .timeout, .network, .badResponse, .unavailable, .internal, .quotaExceeded:
      let unreached = Check.failed(
        .project, app: name, detail,
        help: "See docs/operations.md, \"fcm\": the network path, a proxy, `ca_file`, or an outage of FCM.")
      return [token, unreached, .skipped(.role, app: name, "FCM did not check the message")]
    case .unregistered, .invalidArgument, .senderIDMismatch, .thirdPartyAuthError:
      let refused = Check.failed(
        .role, app: name, detail, help: "Send a notification with `validate_only`, and see its errors.")
      return [token, project, refused]
    }
  }

  private func unknown(_ reason: String) -> [Diagnosis.Check] {
    [.skipped(.project, app: app.name, reason), .skipped(.role, app: app.name, reason)]
  }

  /// FCM checks the permission for it as for any other message.
  private static let message: [UInt8] = {
    let body: JSON = ["validate_only": true, "message": ["topic": "dragoman-doctor", "data": [:]]]
    return body.serialized
  }()
}
