internal import FoundationEssentials
package import HTTPClient
internal import JSON

extension Credentials {
  /// Application Default Credentials (Google AIP-4110): the file that `GOOGLE_APPLICATION_CREDENTIALS` names,
  /// otherwise the one that `gcloud auth application-default login` writes, otherwise the metadata server. A
  /// file that exists but is wrong is an error; later sources are not tried.
  ///
  /// `GOOGLE_CLOUD_QUOTA_PROJECT` takes precedence over a file's `quota_project_id`.
  package static func applicationDefault(
    environment: [String: String] = ProcessInfo.processInfo.environment, over transport: HTTPTransport
  ) async throws(CredentialsError) -> Credentials {
    try await applicationDefault(
      environment: environment, detection: MetadataServer.Detection(environment), over: transport)
  }

  static func applicationDefault(
    environment: [String: String], detection: MetadataServer.Detection, over transport: HTTPTransport
  ) async throws(CredentialsError) -> Credentials {
    let found = try await find(environment, detection, over: transport)
    let quotaProjectID = try quotaProjectID(environment)
    return Credentials(found.kind, quotaProjectID: quotaProjectID ?? found.quotaProjectID)
  }

  private static func find(
    _ environment: [String: String], _ detection: MetadataServer.Detection, over transport: HTTPTransport
  ) async throws(CredentialsError) -> Credentials {
    var tried: [String] = []
    if let file = environment["GOOGLE_APPLICATION_CREDENTIALS"], !file.isEmpty {
      guard !RegularFile.isContent(file) else {
        throw CredentialsError(
          code: .file,
          reason: "GOOGLE_APPLICATION_CREDENTIALS must be the name of a file, not what the file holds")
      }
      return try load(file: file)
    }
    tried.append("GOOGLE_APPLICATION_CREDENTIALS is not set")
    if let file = wellKnownFile(environment) {
      if FileManager.default.fileExists(atPath: file) { return try load(file: file) }
      tried.append("gcloud's file \(file) does not exist")
    } else {
      tried.append("gcloud's file cannot be located because neither CLOUDSDK_CONFIG nor HOME is set")
    }
    do {
      return Credentials(.metadataServer(try await MetadataServer.detect(detection, over: transport)))
    } catch {
      tried.append(error.description)
    }
    throw CredentialsError(
      code: .notFound,
      problems: [.init(field: nil, reason: "no Application Default Credentials")]
        + tried.map { .init(field: nil, reason: $0) })
  }

  /// The file in which Application Default Credentials are looked for first, whether or not it is there.
  package static func applicationDefaultFile(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    let named = environment["GOOGLE_APPLICATION_CREDENTIALS"] ?? ""
    return named.isEmpty ? wellKnownFile(environment) : RegularFile.isContent(named) ? nil : named
  }

  /// The project id where credentials do not name it (`GOOGLE_CLOUD_PROJECT`, then `GCLOUD_PROJECT`).
  package static func projectID(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    ["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"].compactMap { environment[$0] }.first { !$0.isEmpty }
  }

  private static func quotaProjectID(_ environment: [String: String]) throws(CredentialsError) -> String? {
    guard let project = environment["GOOGLE_CLOUD_QUOTA_PROJECT"], !project.isEmpty else { return nil }
    guard project.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw CredentialsError(
        code: .notFound, reason: "GOOGLE_CLOUD_QUOTA_PROJECT holds characters that a header cannot carry")
    }
    return project
  }

  private static func wellKnownFile(_ environment: [String: String]) -> String? {
    let name = "application_default_credentials.json"
    if let folder = environment["CLOUDSDK_CONFIG"], !folder.isEmpty { return "\(folder)/\(name)" }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return "\(home)/.config/gcloud/\(name)"
  }
}
