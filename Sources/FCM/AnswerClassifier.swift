internal import GoogleAuth
package import HTTPClient
internal import JSON

/// Turns FCM's answers to `messages:send` into outcomes: a pure function, after Google's error code page and
/// recorded answers.
package enum AnswerClassifier {
  /// `targetsLiveActivity` is whether the message went to a Live Activity: a dead APNs token is then the
  /// activity's, not the registration's. `registration` is the message's token or installation id, which no
  /// error's text may hold, and neither may it hold `secrets`. `now` is in UNIX seconds, for a `Retry-After`
  /// that is a date.
  package static func outcome(
    of answer: TransportResponse, targetsLiveActivity: Bool = false, registration: String? = nil,
    secrets: [String] = [], now: Int64
  ) -> SendOutcome {
    let json = answer.isBodyCut ? nil : parsed(answer.body)
    if (200..<300).contains(answer.status) {
      if let name = json?["name"]?.string, !name.isEmpty { return .sent(name: name) }
      return .failed(unreadableSuccess(answer, secrets))
    }
    let classification = Classification(
      answer: answer, error: json.flatMap(FCMErrorStatus.init), targetsLiveActivity: targetsLiveActivity,
      registration: registration, secrets: secrets, now: now,
      isTruncatedJSON: json == nil && beginsAsJSON(answer.body))
    return .failed(classification.sendError())
  }

  private static func parsed(_ body: [UInt8]) -> JSON? {
    do {
      return try JSON.parse(body, options: .init(lastDuplicateWins: true))
    } catch {
      return nil  // Proxies and Google's own front ends answer with HTML.
    }
  }

  private static func beginsAsJSON(_ body: [UInt8]) -> Bool {
    let first = body.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  private static func unreadableSuccess(_ answer: TransportResponse, _ secrets: [String]) -> SendError {
    let foreign = answer.body.isEmpty || beginsAsJSON(answer.body) ? nil : ForeignAnswer(answer)
    return SendError(
      code: .badResponse, httpStatus: answer.status,
      message: foreign?.description(insteadOf: "FCM", without: secrets)
        ?? "HTTP \(answer.status) without the name of a message",
      disposition: .retryOutcomeUnknown, scope: .service,
      end: foreign.map { AttemptEnd(.answer, $0.peer, isCounted: false) })
  }
}

/// One unsuccessful answer, and the rules that interpret it.
private struct Classification {
  let answer: TransportResponse
  let error: FCMErrorStatus?
  let targetsLiveActivity: Bool
  let registration: String?
  let secrets: [String]
  let now: Int64
  /// Whether the body begins as JSON but is not valid: an answer that was cut off in transit.
  let isTruncatedJSON: Bool

  /// The answer, if it is not FCM's.
  private var foreign: ForeignAnswer? { error == nil && !isTruncatedJSON ? ForeignAnswer(answer) : nil }

  func sendError() -> SendError {
    if let failure = registrationFailure() { return failure }
    if let failure = thirdPartyFailure() { return failure }
    switch answer.status {
    case 408, 502, 504: return make(serverCode(.unavailable), .retryOutcomeUnknown, .service)
    case 429: return make(.quotaExceeded, .retry, quotaScope)
    case 500: return make(serverCode(.internal), .retry, .service)
    case 501...: return make(serverCode(.unavailable), .retry, .service)
    // FCM says what it has against a message or an app. A proxy's page, or nothing at all, says nothing.
    case _ where error == nil: return make(.badResponse, .retry, .service)
    case 401: return make(.authentication, .refreshAccessToken, .configuration)
    case 400, 409, 412, 413, 422: return make(.invalidArgument, .permanent, .message)
    case 403: return make(.permission, .permanent, .configuration)
    case 404: return make(.notFound, .permanent, .configuration)
    case 405..<500: return make(.badResponse, .permanent, .configuration)
    default: return make(.badResponse, .retry, .service)
    }
  }

  /// Errors about the registration: dead, malformed or another sender's.
  private func registrationFailure() -> SendError? {
    guard let error, answer.status < 500, answer.status != 429 else { return nil }
    if let reason = error.apnsReason, APNsReason.isDead(reason), !isDoubtful(reason) {
      let code: SendError.Code = has(error.fcmCode, "UNREGISTERED") ? .unregistered : .invalidArgument
      return make(code, .permanent, targetsLiveActivity ? .activity : .registration)
    }
    // FCM answers for two tokens at once, and the registration of a dead activity usually lives.
    if has(error.fcmCode, "UNREGISTERED") {
      return make(.unregistered, .permanent, targetsLiveActivity ? .activity : .registration)
    }
    if has(error.fcmCode, "SENDER_ID_MISMATCH")
      || (answer.status == 403 && begins(error.message, "SenderId mismatch"))
    {
      return make(.senderIDMismatch, .permanent, .foreignRegistration)
    }
    if answer.status == 400, namesBadRegistration(error) {
      return make(.invalidArgument, .permanent, .registration)
    }
    return nil
  }

  /// A wrong environment or bundle id causes these reasons too; in an answer about credentials they mean
  /// that.
  private func isDoubtful(_ reason: String) -> Bool {
    let isAboutCredentials = answer.status == 401 || answer.status == 403
    return isAboutCredentials && (has(reason, "BadDeviceToken") || has(reason, "DeviceTokenNotForTopic"))
  }

  private func namesBadRegistration(_ error: FCMErrorStatus) -> Bool {
    if begins(error.message, "The registration token is not a valid FCM registration token") { return true }
    // A request that FCM could not parse says nothing about a registration.
    if begins(error.message, "Invalid value at") || begins(error.message, "Invalid JSON payload") {
      return false
    }
    return error.violations.contains { has($0.field, "message.token") || has($0.field, "message.fid") }
  }

  /// FCM also answers 401 to bad APNs and web push credentials; that is not about our access token.
  private func thirdPartyFailure() -> SendError? {
    guard let error, answer.status < 500, answer.status != 429 else { return nil }
    let isThirdParty =
      has(error.fcmCode, "THIRD_PARTY_AUTH_ERROR") || has(error.fcmCode, "APNS_AUTH_ERROR")
      || begins(error.message, "Auth error from APNS or Web Push Service")
      || error.apnsReason.map(APNsReason.isAboutCredentials) == true
    return isThirdParty ? make(.thirdPartyAuthError, .permanent, .thirdPartyCredentials) : nil
  }

  private var quotaScope: SendError.Scope {
    guard let error else { return .projectQuota }  // A front end's answer is about the caller.
    if begins(error.message, "Topic quota") { return .targetQuota }
    let isProject =
      has(error.errorInfoReason, "RATE_LIMIT_EXCEEDED") || has(error.quotaLimit, "SendsPerMinutePerProject")
      || begins(error.message, "Quota exceeded for quota metric")
      || begins(error.message, "Resource has been exhausted")
    return isProject ? .projectQuota : .targetQuota
  }

  private func serverCode(_ fallback: SendError.Code) -> SendError.Code {
    let named = error?.fcmCode ?? error?.status
    if has(named, "INTERNAL") { return .internal }
    return has(named, "UNAVAILABLE") ? .unavailable : fallback
  }

  private func make(
    _ code: SendError.Code, _ disposition: SendError.Disposition, _ scope: SendError.Scope
  ) -> SendError {
    let mayWait = disposition == .retry || disposition == .retryOutcomeUnknown
    return SendError(
      code: answer.isBodyCut ? .badResponse : code, httpStatus: answer.status, message: words,
      apnsReason: error?.apnsReason.map { ServerMessage.redacted($0) }, disposition: disposition,
      scope: scope,
      retryAfterSeconds: mayWait ? RetryAfter.seconds(in: answer, now: now) : nil,
      end: foreign.map { AttemptEnd(.answer, $0.peer, isCounted: false) })
  }

  private static let violationsMax = 5

  /// FCM's message, and what it has against each field.
  private var words: String {
    if let foreign { return foreign.description(insteadOf: "FCM", without: secrets) }
    let message = error?.message.map(safe) ?? ""
    var parts = message.isEmpty ? [] : [message]
    for (field, description) in error?.violations.prefix(Self.violationsMax) ?? [] {
      let (field, description) = (safe(field), safe(description))
      let isTold = description.isEmpty || parts.contains { $0.hasSameBytes(as: description) }
      if !isTold {
        parts.append("\(field): \(description)")
      } else if !message.contains(field) {
        parts.append(field)
      }
    }
    return parts.isEmpty
      ? "HTTP \(answer.status) without a readable error" : ServerMessage.cut(parts.joined(separator: "; "))
  }

  private func safe(_ text: String) -> String {
    ServerMessage.redacted(ServerMessage.removing(secrets, from: text), without: registration)
  }

  private func has(_ text: String?, _ constant: String) -> Bool { text?.hasSameBytes(as: constant) == true }

  private func begins(_ text: String?, _ constant: String) -> Bool {
    text?.utf8.starts(with: constant.utf8) == true
  }
}

/// APNs' reasons as FCM passes them on (Apple, "Handling notification responses from APNs").
private enum APNsReason {
  /// The device token is gone or was never one of this app's.
  static func isDead(_ reason: String) -> Bool {
    contains(["Unregistered", "BadDeviceToken", "ExpiredToken", "DeviceTokenNotForTopic"], reason)
  }

  /// The app's APNs key or certificate at Firebase is refused.
  static func isAboutCredentials(_ reason: String) -> Bool {
    contains(
      [
        "BadCertificate", "BadCertificateEnvironment", "ExpiredProviderToken", "Forbidden",
        "InvalidProviderToken", "MissingProviderToken", "UnrelatedKeyIdInToken",
        "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken",
      ], reason)
  }

  private static func contains(_ reasons: [String], _ reason: String) -> Bool {
    reasons.contains { $0.hasSameBytes(as: reason) }
  }
}
