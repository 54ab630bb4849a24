internal import JSON

/// A `google.rpc.Status` as FCM answers with it: `{"error": {"code", "message", "status", "details": […]}}`.
/// Details come in any order and may be absent.
struct GoogleError: Sendable {
  /// The rpc code's name: `RESOURCE_EXHAUSTED`.
  var status: String?
  var message: String?
  /// `google.firebase.fcm.v1.FcmError.errorCode`.
  var fcmCode: String?
  /// `google.firebase.fcm.v1.ApnsError.reason`.
  var apnsReason: String?
  /// `google.rpc.ErrorInfo.reason`.
  var errorInfoReason: String?
  /// `google.rpc.ErrorInfo.metadata.quota_limit`.
  var quotaLimit: String?
  /// The fields that `google.rpc.BadRequest` names.
  var violatedFields: [String] = []

  /// Nil where `body` is no such answer.
  init?(_ body: JSON) {
    guard let error = (body["error"] ?? body[0]?["error"]), error.object != nil else { return nil }
    status = error["status"]?.string
    message = error["message"]?.string
    for detail in error["details"]?.array ?? [] { read(detail) }
  }

  private mutating func read(_ detail: JSON) {
    guard let type = detail["@type"]?.string else { return }
    if Self.isType(type, "google.firebase.fcm.v1.FcmError") {
      fcmCode = detail["errorCode"]?.string ?? fcmCode
    } else if Self.isType(type, "google.firebase.fcm.v1.ApnsError") {
      apnsReason = detail["reason"]?.string ?? apnsReason
    } else if Self.isType(type, "google.rpc.ErrorInfo") {
      errorInfoReason = detail["reason"]?.string ?? errorInfoReason
      quotaLimit = detail["metadata"]?["quota_limit"]?.string ?? quotaLimit
    } else if Self.isType(type, "google.rpc.BadRequest") {
      violatedFields += (detail["fieldViolations"]?.array ?? []).compactMap { $0["field"]?.string }
    }
  }

  /// Any prefix before the last slash is a matter of taste (`type.googleapis.com/` is the usual one).
  private static func isType(_ type: String, _ name: StaticString) -> Bool {
    let bytes = type.utf8[...]
    let local = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes[bytes.index(after: $0)...] } ?? bytes
    return name.withUTF8Buffer { local.elementsEqual($0) }
  }
}
