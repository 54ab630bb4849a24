internal import JSON

/// The kinds of credentials that a file can hold, by its `type`.
private enum CredentialsType: String, CaseIterable {
  case serviceAccount = "service_account"
  case authorizedUser = "authorized_user"
  case externalAccount = "external_account"
  case externalAccountAuthorizedUser = "external_account_authorized_user"
  case impersonatedServiceAccount = "impersonated_service_account"
}

extension Credentials {
  /// Bytes that a credentials file may have; Google's have about 2,400.
  static let fileBytesMax = 65_536

  /// Reads a credentials file as Google's console and `gcloud` write them.
  package static func load(file: String) throws(CredentialsError) -> Credentials {
    let bytes: [UInt8]
    do {
      bytes = try SecretFile.contents(file, bytesMax: fileBytesMax)
    } catch {
      let code = error.code == .missing ? CredentialsError.Code.missing : .file
      throw CredentialsError(code: code, file: file, reason: error.description)
    }
    return try parse(bytes, file: file)
  }

  /// Reads a credentials file's bytes. Errors name `file` and report all mistakes at once.
  package static func parse(_ bytes: [UInt8], file: String) throws(CredentialsError) -> Credentials {
    if let other = OtherFile(bytes) {
      throw CredentialsError(code: .unsupportedType, file: file, reason: other.rawValue)
    }
    let json: JSON
    do {
      json = try JSON.parse(bytes)
    } catch {
      // The parser's reason can quote a key, so only the position is reported.
      throw CredentialsError(
        code: .syntax, file: file, reason: "not valid JSON at line \(error.line), column \(error.column)")
    }
    guard json.object != nil else {
      throw CredentialsError(code: .syntax, file: file, reason: "holds \(json.kind), not an object")
    }
    let fields = CredentialsFields(json)
    let credentials = Credentials(fields, isSource: false)
    guard var credentials, fields.problems.isEmpty else {
      let isOfType = fields.problems.contains { $0.reason.hasSameBytes(as: unknownType(isSource: false)) }
      throw CredentialsError(
        code: isOfType ? .unsupportedType : .field, file: file, problems: fields.problems)
    }
    credentials.text = Secret(String(decoding: bytes, as: UTF8.self))
    return credentials
  }

  /// Nil if a mistake was noted that leaves no usable credentials. `isSource` is for `source_credentials`,
  /// which cannot be impersonated themselves: delegates serve that purpose.
  init?(_ fields: CredentialsFields, isSource: Bool) {
    guard let name = fields.required("type") else { return nil }
    let type = CredentialsType.allCases.first { $0.rawValue.hasSameBytes(as: name) }
    let kind: Kind? =
      switch type {
      case .serviceAccount: ServiceAccount(fields).map(Kind.serviceAccount)
      case .authorizedUser: AuthorizedUser(fields).map(Kind.authorizedUser)
      case .externalAccount: ExternalAccount(fields).map(Kind.externalAccount)
      case .externalAccountAuthorizedUser: AuthorizedUser(workforce: fields).map(Kind.authorizedUser)
      case .impersonatedServiceAccount where !isSource:
        ImpersonatedServiceAccount(fields).map(Kind.impersonated)
      case .impersonatedServiceAccount, nil: nil
      }
    guard let type, !isSource || type != .impersonatedServiceAccount else {
      fields.note("type", Self.unknownType(isSource: isSource))
      return nil
    }
    let quotaProjectID = fields.headerValue("quota_project_id")
    guard let kind else { return nil }
    self.init(kind, quotaProjectID: quotaProjectID)
  }

  private static func unknownType(isSource: Bool) -> String {
    let known = CredentialsType.allCases.filter { !isSource || $0 != .impersonatedServiceAccount }
    return "is none of " + known.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
  }
}
