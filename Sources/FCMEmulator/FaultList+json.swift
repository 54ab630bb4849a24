internal import JSON

/// The reasons why a list of faults was rejected.
package struct FaultListError: Error, CustomStringConvertible {
  /// All problems with their location, such as `rules[0].status`; never empty. Only for the sender of the
  /// list.
  package let problems: [(field: String, description: String)]
  package var description: String { "the list of faults has \(problems.count) problems" }
}

extension FaultList {
  /// Reads `{"rules":[…]}`.
  /// - Throws: all problems at once.
  init(json: JSON) throws(FaultListError) {
    var reader = FaultReader()
    let rules = reader.rules(in: json)
    guard reader.problems.isEmpty else { throw FaultListError(problems: reader.problems) }
    self.init(rules: rules)
  }

  /// The rules, with the remaining `times` of each.
  var json: JSON { ["rules": .array(rules.map(\.json))] }
}

extension FaultRule {
  fileprivate var json: JSON {
    var object = JSON.Object()
    object["token"] = token.map { .string($0.pattern) }
    object["topic"] = topic.map { .string($0.pattern) }
    object["status"] = status.map { JSON($0) }
    object["error_code"] = errorCode.map { .string($0) }
    object["retry_after"] = retryAfter.map { .string($0) }
    object["body"] = body.map { .string($0) }
    object["latency"] = latency.map { .string($0) }
    if closes { object["close"] = true }
    object["times"] = timesLeft.map { JSON($0) }
    if probability < 1 { object["probability"] = JSON.Number(probability).map { .number($0) } }
    return .object(object)
  }
}

/// Reads rules and collects their problems.
private struct FaultReader {
  /// Those of a rule.
  private static let fields = [
    "token", "topic", "status", "error_code", "retry_after", "body", "latency", "close", "times",
    "probability",
  ]

  private(set) var problems: [(field: String, description: String)] = []

  mutating func rules(in json: JSON) -> [FaultRule] {
    guard let object = json.object, let rules = object["rules"]?.array else {
      problems.append(("rules", "must be an array of rules: {\"rules\":[…]}"))
      return []
    }
    for member in object where member.key != "rules" {
      problems.append((member.key, unknownField(member.key, known: ["rules"])))
    }
    if rules.count > EmulatorLimits.faultRulesMax {
      problems.append(("rules", "must hold at most \(EmulatorLimits.faultRulesMax) rules"))
      return []
    }
    return rules.enumerated().map { rule($1, at: "rules[\($0)]") }
  }

  private mutating func rule(_ json: JSON, at place: String) -> FaultRule {
    var rule = FaultRule()
    guard let object = json.object else {
      problems.append((place, "must be an object"))
      return rule
    }
    for member in object where !member.value.isNull {
      if let problem = set(member.key, to: member.value, in: &rule) {
        problems.append(("\(place).\(member.key)", problem))
      }
    }
    if let code = rule.errorCode, rule.status == nil, !FaultCode(code).isKnown {
      problems.append(("\(place).error_code", "is not a code of FCM or APNs; add a status to use it"))
    }
    if let status = rule.status, status < 400, rule.errorCode != nil {
      problems.append(("\(place).status", "must be 400 or more together with error_code"))
    }
    return rule
  }

  /// Sets a field; returns its problem, if it has one.
  private func set(_ key: String, to value: JSON, in rule: inout FaultRule) -> String? {
    switch key {
    case "token": return text(value) { rule.token = Glob($0) }
    case "topic": return text(value) { rule.topic = Glob($0) }
    case "error_code": return text(value) { rule.errorCode = $0 }
    case "body": return text(value) { rule.body = $0 }
    case "status":
      guard let status = value.int64, (200...599).contains(status) else {
        return "must be between 200 and 599"
      }
      rule.status = Int(status)
    case "retry_after":
      let text = value.string ?? value.int64.map(String.init)
      guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
        return "must be a string that holds seconds or a date"
      }
      rule.retryAfter = text
    case "latency":
      guard let text = value.string, let seconds = seconds(text) else {
        return "must be a duration of at most one hour, such as \"200ms\" or \"2s\""
      }
      rule.latency = text
      rule.latencySeconds = seconds
    case "close":
      guard let closes = value.bool else { return "must be true or false" }
      rule.closes = closes
    case "times":
      guard let times = value.int64, times >= 0 else { return "must be an integer of 0 or more" }
      rule.timesLeft = Int(times)
    case "probability":
      guard let probability = value.double, (0...1).contains(probability) else {
        return "must be between 0 and 1"
      }
      rule.probability = probability
    default: return unknownField(key, known: Self.fields)
    }
    return nil
  }

  private func unknownField(_ name: String, known: [String]) -> String {
    "unknown field" + (nearestName(to: name, among: known).map { "; did you mean \"\($0)\"?" } ?? "")
  }

  private func text(_ value: JSON, _ set: (String) -> Void) -> String? {
    guard let text = value.string else { return "must be a string, not \(value.kind)" }
    set(text)
    return nil
  }

  /// The seconds of a duration such as `200ms`, `1.5s`, `2m` or `1h`.
  private func seconds(_ text: String) -> Double? {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let units = ["ms": 0.001, "s": 1, "m": 60, "h": 3600]
    guard let number = Double(digits), number.isFinite, let unit = units[String(text.dropFirst(digits.count))]
    else { return nil }
    let seconds = number * unit
    return seconds <= EmulatorLimits.latencySecondsMax ? seconds : nil
  }
}
