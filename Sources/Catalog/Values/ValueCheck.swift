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
  /// Whether an iPhone displays nothing but what the fields of `aps` say.
  private let showsOnlyAps: Bool
  private let hasData: Bool
  /// Where a param holds the ttl.
  private let ttl: (path: [PathStep], param: Int)?

  init(fields: [ValueTree.Member], places: [ValuePlace], ttl: ValuePlace?, showsOnlyAps: Bool) {
    let checked = places.filter(\.isUnderRules)
    members = fields.filter { field in checked.contains { $0.path.first == .key(field.key) } }
    self.places = checked.map { ($0.path, $0.use.param) }
    self.ttl = ttl.map { ($0.path, $0.use.param) }
    self.showsOnlyAps = showsOnlyAps
    hasData = fields.contains { $0.key == "data" }
  }

  /// Whether a request's values must be checked at all.
  var isNeeded: Bool { !members.isEmpty || ttl != nil }

  /// Whether a param sets the ttl.
  var hasTTL: Bool { ttl != nil }

  /// The ttl that a param holds; nil if it is left out or is not a duration.
  func ttlSeconds(_ values: [ParamValue?]) -> Int? {
    ttl.flatMap { values[$0.param] }.flatMap { MessageRules.ttlSeconds(googleDuration: $0.text) }
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
      inMembers: message, showsNothing: showsOnlyAps && settings.priority == nil)
    for violation in found + rules where violation.kind != .ineffective {
      guard let param = cause(of: violation, values) else { continue }
      violations.append(Violation(param: param, violation: violation))
    }
    return violations
  }

  private func ttlViolations(_ values: [ParamValue?]) -> [Violation] {
    guard let ttl, let value = values[ttl.param], let problem = MessageRules.ttlProblem(value.text) else {
      return []
    }
    let field = ttl.path.appended(to: .root).description
    return [
      Violation(
        param: ttl.param,
        violation: MessageViolation(
          path: ttl.path, field: field, description: problem, kind: .invalidValue))
    ]
  }

  /// The param whose place has most in common with a violation's. What makes a field missing is a param that
  /// is left out or empty.
  private func cause(of violation: MessageViolation, _ values: [ParamValue?]) -> Int? {
    func rank(_ place: (path: [PathStep], param: Int)) -> (Int, Int, Int) {
      let value = values[place.param]
      let isPossible = violation.kind != .missing || value?.text.isEmpty ?? true
      let (steps, bytes) = violation.path.common(with: place.path)
      return (isPossible ? 1 : 0, steps, bytes)
    }
    return places.max { rank($0) < rank($1) }?.param
  }
}

extension [PathStep] {
  /// How many steps are the same from the start on, and how many bytes of the keys after them:
  /// `title_loc_key` belongs to `title_loc_args`.
  fileprivate func common(with other: [PathStep]) -> (steps: Int, bytes: Int) {
    let steps = zip(self, other).prefix { $0 == $1 }.count
    guard case .key(let own)? = dropFirst(steps).first, case .key(let others)? = other.dropFirst(steps).first
    else { return (steps, 0) }
    return (steps, zip(own.utf8, others.utf8).prefix { $0 == $1 }.count)
  }
}
