internal import FoundationEssentials
internal import JSON

/// As whom an app sends.
package enum Credentials: Sendable {
  case serviceAccount(ServiceAccount)
  /// For an emulator: nobody checks.
  case none

  /// The project that the credentials belong to.
  package var projectID: String? {
    switch self {
    case .serviceAccount(let account): account.projectID
    case .none: nil
    }
  }

  /// Bytes that a credentials file may have; Google's have about 2,400.
  static let fileBytesMax = 65_536

  /// Reads a credentials file as Google's console and `gcloud` write them.
  package static func load(file: String) throws(CredentialsError) -> Credentials {
    try parse(try contents(of: file), file: file)
  }

  /// Reads a credentials file's bytes; `file` stands in errors.
  package static func parse(_ bytes: [UInt8], file: String) throws(CredentialsError) -> Credentials {
    let json: JSON
    do {
      json = try JSON.parse(bytes)
    } catch {
      // The parser's reason can quote a key; where the file is wrong is enough.
      throw CredentialsError(
        code: .syntax, file: file, reason: "not valid JSON at line \(error.line), column \(error.column)")
    }
    guard json.object != nil else {
      throw CredentialsError(code: .syntax, file: file, reason: "holds \(json.kind), not an object")
    }
    let type = try CredentialsFields(json: json, file: file).required("type")
    if type.hasSameBytes(as: "service_account") {
      return .serviceAccount(try ServiceAccount(json: json, file: file))
    }
    throw CredentialsError(
      code: .unsupportedType, file: file, field: "type", reason: unsupportedReason(type))
  }

  private static func unsupportedReason(_ type: String) -> String {
    let known = [
      "authorized_user", "external_account", "external_account_authorized_user",
      "impersonated_service_account", "gdch_service_account",
    ]
    guard let name = known.first(where: { $0.hasSameBytes(as: type) }) else {
      return "names no kind of Google credentials; \"service_account\" is supported"
    }
    return "is \"\(name)\", which is not supported yet; \"service_account\" is"
  }

  private static func contents(of file: String) throws(CredentialsError) -> [UInt8] {
    let data: Data
    do {
      data = try Data(contentsOf: URL(filePath: file))
    } catch {
      let exists = FileManager.default.fileExists(atPath: file)
      throw CredentialsError(
        code: .file, file: file, reason: exists ? "cannot be read" : "does not exist")
    }
    guard data.count <= fileBytesMax else {
      throw CredentialsError(
        code: .file, file: file, reason: "has more than \(fileBytesMax) bytes; that is no credentials file")
    }
    return Array(data)
  }
}

extension Credentials {
  /// Application Default Credentials (Google AIP-4110): the file that `GOOGLE_APPLICATION_CREDENTIALS` names,
  /// else the one that `gcloud auth application-default login` writes.
  package static func applicationDefault(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(CredentialsError) -> Credentials {
    if let file = environment["GOOGLE_APPLICATION_CREDENTIALS"], !file.isEmpty {
      return try load(file: file)
    }
    if let file = wellKnownFile(environment), FileManager.default.fileExists(atPath: file) {
      return try load(file: file)
    }
    throw CredentialsError(
      code: .notFound,
      reason: "GOOGLE_APPLICATION_CREDENTIALS is not set and gcloud's application default file does not exist"
    )
  }

  /// The project id where credentials do not tell it (`GOOGLE_CLOUD_PROJECT`, then `GCLOUD_PROJECT`).
  package static func projectID(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    ["GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"].compactMap { environment[$0] }.first { !$0.isEmpty }
  }

  private static func wellKnownFile(_ environment: [String: String]) -> String? {
    let name = "application_default_credentials.json"
    if let folder = environment["CLOUDSDK_CONFIG"], !folder.isEmpty { return "\(folder)/\(name)" }
    guard let home = environment["HOME"], !home.isEmpty else { return nil }
    return "\(home)/.config/gcloud/\(name)"
  }
}
