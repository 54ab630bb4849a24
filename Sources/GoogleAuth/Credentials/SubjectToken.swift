internal import HTTPClient
internal import JSON

/// Where a workload gets the token that identifies it to Google (`credential_source` of AIP-4117).
enum SubjectTokenSource: Sendable {
  /// Read again for each exchange, because Kubernetes rotates the token.
  case file(String, SubjectTokenFormat)
  case url(String, headers: [String], SubjectTokenFormat)

  /// Bytes that a subject token's file may have; signed tokens have a few thousand.
  static let fileBytesMax = 65_536

  /// Why other sources are not supported, as the end of a sentence.
  private static let unsupported: KeyValuePairs<String, String> = [
    // First, because AWS files also hold a `url`.
    "environment_id": "is not supported: AWS sources are refused; use \"file\" or \"url\"",
    "executable": "is not supported: programs are not run; have the program write a \"file\"",
    "certificate": "is not supported; use \"file\" or \"url\"",
  ]

  init?(_ fields: CredentialsFields) {
    if let (name, reason) = Self.unsupported.first(where: { fields.has($0.key) }) {
      fields.note(name, reason)
      return nil
    }
    let format = SubjectTokenFormat(fields)
    let headers = Self.headers(fields)
    switch (fields.has("file"), fields.has("url")) {
    case (true, false):
      guard let path = fields.required("file"), let format else { return nil }
      self = .file(path, format)
    case (false, true):
      guard let url = fields.required("url") else { return nil }
      // Unlike Google's own URLs this one may be http: metadata servers, such as Azure's, have no TLS.
      if let problem = EndpointURL.problem(url, mayHoldQuery: true) { fields.note("url", problem) }
      guard let format else { return nil }
      self = .url(url, headers: headers, format)
    case (true, true):
      fields.note("file", "is set together with \"url\"; only one source is allowed")
      return nil
    case (false, false):
      fields.note("file", "is missing, and so is \"url\"")
      return nil
    }
  }

  private static func headers(_ fields: CredentialsFields) -> [String] {
    guard let headers = fields.object("headers") else { return [] }
    return headers.names.compactMap { name in
      guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
        fields.note("headers", "holds an invalid header name")
        return nil
      }
      if !headers.has(name) { headers.note(name, "is null, not a string") }
      return headers.headerValue(name).map { "\(name): \($0)" }
    }
  }

  /// RFC 9110 §5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

/// Why a file or response holds no subject token. Never quotes it.
struct SubjectTokenError: Error, Sendable, Equatable, CustomStringConvertible {
  enum Code: Sendable, Equatable {
    case notUTF8, empty, notJSON
    /// The JSON has no text in the configured field.
    case missingField
  }

  let code: Code

  /// The reason, as the end of a sentence.
  var description: String {
    switch code {
    case .notUTF8: "is not UTF-8"
    case .empty: "is empty"
    case .notJSON: "is not JSON"
    case .missingField: "holds no text under subject_token_field_name"
    }
  }
}

/// How a file or response holds the subject token.
enum SubjectTokenFormat: Sendable {
  case text
  case json(field: String)

  init?(_ source: CredentialsFields) {
    self = .text
    guard let fields = source.object("format") else { return }
    let type = fields.optional("type") ?? "text"
    if type.hasSameBytes(as: "text") { return }
    guard type.hasSameBytes(as: "json") else {
      fields.note("type", "is neither \"text\" nor \"json\"")
      return nil
    }
    guard let field = fields.required("subject_token_field_name") else { return nil }
    self = .json(field: field)
  }

  func token(in bytes: [UInt8]) throws(SubjectTokenError) -> String {
    switch self {
    case .text:
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw SubjectTokenError(code: .notUTF8)
      }
      let isBlank: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
      guard let first = bytes.firstIndex(where: { !isBlank($0) }),
        let last = bytes.lastIndex(where: { !isBlank($0) })
      else { throw SubjectTokenError(code: .empty) }
      return first == 0 && last == bytes.count - 1
        ? text : String(decoding: bytes[first...last], as: UTF8.self)
    case .json(let field):
      guard let json = TokenAnswer.json(bytes) else { throw SubjectTokenError(code: .notJSON) }
      guard let token = json[field]?.string, !token.isEmpty else {
        throw SubjectTokenError(code: .missingField)
      }
      return token
    }
  }
}

extension SubjectTokenSource {
  /// The token of a file; nil if a URL provides it.
  func fileToken() throws(TokenError) -> String? {
    guard case .file(let path, let format) = self else { return nil }
    let bytes: [UInt8]
    do {
      bytes = try SecretFile.contents(path, bytesMax: Self.fileBytesMax)
    } catch {
      throw .permanent("the subject token file \(path) \(error.description)")
    }
    do {
      return try format.token(in: bytes)
    } catch {
      throw .permanent("the subject token file \(path) \(error.description)")
    }
  }

  /// The request for the token; nil if a file provides it.
  func step(route: TokenRoute) -> TokenStep? {
    guard case .url(let url, let headers, let format) = self else { return nil }
    let peer = "the subject token's address"
    return TokenStep(
      peer: peer, destination: route.destination(url, method: .get),
      read: { response, now in
        guard response.status == 200 else {
          return .failure(TokenAnswer.refusal(response, from: peer, isOAuth: false, now: now))
        }
        do throws(SubjectTokenError) {
          return .success(TokenGrant(value: try format.token(in: response.wholeBody), lifetimeSeconds: 0))
        } catch {
          return .failure(.permanent("\(peer) gave an answer that \(error.description)", status: 200))
        }
      },
      compose: { _, _ in TokenMessage(headers: headers) })
  }
}
