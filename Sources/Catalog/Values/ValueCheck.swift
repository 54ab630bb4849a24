internal import FCMMessage
internal import JSON
internal import YAML

/// A place of FCM's fields in which a param stands.
struct ValuePlace {
  let use: ParamUse
  /// The path in FCM's `Message`.
  let path: [PathStep]
  let node: YAMLNode

  /// Whether FCM's rules look at the value. They do not look at `data`, nor at an app's own keys.
  var isUnderRules: Bool {
    if case .key("data")? = path.dropLast().last { return false }
    return MessageSchema.valueType(at: path) != .any
  }
}

/// What the schema and the rules of FCM and APNs say about the args that stand in FCM's fields.
struct ValueCheck: Sendable {
  /// A value, or a combination of values, that FCM would reject.
  struct Violation {
    /// The index of the param to which it is attributed.
    let param: Int
    let violation: MessageViolation
  }

  /// The members of the message with params in fields under rules; empty if no value can violate any.
  private let members: [ValueTree.Member]
  private let places: [(path: [PathStep], param: Int)]
  /// Whether nothing but FCM's fields makes an iPhone display the message.
  private let showsOnlyFields: Bool
  private let hasData: Bool
  /// The param that holds `android.ttl`.
  private let ttlParam: Int?

  init(fields: [ValueTree.Member], places: [ValuePlace], ttlParam: Int?, showsOnlyFields: Bool) {
    let checked = places.filter(\.isUnderRules)
    members = fields.filter { field in checked.contains { $0.path.first == .key(field.key) } }
    self.places = checked.map { ($0.path, $0.use.param) }
    self.ttlParam = ttlParam
    self.showsOnlyFields = showsOnlyFields
    hasData = fields.contains { $0.key == "data" }
  }

  /// Whether a request's values must be checked at all.
  var isNeeded: Bool { !members.isEmpty || ttlParam != nil }

  /// Whether a param sets the ttl.
  var hasTTL: Bool { ttlParam != nil }

  /// The ttl that a param holds; nil if it is left out or is not a duration.
  func ttlSeconds(_ values: [ParamValue?]) -> Int? {
    ttlParam.flatMap { values[$0] }.flatMap { MessageRules.ttlSeconds(googleDuration: $0.text) }
  }

  /// Everything in the fields that FCM would reject. O(fields).
  func violations(_ values: [ParamValue?], _ settings: MessageSettings) -> [Violation] {
    var violations = ttlViolations(values)
    if members.isEmpty { return violations }
    var message = JSON.Object(
      members.compactMap { member in member.value.json(values).map { (member.key, $0) } })
    let found = MessageSchema.violations(in: .object(message), of: .message)
    // FCM counts data as a reason to wake the app, whatever they are.
    if message["data"] == nil, hasData || !settings.data.isEmpty { message["data"] = [:] }
    let rules = MessageRules.violations(
      inMembers: message, showsNothing: showsOnlyFields && settings.priority == nil)
    for violation in found + rules where violation.kind != .ineffective {
      guard let param = param(nearest: violation.path) else { continue }
      violations.append(Violation(param: param, violation: violation))
    }
    return violations
  }

  private func ttlViolations(_ values: [ParamValue?]) -> [Violation] {
    guard let ttlParam, let value = values[ttlParam], let problem = MessageRules.ttlProblem(value.text) else {
      return []
    }
    return [
      Violation(
        param: ttlParam,
        violation: MessageViolation(
          path: [.key("android"), .key("ttl")], field: "android.ttl", description: problem,
          kind: .invalidValue))
    ]
  }

  /// The param whose place has most in common with `path`.
  private func param(nearest path: [PathStep]) -> Int? {
    places.max { left, right in
      path.commonCount(with: left.path) < path.commonCount(with: right.path)
    }?.param
  }
}

extension [PathStep] {
  fileprivate func commonCount(with other: [PathStep]) -> Int {
    zip(self, other).prefix { $0 == $1 }.count
  }
}
