internal import HTTPServer
internal import JSON

/// An error response of Google's APIs: an HTTP status with a `google.rpc.Status` as its body.
struct GoogleErrorResponse {
  var status: Int
  var message: String
  /// The name of the gRPC code; nil for the one that corresponds to `status`.
  var code: String?
  var details: [JSON] = []

  var json: JSON {
    var error: JSON.Object = .init([
      ("code", JSON(status)), ("message", .string(message)),
      ("status", .string(code ?? Self.code(of: status))),
    ])
    if !details.isEmpty { error["details"] = .array(details) }
    return ["error": .object(error)]
  }

  /// The gRPC code that Google's gateways return with an HTTP status.
  static func code(of status: Int) -> String {
    switch status {
    case 400, 405, 411, 413, 414, 417, 431: "INVALID_ARGUMENT"
    case 401: "UNAUTHENTICATED"
    case 403: "PERMISSION_DENIED"
    case 404: "NOT_FOUND"
    case 408, 504: "DEADLINE_EXCEEDED"
    case 409: "ABORTED"
    case 429: "RESOURCE_EXHAUSTED"
    case 500: "INTERNAL"
    case 501, 505: "UNIMPLEMENTED"
    case 502, 503: "UNAVAILABLE"
    default: "UNKNOWN"
    }
  }

  /// The detail with FCM's error code.
  static func fcmError(_ errorCode: String) -> JSON {
    [
      "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": .string(errorCode),
    ]
  }

  /// The detail with APNs' status and reason.
  static func apnsError(status: Int, reason: String) -> JSON {
    [
      "@type": "type.googleapis.com/google.firebase.fcm.v1.ApnsError", "statusCode": JSON(status),
      "reason": .string(reason),
    ]
  }

  /// The detail with the violations of a request's fields.
  static func badRequest(_ violations: [(field: String, description: String)]) -> JSON {
    [
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      "fieldViolations": .array(
        violations.map { violation in
          let description: JSON.Object.Member = ("description", .string(violation.description))
          let field: JSON.Object.Member = ("field", .string(violation.field))
          return .object(.init(violation.field.isEmpty ? [description] : [field, description]))
        }),
    ]
  }

  /// The detail with a reason of Google's own.
  static func errorInfo(reason: String, metadata: JSON = sendMethod) -> JSON {
    [
      "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason),
      "domain": "googleapis.com", "metadata": metadata,
    ]
  }

  private static let sendMethod: JSON = [
    "method": "google.firebase.fcm.v1.FcmService.SendMessage", "service": "fcm.googleapis.com",
  ]
}

extension HTTPResponse {
  init(_ error: GoogleErrorResponse) {
    self.init(status: error.status, json: error.json)
    if error.status == 401 { headers["WWW-Authenticate"] = "Bearer realm=\"https://accounts.google.com/\"" }
  }

  init(status: Int, json: JSON) { self.init(status: status, json: json.serialized) }

  init(status: Int, json: [UInt8]) {
    self.init(
      status: status,
      headers: ["Content-Type": "application/json; charset=UTF-8", "Cache-Control": "no-store"], body: json)
  }
}
