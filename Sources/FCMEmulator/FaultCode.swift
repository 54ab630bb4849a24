internal import FCMMessage
internal import JSON

/// A code that a fault names, and the complete error that FCM has been observed to return with it.
struct FaultCode {
  let code: String

  init(_ code: String) { self.code = code }

  /// The kind of code, which determines the form of the error.
  private enum Kind {
    /// `FcmError.errorCode`, with its HTTP status.
    case fcm(status: Int, message: String)
    /// `ApnsError.reason`, with APNs' own status.
    case apns(status: Int)
    /// `ErrorInfo.reason`: Google's, not FCM's.
    case info(status: Int, message: String)
    case unknown
  }

  var isKnown: Bool { if case .unknown = kind() { false } else { true } }

  /// The error for this code; `status` overrides the code's usual one. With `targetsRegistration`,
  /// `INVALID_ARGUMENT` becomes the error that FCM returns for an invalid token.
  func error(
    status forcedStatus: Int? = nil, target: Target? = nil, project: String = "project",
    targetsRegistration: Bool = false
  ) -> GoogleAPIError {
    switch kind(target: target, project: project) {
    case .fcm(let status, var message):
      var details = [GoogleAPIError.fcmError(code)]
      if code == "INVALID_ARGUMENT", targetsRegistration, let target {
        message = "The registration token is not a valid FCM registration token"
        details.append(
          GoogleAPIError.badRequest([("message.\(target.field)", "Invalid registration token")]))
      }
      if code == "THIRD_PARTY_AUTH_ERROR" {
        details.append(GoogleAPIError.apnsError(status: 403, reason: "InvalidProviderToken"))
      }
      return GoogleAPIError(status: forcedStatus ?? status, message: message, details: details)
    case .apns(let apnsStatus): return apnsFailure(apnsStatus, forcedStatus: forcedStatus)
    case .info(let status, let message):
      return GoogleAPIError(
        status: forcedStatus ?? status, message: message,
        details: [GoogleAPIError.errorInfo(reason: code, metadata: metadata(project: project))])
    case .unknown:
      let status = forcedStatus ?? 400
      return GoogleAPIError(
        status: status, message: FaultRule.message(ofStatus: status),
        details: [GoogleAPIError.fcmError(code)])
    }
  }

  private func kind(target: Target? = nil, project: String = "project") -> Kind {
    switch code {
    case "UNSPECIFIED_ERROR": return .fcm(status: 500, message: "Internal error encountered.")
    case "INVALID_ARGUMENT": return .fcm(status: 400, message: "Request contains an invalid argument.")
    case "UNREGISTERED": return .fcm(status: 404, message: "Requested entity was not found.")
    case "SENDER_ID_MISMATCH": return .fcm(status: 403, message: "SenderId mismatch")
    case "QUOTA_EXCEEDED":
      let isTopic = target?.field == "topic" || target?.field == "condition"
      return .fcm(
        status: 429, message: isTopic ? "Topic quota exceeded." : "Quota exceeded for the registration.")
    case "UNAVAILABLE": return .fcm(status: 503, message: "The service is currently unavailable.")
    case "INTERNAL": return .fcm(status: 500, message: "Internal error encountered.")
    case "THIRD_PARTY_AUTH_ERROR":
      return .fcm(status: 401, message: "Auth error from APNS or Web Push Service")
    case "RATE_LIMIT_EXCEEDED":
      return .info(
        status: 429,
        message: "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of "
          + "service 'fcm.googleapis.com' for consumer 'project_number:1'.")
    case "CREDENTIALS_MISSING": return .info(status: 401, message: GoogleAPIError.missingCredentials)
    case "ACCESS_TOKEN_EXPIRED": return .info(status: 401, message: GoogleAPIError.invalidCredentials)
    case "IAM_PERMISSION_DENIED":
      return .info(
        status: 403,
        message: "Permission 'cloudmessaging.messages.create' denied on resource "
          + "'//cloudresourcemanager.googleapis.com/projects/\(project)' (or it may not exist).")
    case "SERVICE_DISABLED":
      return .info(
        status: 403,
        message: "Firebase Cloud Messaging API has not been used in project \(project) before or it is "
          + "disabled.")
    default: return APNsStatus.of(code).map { .apns(status: $0) } ?? .unknown
    }
  }

  private func metadata(project: String) -> JSON {
    switch code {
    case "RATE_LIMIT_EXCEEDED":
      [
        "consumer": "projects/1", "quota_limit": "SendsPerMinutePerProject",
        "quota_limit_value": "600000", "quota_location": "global",
        "quota_metric": "fcm.googleapis.com/send_requests", "quota_unit": "1/min/{project}",
        "service": "fcm.googleapis.com",
      ]
    case "IAM_PERMISSION_DENIED":
      [
        "permission": "cloudmessaging.messages.create",
        "resource": .string("cloudresourcemanager.googleapis.com/projects/\(project)"),
      ]
    case "SERVICE_DISABLED":
      ["consumer": .string("projects/\(project)"), "service": "fcm.googleapis.com"]
    default:
      [
        "method": "google.firebase.fcm.v1.FcmService.SendMessage", "service": "fcm.googleapis.com",
      ]
    }
  }

  /// An APNs error, which FCM returns together with its own closest code.
  private func apnsFailure(_ apnsStatus: Int, forcedStatus: Int?) -> GoogleAPIError {
    let own: (status: Int, code: String, message: String)
    switch apnsStatus {
    case 403:
      own = (401, "THIRD_PARTY_AUTH_ERROR", "Auth error from APNS or Web Push Service")
    case 410: own = (400, "INVALID_ARGUMENT", "APNs device token is disabled.")
    case 429: own = (429, "QUOTA_EXCEEDED", "Quota exceeded for the registration.")
    case 500: own = (500, "INTERNAL", "Internal error encountered.")
    case 503: own = (503, "UNAVAILABLE", "The service is currently unavailable.")
    default: own = (400, "INVALID_ARGUMENT", "Request contains an invalid argument.")
    }
    return GoogleAPIError(
      status: forcedStatus ?? own.status, message: own.message,
      details: [
        GoogleAPIError.fcmError(own.code),
        GoogleAPIError.apnsError(status: apnsStatus, reason: code),
      ])
  }
}

extension GoogleAPIError {
  static let missingCredentials =
    "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or "
    + "other valid authentication credential. See "
    + "https://developers.google.com/identity/sign-in/web/devconsole-project."
  static let invalidCredentials =
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other "
    + "valid authentication credential. See "
    + "https://developers.google.com/identity/sign-in/web/devconsole-project."
}
