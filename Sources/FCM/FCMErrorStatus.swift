internal import GoogleAuth
internal import JSON

/// A `google.rpc.Status` with the details that FCM adds to it.
struct FCMErrorStatus: Sendable {
  /// The name of the RPC code: `RESOURCE_EXHAUSTED`.
  let status: String?
  let message: String?
  /// `google.firebase.fcm.v1.FcmError.errorCode`.
  private(set) var fcmCode: String?
  /// `google.firebase.fcm.v1.ApnsError.reason`.
  private(set) var apnsReason: String?
  /// `google.rpc.ErrorInfo.reason`.
  private(set) var errorInfoReason: String?
  /// `google.rpc.ErrorInfo.metadata.quota_limit`.
  private(set) var quotaLimit: String?
  /// What `google.rpc.BadRequest` has against fields.
  private(set) var violations: [(field: String, description: String)] = []

  /// Nil if `body` has no such shape.
  init?(_ body: JSON) {
    guard let error = GoogleAPIStatus(body) else { return nil }
    status = error.status
    message = error.message
    for detail in error.details { read(detail) }
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
      violations += (detail["fieldViolations"]?.array ?? []).compactMap { violation in
        violation["field"]?.string.map { ($0, violation["description"]?.string ?? "") }
      }
    }
  }

  /// Compares what follows the last slash: prefixes vary (`type.googleapis.com/` is the usual one).
  private static func isType(_ type: String, _ name: StaticString) -> Bool {
    let bytes = type.utf8[...]
    let local = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes[bytes.index(after: $0)...] } ?? bytes
    return name.withUTF8Buffer { local.elementsEqual($0) }
  }
}
