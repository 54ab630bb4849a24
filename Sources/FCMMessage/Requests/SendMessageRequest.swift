package import JSON

/// FCM's own request, `SendMessageRequest`, whose message FCM's schema and rules allow.
package struct SendMessageRequest: Sendable {
  /// FCM's `Message`, as it was given.
  package let message: JSON
  package let target: Target
  /// The message, with its fields looked up.
  let whole: MessagePart
  /// Whether FCM is only to check the message.
  package let validatesOnly: Bool

  /// How Google's servers read JSON.
  package static let parseOptions = JSON.ParseOptions(depthMax: 100, lastDuplicateWins: true)

  /// Throws the error with which FCM answers the request.
  package init(_ body: JSON) throws(GoogleAPIError) {
    guard let object = body.object else {
      throw .schema([
        ("", "Invalid JSON payload received. Unknown name \"\": Root element must be a message.")
      ])
    }
    let schemaViolations = MessageSchema.violations(in: body, of: .sendMessageRequest)
    guard schemaViolations.isEmpty else {
      throw .schema(schemaViolations.map { ($0.field, $0.description) })
    }
    let given = object["message"] ?? .null
    message = given.isNull ? [:] : given
    // FCM accepts fields that have no effect on the device.
    whole = MessagePart(
      object: message.object ?? .init(), type: .message, location: MessageLocation([.key("message")]))
    let violations = MessageRules.violations(in: whole).filter { $0.kind != .ineffective }
    guard violations.isEmpty, let target = Target(ofMessage: message) else { throw .rules(violations) }
    self.target = target
    let only = object.members.last { $0.key == "validate_only" || $0.key == "validateOnly" }?.value
    validatesOnly = only?.bool == true || only?.string == "true"
  }
}

extension Target {
  /// The target of FCM's `Message`, if it has one; the last one in the document, as on Google's servers.
  package init?(ofMessage message: JSON) {
    let members = message.object?.members.reversed() ?? []
    let targets = members.lazy.compactMap { member in
      member.value.string.flatMap { Target(field: member.key, value: $0) }
    }
    guard let target = targets.first else { return nil }
    self = target
  }
}

extension GoogleAPIError {
  /// The error for a body that is not JSON.
  package static func malformed(_ error: JSONParseError) -> GoogleAPIError {
    .schema([("", "Invalid JSON payload received. \(error.description)")])
  }

  /// The error of Google's JSON transcoding, which has no `FcmError` because FCM does not see the request.
  package static func schema(_ violations: [(field: String, description: String)]) -> GoogleAPIError {
    GoogleAPIError(
      status: 400, message: violations.map(\.description).joined(separator: "\n"),
      details: [badRequest(violations)])
  }

  /// The error of FCM for a message that violates its rules.
  static func rules(_ violations: [MessageViolation]) -> GoogleAPIError {
    let isBadToken = violations.count == 1 && ["message.token", "message.fid"].contains(violations[0].field)
    let message =
      isBadToken
      ? "The registration token is not a valid FCM registration token"
      : violations.map(\.description).joined(separator: "\n")
    return .invalidArgument(message, violations.map { ($0.field, $0.description) })
  }

  /// FCM's error for a message that it does not accept.
  package static func invalidArgument(
    _ message: String, _ violations: [(field: String, description: String)]
  ) -> GoogleAPIError {
    GoogleAPIError(
      status: 400, message: message,
      details: [fcmError("INVALID_ARGUMENT")] + (violations.isEmpty ? [] : [badRequest(violations)]))
  }
}
