internal import Catalog
internal import FCMMessage
internal import HTTPServer
internal import JSON
internal import Outbox

extension APIError {
  /// The error as FCM itself would answer, whose clients understand no other form.
  var google: GoogleAPIError {
    let texts = errors.map { $0.pointer == .root ? $0.detail : "\($0.pointer): \($0.detail)" }
    let message = ([detail] + texts).joined(separator: " ")
    switch code.status {
    case 422: return .invalidArgument(message, [])
    case 429:
      return GoogleAPIError(
        status: 429, message: message, details: [GoogleAPIError.fcmError("QUOTA_EXCEEDED")])
    case 503:
      return GoogleAPIError(
        status: 503, message: message, details: [GoogleAPIError.fcmError("UNAVAILABLE")])
    default: return GoogleAPIError(status: code.status, message: message)
    }
  }
}

extension GoogleAPIError {
  /// Why a delivery failed, as FCM said it. What the gateway itself found is an outage to its callers: only
  /// an operator can change anything.
  init(_ error: DeliveryError) {
    let status: Int
    switch error.code {
    case "INVALID_ARGUMENT": status = 400
    case "THIRD_PARTY_AUTH_ERROR": status = 401
    case "SENDER_ID_MISMATCH": status = 403
    case "UNREGISTERED": status = 404
    case "QUOTA_EXCEEDED": status = 429
    case "INTERNAL": status = 500
    case "UNAVAILABLE": status = 503
    // FCM has no code of its own for these: a token must not be taken for dead because of a project.
    case "PERMISSION": self.init(status: 403, message: error.message); return
    case "NOT_FOUND": self.init(status: 404, message: error.message); return
    default:
      self.init(
        status: 503, message: "The gateway has no answer of FCM: \(error.code): \(error.message)",
        details: [Self.fcmError("UNAVAILABLE")])
      return
    }
    var details = [Self.fcmError(error.code)]
    let (message, violations) = Self.parts(of: error.message)
    if !violations.isEmpty { details.append(Self.badRequest(violations)) }
    if let reason = error.apnsReason {
      details.append(Self.apnsError(status: APNsStatus.of(reason) ?? status, reason: reason))
    }
    self.init(status: status, message: message, details: details)
  }

  /// FCM's message, and what it has against fields, of an error as the queue has it: `AnswerClassifier` puts
  /// one behind the other.
  private static func parts(
    of text: String
  ) -> (message: String, violations: [(field: String, description: String)]) {
    let parts = text.split(separator: "; message", omittingEmptySubsequences: false)
    let violations = parts.dropFirst().map { part in
      let end = part.firstRange(of: ": ")
      return (
        field: "message\(end.map { part[..<$0.lowerBound] } ?? part)",
        description: end.map { String(part[$0.upperBound...]) } ?? ""
      )
    }
    return (String(parts.first ?? ""), violations)
  }
}

extension HTTPResponse {
  init(_ error: GoogleAPIError) { self = .json(error.status, error.json.serialized) }
}
