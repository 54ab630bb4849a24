package import JSON

/// An error response of Google's APIs: an HTTP status with a `google.rpc.Status` as its body.
package struct GoogleAPIError: Error, Sendable {
  package var status: Int
  package var message: String
  /// The name of the gRPC code; nil for the one that corresponds to `status`.
  package var code: String?
  package var details: [JSON]

  package init(status: Int, message: String, code: String? = nil, details: [JSON] = []) {
    self.status = status
    self.message = message
    self.code = code
    self.details = details
  }

  package var json: JSON {
    var error: JSON.Object = .init([
      ("code", JSON(status)), ("message", .string(message)),
      ("status", .string(code ?? Self.code(of: status))),
    ])
    if !details.isEmpty { error["details"] = .array(details) }
    return ["error": .object(error)]
  }

  /// The gRPC code that Google's gateways return with an HTTP status.
  package static func code(of status: Int) -> String {
    switch status {
    case 400, 405, 411, 413, 414, 415, 417, 431: "INVALID_ARGUMENT"
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
  package static func fcmError(_ errorCode: String) -> JSON {
    [
      "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": .string(errorCode),
    ]
  }

  /// The detail with APNs' status and reason.
  package static func apnsError(status: Int, reason: String) -> JSON {
    [
      "@type": "type.googleapis.com/google.firebase.fcm.v1.ApnsError", "statusCode": JSON(status),
      "reason": .string(reason),
    ]
  }

  /// The detail with the violations of a request's fields.
  package static func badRequest(_ violations: [(field: String, description: String)]) -> JSON {
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
  package static func errorInfo(reason: String, metadata: JSON = sendMethod) -> JSON {
    [
      "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason),
      "domain": "googleapis.com", "metadata": metadata,
    ]
  }

  package static let sendMethod: JSON = [
    "method": "google.firebase.fcm.v1.FcmService.SendMessage", "service": "fcm.googleapis.com",
  ]
}
