internal import FCMMessage
internal import HTTPServer
internal import JSON

/// A fault, and the messages to which it applies.
struct FaultRule: Sendable {
  /// Matches registration tokens and Firebase installation ids. A rule without any glob matches every
  /// message.
  var token: Glob?
  var topic: Glob?
  var status: Int?
  /// An error code of FCM, an APNs reason or an `ErrorInfo` reason; see `FaultCode`.
  var errorCode: String?
  /// The answer's `Retry-After`: seconds or a date.
  var retryAfter: String?
  /// The complete body of the answer, in place of the usual one for the status and code.
  var body: String?
  /// The latency as given, such as `200ms`.
  var latency: String?
  var latencySeconds = 0.0
  /// Whether the connection is closed without an answer.
  var closes = false
  /// How often the rule still applies; nil for always.
  var timesLeft: Int?
  var probability = 1.0

  func matches(_ target: Target?) -> Bool {
    if token == nil && topic == nil { return true }
    switch target {
    case .token(let value), .fid(let value): return token?.matches(value) ?? false
    case .topic(let value): return topic?.matches(value) ?? false
    case .condition, nil: return false
    }
  }

  /// The rule's answer; nil if the rule only adds latency and the message is checked as usual.
  func answer(to target: Target?, project: String) -> EmulatorAnswer? {
    if closes { return .closed }
    var answer: EmulatorAnswer
    if let errorCode {
      let targetsRegistration = token != nil
      let error = FaultCode(errorCode).error(
        status: status, target: target, project: project, targetsRegistration: targetsRegistration)
      answer = EmulatorAnswer(error, named: errorCode)
    } else if let status, status >= 400 {
      answer = Self.answer(ofStatus: status)
    } else if status == nil && body == nil {
      return nil
    } else {
      let name = "projects/\(project)/messages/fake_message_id"
      let status = status ?? 200
      answer = EmulatorAnswer(
        response: HTTPResponse(status: status, json: ["name": .string(name)]), label: "\(status) fault")
    }
    var response = answer.response
    if let body {
      response?.body = Array(body.utf8)
      response?.headers["Content-Type"] =
        body.utf8.first == UInt8(ascii: "<") ? "text/html; charset=UTF-8" : "application/json; charset=UTF-8"
    }
    if let retryAfter { response?.headers["Retry-After"] = retryAfter }
    answer = EmulatorAnswer(response: response, label: answer.label)
    return answer
  }

  /// The answer to a status without a code, as from Google's front ends: 500 and 503 with FCM's code, 502 in
  /// HTML.
  private static func answer(ofStatus status: Int) -> EmulatorAnswer {
    switch status {
    case 502:
      let page =
        "<!DOCTYPE html>\n<html lang=en>\n  <title>Error 502 (Server Error)!!1</title>\n"
        + "  <p><b>502.</b> <ins>That’s an error.</ins>\n  <p>The server encountered a temporary error and "
        + "could not complete your request.<p>Please try again in 30 seconds.\n"
      return EmulatorAnswer(
        response: HTTPResponse(
          status: 502, headers: ["Content-Type": "text/html; charset=UTF-8"], body: Array(page.utf8)),
        label: "502 HTML")
    case 500: return EmulatorAnswer(FaultCode("INTERNAL").error(status: 500))
    case 503: return EmulatorAnswer(FaultCode("UNAVAILABLE").error(status: 503))
    default: return EmulatorAnswer(GoogleAPIError(status: status, message: message(ofStatus: status)))
    }
  }

  /// Google's message for an HTTP status.
  static func message(ofStatus status: Int) -> String {
    switch status {
    case 400: "Request contains an invalid argument."
    case 401: GoogleAPIError.invalidCredentials
    case 403: "The caller does not have permission"
    case 404: "Requested entity was not found."
    case 408, 504: "Deadline expired before operation could complete."
    case 429: "Resource has been exhausted (e.g. check quota)."
    default: "The service answered \(status)."
    }
  }
}

/// The rules in order; the first that matches a message answers it.
struct FaultList: Sendable {
  var rules: [FaultRule] = []

  /// The first rule that matches. Its remaining `times` is decremented.
  mutating func claim(for target: Target?) -> FaultRule? {
    for index in rules.indices {
      let rule = rules[index]
      guard rule.timesLeft != 0, rule.matches(target) else { continue }
      guard rule.probability >= 1 || Double.random(in: 0..<1) < rule.probability else { continue }
      if let left = rule.timesLeft { rules[index].timesLeft = left - 1 }
      return rule
    }
    return nil
  }
}
