import FCM
import HTTPClient
import JSON
import Testing

/// Every answer that was recorded from FCM, and those that its reference of error codes describes.
@Suite struct AnswerClassifierTests {
  static let fcmError = #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"CODE"}"#
  static let apnsError =
    #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.ApnsError","statusCode":410,"reason":"CODE"}"#
  static let errorInfo =
    #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"CODE","domain":"googleapis.com"}"#

  static func fcm(_ code: String) -> String { fcmError.replacing("CODE", with: code) }
  static func apns(_ reason: String) -> String { apnsError.replacing("CODE", with: reason) }
  static func info(_ reason: String) -> String { errorInfo.replacing("CODE", with: reason) }
  static func violation(_ field: String, _ description: String = "Invalid") -> String {
    """
    {"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"\(field)",\
    "description":"\(description)"}]}
    """
  }

  static func body(_ status: Int, _ message: String, _ name: String, _ details: [String]? = nil) -> String {
    let text = String(decoding: JSON.string(message).serialized, as: UTF8.self)
    let list = details.map { ",\"details\":[\($0.joined(separator: ","))]" } ?? ""
    return "{\"error\":{\"code\":\(status),\"message\":\(text),\"status\":\"\(name)\"\(list)}}"
  }

  static func outcome(
    _ status: Int, _ body: String, retryAfter: String? = nil, isBodyCut: Bool = false,
    targetsLiveActivity: Bool = false
  ) -> SendOutcome {
    AnswerClassifier.outcome(
      of: TransportResponse(
        status: status, fields: .init(retryAfter: retryAfter), body: Array(body.utf8), isBodyCut: isBodyCut),
      targetsLiveActivity: targetsLiveActivity, now: 1_700_000_000)
  }

  static func failure(
    _ status: Int, _ body: String, retryAfter: String? = nil, isBodyCut: Bool = false,
    targetsLiveActivity: Bool = false
  ) throws -> SendError {
    let outcome = outcome(
      status, body, retryAfter: retryAfter, isBodyCut: isBodyCut, targetsLiveActivity: targetsLiveActivity)
    guard case .failed(let failure) = outcome else {
      Issue.record("not a failure: \(outcome)")
      throw SendError(code: .internal, message: "", disposition: .permanent, scope: .message)
    }
    return failure
  }

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let body: String
    let code: SendError.Code
    let disposition: SendError.Disposition
    let scope: SendError.Scope
    var testDescription: String { name }

    init(
      _ name: String, _ status: Int, _ body: String, _ code: SendError.Code,
      _ disposition: SendError.Disposition, _ scope: SendError.Scope
    ) {
      self.name = name
      self.status = status
      self.body = body
      self.code = code
      self.disposition = disposition
      self.scope = scope
    }
  }

  static let badToken = "The registration token is not a valid FCM registration token"
  static let invalid = "Request contains an invalid argument."
  static let html502 = "<!DOCTYPE html>\n<title>Error 502 (Server Error)!!1</title>try again in 30 seconds."

  static let badRequests: [Row] = [
    Row(
      "bad token by message", 400, body(400, badToken, "INVALID_ARGUMENT", [fcm("INVALID_ARGUMENT")]),
      .invalidArgument, .permanent, .registration),
    Row(
      "bad token by field", 400,
      body(400, invalid, "INVALID_ARGUMENT", [fcm("INVALID_ARGUMENT"), violation("message.token")]),
      .invalidArgument, .permanent, .registration),
    Row(
      "bad token by field, details turned", 400,
      body(400, invalid, "INVALID_ARGUMENT", [violation("message.token"), fcm("INVALID_ARGUMENT")]),
      .invalidArgument, .permanent, .registration),
    Row(
      "bad fid", 400,
      body(400, invalid, "INVALID_ARGUMENT", [violation("message.fid"), fcm("INVALID_ARGUMENT")]),
      .invalidArgument, .permanent, .registration),
    Row(
      "no target", 400,
      body(
        400, "Recipient of the message is not set.", "INVALID_ARGUMENT",
        [violation("message"), fcm("INVALID_ARGUMENT")]), .invalidArgument, .permanent, .message),
    Row(
      "unknown field", 400,
      body(
        400, "Invalid JSON payload received. Unknown name \"toen\" at 'message': Cannot find field.",
        "INVALID_ARGUMENT", [violation("message")]), .invalidArgument, .permanent, .message),
    Row(
      "wrong type of a data value", 400,
      body(
        400, "Invalid value at 'message.data[0].value' (TYPE_STRING), 12", "INVALID_ARGUMENT",
        [violation("message.data[0].value")]), .invalidArgument, .permanent, .message),
    Row(
      "wrong type of the token is our fault", 400,
      body(
        400, "Invalid value at 'message.token' (TYPE_STRING), 12", "INVALID_ARGUMENT",
        [violation("message.token")]), .invalidArgument, .permanent, .message),
    Row(
      "too big, no details", 400, body(400, invalid, "INVALID_ARGUMENT"), .invalidArgument, .permanent,
      .message),
    Row(
      "too big by message", 400, body(400, "Android message is too big", "INVALID_ARGUMENT", []),
      .invalidArgument, .permanent, .message),
    Row(
      "badge of a wrong type", 400,
      body(
        400, "Value type for APS key [badge] is a number.", "INVALID_ARGUMENT",
        [violation("message.apns.payload.aps.badge"), fcm("INVALID_ARGUMENT")]), .invalidArgument,
      .permanent, .message),
    Row(
      "APNs token disabled", 400,
      body(
        400, "APNs device token is disabled.", "INVALID_ARGUMENT",
        [fcm("INVALID_ARGUMENT"), apns("Unregistered")]), .invalidArgument, .permanent, .registration),
    Row(
      "APNs bad device token", 400,
      body(400, invalid, "INVALID_ARGUMENT", [apns("BadDeviceToken"), fcm("INVALID_ARGUMENT")]),
      .invalidArgument, .permanent, .registration),
    Row(
      "APNs bad topic keeps the registration", 400,
      body(400, invalid, "INVALID_ARGUMENT", [apns("BadTopic"), fcm("INVALID_ARGUMENT")]),
      .invalidArgument, .permanent, .message),
    Row("too large for a front end", 413, "<html>", .badResponse, .retry, .service),
  ]

  static let authRows: [Row] = [
    Row(
      "no access token", 401,
      body(
        401, "Request is missing required authentication credential.", "UNAUTHENTICATED",
        [info("CREDENTIALS_MISSING")]), .authentication, .refreshAccessToken, .configuration),
    Row(
      "bad access token", 401,
      body(401, "Request had invalid authentication credentials.", "UNAUTHENTICATED"), .authentication,
      .refreshAccessToken, .configuration),
    Row(
      "expired access token", 401,
      body(
        401, "Request had invalid authentication credentials.", "UNAUTHENTICATED",
        [info("ACCESS_TOKEN_EXPIRED")]), .authentication, .refreshAccessToken, .configuration),
    Row("401 in HTML", 401, "<html>", .badResponse, .retry, .service),
    Row("empty 401", 401, "", .badResponse, .retry, .service),
    Row(
      "APNs credentials", 401,
      body(
        401, "Auth error from APNS or Web Push Service", "UNAUTHENTICATED",
        [fcm("THIRD_PARTY_AUTH_ERROR"), apns("InvalidProviderToken")]), .thirdPartyAuthError, .permanent,
      .thirdPartyCredentials),
    Row(
      "APNs credentials, details turned", 401,
      body(
        401, "Auth error from APNS or Web Push Service", "UNAUTHENTICATED",
        [apns("InvalidProviderToken"), fcm("THIRD_PARTY_AUTH_ERROR")]), .thirdPartyAuthError, .permanent,
      .thirdPartyCredentials),
    Row(
      "APNs credentials by the old name", 401, body(401, "x", "UNAUTHENTICATED", [fcm("APNS_AUTH_ERROR")]),
      .thirdPartyAuthError, .permanent, .thirdPartyCredentials),
    Row(
      "APNs credentials without details", 401,
      body(401, "Auth error from APNS or Web Push Service", "UNAUTHENTICATED"), .thirdPartyAuthError,
      .permanent, .thirdPartyCredentials),
    Row(
      "a wrong APNs environment is no dead registration", 401,
      body(401, "x", "UNAUTHENTICATED", [fcm("THIRD_PARTY_AUTH_ERROR"), apns("BadDeviceToken")]),
      .thirdPartyAuthError, .permanent, .thirdPartyCredentials),
    Row(
      "a dead APNs token is dead whatever else is said", 401,
      body(401, "x", "UNAUTHENTICATED", [fcm("UNREGISTERED"), apns("Unregistered")]), .unregistered,
      .permanent,
      .registration),
    Row(
      "IAM", 403,
      body(
        403, "Permission 'cloudmessaging.messages.create' denied on resource '//c.googleapis.com/projects/p'",
        "PERMISSION_DENIED", [info("IAM_PERMISSION_DENIED")]), .permission, .permanent, .configuration),
    Row(
      "API off", 403,
      body(
        403, "Firebase Cloud Messaging API has not been used in project 1 before or it is disabled.",
        "PERMISSION_DENIED"), .permission, .permanent, .configuration),
    Row("403 in HTML", 403, "<html>", .badResponse, .retry, .service),
    Row(
      "sender mismatch", 403,
      body(403, "SenderId mismatch", "PERMISSION_DENIED", [fcm("SENDER_ID_MISMATCH")]), .senderIDMismatch,
      .permanent, .foreignRegistration),
    Row(
      "sender mismatch without details", 403, body(403, "SenderId mismatch", "PERMISSION_DENIED"),
      .senderIDMismatch, .permanent, .foreignRegistration),
    Row(
      "unregistered", 404,
      body(404, "Requested entity was not found.", "NOT_FOUND", [fcm("UNREGISTERED")]), .unregistered,
      .permanent, .registration),
    Row(
      "unregistered, with APNs' word", 404,
      body(
        404, "Requested entity was not found.", "NOT_FOUND", [apns("Unregistered"), fcm("UNREGISTERED")]),
      .unregistered, .permanent, .registration),
    Row(
      "404 without FcmError", 404, body(404, "Requested entity was not found.", "NOT_FOUND"), .notFound,
      .permanent, .configuration),
    Row("404 in HTML", 404, "<html><title>404</title>", .badResponse, .retry, .service),
    Row("empty 405", 405, "", .badResponse, .retry, .service),
    Row("405", 405, body(405, "no", "UNIMPLEMENTED"), .badResponse, .permanent, .configuration),
  ]

  static let quotaText =
    "Quota exceeded for quota metric 'Send requests' and limit 'Send requests per minute' of service 'fcm'"
  static let transientRows: [Row] = [
    Row(
      "project quota", 429,
      body(
        429, quotaText, "RESOURCE_EXHAUSTED",
        [
          """
          {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED",
          "domain":"googleapis.com","metadata":{"quota_limit":"SendsPerMinutePerProject"}}
          """, #"{"@type":"type.googleapis.com/google.rpc.Help","links":[]}"#,
        ]), .quotaExceeded, .retry, .projectQuota),
    Row(
      "project quota without details", 429, body(429, quotaText, "RESOURCE_EXHAUSTED"), .quotaExceeded,
      .retry,
      .projectQuota),
    Row(
      "topic quota", 429, body(429, "Topic quota exceeded.", "RESOURCE_EXHAUSTED", [fcm("QUOTA_EXCEEDED")]),
      .quotaExceeded, .retry, .targetQuota),
    Row(
      "device quota", 429,
      body(429, "Message rate exceeded.", "RESOURCE_EXHAUSTED", [fcm("QUOTA_EXCEEDED")]), .quotaExceeded,
      .retry, .targetQuota),
    Row(
      "APNs has too much", 429,
      body(429, "x", "RESOURCE_EXHAUSTED", [fcm("QUOTA_EXCEEDED"), apns("TooManyRequests")]),
      .quotaExceeded, .retry, .targetQuota),
    Row("429 of a front end", 429, "<html>", .quotaExceeded, .retry, .projectQuota),
    Row(
      "internal", 500, body(500, "Internal error encountered.", "INTERNAL", [fcm("INTERNAL")]), .internal,
      .retry, .service),
    Row(
      "unavailable", 503,
      body(503, "The service is currently unavailable.", "UNAVAILABLE", [fcm("UNAVAILABLE")]),
      .unavailable, .retry, .service),
    Row("empty 500", 500, "", .internal, .retry, .service),
    Row("empty 503", 503, "", .unavailable, .retry, .service),
    Row("502 in HTML", 502, html502, .unavailable, .retryOutcomeUnknown, .service),
    Row("504 in HTML", 504, "<html>", .unavailable, .retryOutcomeUnknown, .service),
    Row("408", 408, "", .unavailable, .retryOutcomeUnknown, .service),
    Row("a server error that has no number of its own", 599, "", .unavailable, .retry, .service),
    Row("200 without a name", 200, "{}", .badResponse, .retryOutcomeUnknown, .service),
    Row("200 with an empty name", 200, #"{"name":""}"#, .badResponse, .retryOutcomeUnknown, .service),
    Row("200 in HTML", 200, "<html>", .badResponse, .retryOutcomeUnknown, .service),
    Row("200 cut off", 200, #"{"name":"projects/p/mess"#, .badResponse, .retryOutcomeUnknown, .service),
    Row("empty 200", 200, "", .badResponse, .retryOutcomeUnknown, .service),
    Row(
      "404 cut off may be anything", 404, #"{"error":{"code":404,"mess"#, .badResponse, .retry, .service),
    Row("400 cut off may be anything", 400, #" {"error":"#, .badResponse, .retry, .service),
    Row("empty 400", 400, "", .badResponse, .retry, .service),
    Row("a proxy's 400", 400, "<html>", .badResponse, .retry, .service),
    Row("400 without an error", 400, #"{"error":null}"#, .badResponse, .retry, .service),
    Row("400 with another error", 400, #"{"error":"no"}"#, .badResponse, .retry, .service),
    Row("redirect", 302, "", .badResponse, .retry, .service),
  ]

  @Test(arguments: badRequests + authRows + transientRows)
  func classifiesRecordedAnswers(_ row: Row) throws {
    let failure = try Self.failure(row.status, row.body)
    #expect(failure.code == row.code)
    #expect(failure.disposition == row.disposition)
    #expect(failure.scope == row.scope)
    #expect(failure.httpStatus == row.status)
    #expect(!failure.message.isEmpty)
  }

  @Test func readsTheNameOfAnAcceptedMessage() {
    #expect(
      Self.outcome(200, #"{"name":"projects/p/messages/1717673451795380"}"#)
        == .sent(name: "projects/p/messages/1717673451795380"))
    #expect(
      Self.outcome(200, #"{"name":"projects/foo/messages/fake_message_id"}"#)
        == .sent(name: "projects/foo/messages/fake_message_id"))
    #expect(Self.outcome(200, #"{"name":"a","name":"b"}"#) == .sent(name: "b"))
  }

  @Test func readsAPNsReason() throws {
    let body = Self.body(
      400, "APNs device token is disabled.", "INVALID_ARGUMENT",
      [Self.fcm("INVALID_ARGUMENT"), Self.apns("Unregistered")])
    #expect(try Self.failure(400, body).apnsReason == "Unregistered")
  }

  @Test func deadLiveActivityLeavesTheRegistrationAlive() throws {
    let body = Self.body(
      404, "Requested entity was not found.", "NOT_FOUND",
      [Self.fcm("UNREGISTERED"), Self.apns("Unregistered")])
    #expect(try Self.failure(404, body, targetsLiveActivity: true).scope == .activity)
    let registration = Self.body(404, "gone", "NOT_FOUND", [Self.fcm("UNREGISTERED")])
    #expect(try Self.failure(404, registration, targetsLiveActivity: true).scope == .activity)
    #expect(try Self.failure(404, registration, targetsLiveActivity: true).code == .unregistered)
    #expect(try Self.failure(404, registration).scope == .registration)
    for reason in ["BadDeviceToken", "ExpiredToken", "DeviceTokenNotForTopic"] {
      let dead = Self.body(400, "bad", "INVALID_ARGUMENT", [Self.fcm("INVALID_ARGUMENT"), Self.apns(reason)])
      #expect(try Self.failure(400, dead, targetsLiveActivity: true).scope == .activity)
    }
  }

  /// FCM names the registration itself only where it is the one that is wrong.
  @Test func aBadRegistrationIsDeadEvenWithALiveActivity() throws {
    let message = "The registration token is not a valid FCM registration token"
    let named = Self.body(400, message, "INVALID_ARGUMENT", [Self.fcm("INVALID_ARGUMENT")])
    #expect(try Self.failure(400, named, targetsLiveActivity: true).scope == .registration)
    let config = Self.body(403, "nope", "PERMISSION_DENIED", [Self.apns("BadDeviceToken")])
    #expect(try Self.failure(403, config, targetsLiveActivity: true).scope == .configuration)
  }

  @Test func readsRetryAfterOfTransientErrors() throws {
    #expect(try Self.failure(429, "", retryAfter: "30").retryAfterSeconds == 30)
    #expect(try Self.failure(503, "", retryAfter: " 7 \r\n").retryAfterSeconds == 7)
    #expect(try Self.failure(503, "", retryAfter: "soon").retryAfterSeconds == nil)
    let refused = Self.body(400, "bad", "INVALID_ARGUMENT")
    #expect(try Self.failure(400, refused, retryAfter: "30").retryAfterSeconds == nil)
  }

  @Test func classifiesAnOversizedAnswerByItsStatus() throws {
    let success = try Self.failure(200, #"{"name":"a"}"#, isBodyCut: true)
    #expect(success.code == .badResponse)
    #expect(success.disposition == .retryOutcomeUnknown)
    #expect(try Self.failure(400, "{", isBodyCut: true).disposition == .retry)
    let refusal = try Self.failure(404, "{\"error\"", isBodyCut: true)
    #expect(refusal.code == .badResponse)
    #expect(refusal.disposition == .retry)
    #expect(try Self.failure(503, "{", isBodyCut: true).disposition == .retry)
  }
}
