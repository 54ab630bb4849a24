internal import JSON

/// A Google service account's key, as its JSON file holds it.
package struct ServiceAccount: Sendable, CustomStringConvertible {
  package let projectID: String?
  /// `private_key_id`; the assertion's `kid`.
  package let keyID: String?
  package let clientEmail: String
  /// Where assertions are exchanged for access tokens.
  package let tokenURI: String
  let key: SigningKey

  package static let googleTokenURI = "https://oauth2.googleapis.com/token"

  package init(
    projectID: String?, keyID: String?, clientEmail: String, tokenURI: String = googleTokenURI,
    key: SigningKey
  ) {
    self.projectID = projectID
    self.keyID = keyID
    self.clientEmail = clientEmail
    self.tokenURI = tokenURI
    self.key = key
  }

  package var description: String { "service account \(clientEmail)" }

  init(json: JSON, file: String) throws(CredentialsError) {
    let fields = CredentialsFields(json: json, file: file)
    clientEmail = try fields.required("client_email")
    let pem = try fields.required("private_key")
    projectID = try fields.optional("project_id")
    keyID = try fields.optional("private_key_id")
    tokenURI = try fields.optional("token_uri") ?? Self.googleTokenURI
    guard EndpointURL.problem(tokenURI) == nil else {
      throw CredentialsError(
        code: .field, file: file, field: "token_uri", reason: EndpointURL.problem(tokenURI) ?? "")
    }
    do {
      key = try SigningKey(pem: pem)
    } catch {
      throw CredentialsError(code: .field, file: file, field: "private_key", reason: error.reason)
    }
  }
}

/// Reads text fields of a credentials file. Errors name the file and the field, never a value.
struct CredentialsFields {
  let json: JSON
  let file: String

  func optional(_ name: String) throws(CredentialsError) -> String? {
    guard let value = json[name], !value.isNull else { return nil }
    guard let text = value.string else {
      throw CredentialsError(code: .field, file: file, field: name, reason: "is \(value.kind), not a string")
    }
    guard !text.isEmpty else {
      throw CredentialsError(code: .field, file: file, field: name, reason: "is empty")
    }
    return text
  }

  func required(_ name: String) throws(CredentialsError) -> String {
    guard let text = try optional(name) else {
      throw CredentialsError(code: .field, file: file, field: name, reason: "is missing")
    }
    return text
  }
}
