internal import JSON

/// The type of a key's value in `aps` or its `alert` (Apple, "Generating a remote notification").
private enum ApsType {
  case string, number, flag, dictionary, strings
  /// A badge: an integer that is not negative.
  case count
  case oneOf([String])
  /// An alert's text: a string, or in a Live Activity an object with `loc-key` and `loc-args`.
  case text
  case alert, sound

  var plainName: String {
    switch self {
    case .string: "a string"
    case .number, .count: "a number"
    case .flag: "the number 1"
    case .dictionary: "a dictionary"
    case .strings: "an array of strings"
    case .oneOf(let values): "one of \(values.joined(separator: ", "))"
    case .text: "a string, or a dictionary with loc-key and loc-args"
    case .alert, .sound: "a string or a dictionary"
    }
  }

  /// What a single value here must be.
  var valueType: MessageValueType {
    switch self {
    case .string, .text: .text
    case .oneOf, .alert, .sound: .formattedText
    case .number, .count: .number
    case .flag: .apnsInteger
    case .dictionary, .strings: .container(name: plainName)
    }
  }

  func accepts(_ value: JSON) -> Bool {
    switch self {
    case .string: value.string != nil
    case .number: value.number != nil
    case .count: value.number?.double.map { $0 >= 0 && $0 == $0.rounded() } ?? false
    case .flag: value.number.map { $0.double == 0 || $0.double == 1 } ?? false
    case .dictionary: value.object != nil
    case .strings: value.array?.allSatisfy { $0.string != nil } ?? false
    case .oneOf(let values): value.string.map(values.contains) ?? false
    case .text, .alert, .sound: value.string != nil || value.object != nil
    }
  }
}

private func byExactKey(_ types: [String: ApsType]) -> [ExactText: ApsType] {
  Dictionary(uniqueKeysWithValues: types.map { (ExactText($0.key), $0.value) })
}

private let apsKeys = byExactKey([
  "alert": .alert, "badge": .count, "sound": .sound, "thread-id": .string, "category": .string,
  "target-content-id": .string, "content-available": .flag, "mutable-content": .flag,
  "interruption-level": .oneOf(["passive", "active", "time-sensitive", "critical"]),
  "relevance-score": .number, "filter-criteria": .string, "stale-date": .number, "timestamp": .number,
  "dismissal-date": .number, "content-state": .dictionary, "event": .oneOf(["start", "update", "end"]),
  "attributes-type": .string, "attributes": .dictionary, "input-push-token": .flag,
  "input-push-channel": .string, "url-args": .strings,
])

private let alertKeys = byExactKey([
  "title": .text, "subtitle": .text, "body": .text, "launch-image": .string, "title-loc-key": .string,
  "subtitle-loc-key": .string, "loc-key": .string, "action-loc-key": .string, "title-loc-args": .strings,
  "subtitle-loc-args": .strings, "loc-args": .strings, "sound": .string, "summary-arg": .string,
  "summary-arg-count": .number,
])

private let textKeys = byExactKey(["loc-key": .string, "loc-args": .strings])

private let soundKeys = byExactKey(["critical": .flag, "name": .string, "volume": .number])

extension RuleCheck {
  /// Checks the `aps` dictionary of an APNs payload.
  mutating func aps(_ value: JSON, at location: MessageLocation) {
    guard let aps = value.object else {
      if !value.isNull { add(location, "Value type for payload key [aps] is a dictionary.") }
      return
    }
    entries(of: aps, known: apsKeys, at: location)
    if let alert = aps["alert"]?.object { self.alert(alert, at: location.member("alert")) }
    if let sound = aps["sound"]?.object { self.sound(sound, at: location.member("sound")) }
    let isLiveActivity = aps["content-state"] != nil || aps["event"] != nil
    if let score = aps["relevance-score"]?.double, !isLiveActivity, !(0...1).contains(score) {
      add(location.member("relevance-score"), "Value for APS key [relevance-score] must be between 0 and 1.")
    }
  }

  private mutating func alert(_ alert: JSON.Object, at location: MessageLocation) {
    entries(of: alert, known: alertKeys, at: location)
    for prefix in ["title-", "subtitle-", ""] {
      locArgsNeedKey(alert, key: "\(prefix)loc-key", args: "\(prefix)loc-args", at: location)
    }
    for name in ["title", "subtitle", "body"] {
      guard let text = alert[name]?.object else { continue }
      let place = location.member(name)
      entries(of: text, known: textKeys, at: place)
      if !isPartial, (text["loc-key"] ?? .null).isNull, (text["loc-args"] ?? .null).isNull {
        add(place.member("loc-key"), "loc-key is required in a text that is a dictionary.", .missing)
      }
      locArgsNeedKey(text, key: "loc-key", args: "loc-args", at: place)
    }
  }

  private mutating func sound(_ sound: JSON.Object, at location: MessageLocation) {
    entries(of: sound, known: soundKeys, at: location)
    if !isPartial, sound["name"]?.string?.isEmpty ?? true {
      add(location.member("name"), "Value for APS key [sound] must have a name.", .missing)
    }
    if let volume = sound["volume"]?.double, !(0...1).contains(volume) {
      add(location.member("volume"), "Value for APS key [volume] must be between 0 and 1.")
    }
  }

  private mutating func locArgsNeedKey(
    _ object: JSON.Object, key: String, args: String, at location: MessageLocation
  ) {
    guard !isPartial, object[args]?.array?.isEmpty == false, object[key]?.string?.isEmpty ?? true else {
      return
    }
    add(location.member(args), "\(key) is required when \(args) is set.", .missing)
  }

  /// Null resets a key (Apple's archived payload reference).
  private mutating func entries(
    of object: JSON.Object, known: [ExactText: ApsType], at location: MessageLocation
  ) {
    for member in object {
      let place = location.member(member.key)
      guard let type = known[ExactText(member.key)] else {
        unknownKey(member.key, known: known, at: place)
        continue
      }
      if member.value.isNull || type.accepts(member.value) { continue }
      add(
        place, "Value type for APS key [\(member.key)] is \(type.plainName).",
        .wrongType(of: type, member.value))
    }
  }

  private mutating func unknownKey(_ key: String, known: [ExactText: ApsType], at location: MessageLocation) {
    guard hasRoom(for: .ineffective) else { return }
    add(
      MessageViolation(
        path: location.path, field: location.field, description: "APNs ignores the key [\(key)] here.",
        kind: .ineffective, suggestion: nearestName(to: key, among: known.keys.map(\.text).sorted())))
  }
}

extension RuleCheck {
  /// The type of the value at `path` in `aps`. Keys that Apple does not define may have any value.
  static func apsValueType(at path: ArraySlice<PathStep>) -> MessageValueType {
    guard case .key(let key)? = path.first else { return .container(name: ApsType.dictionary.plainName) }
    return switch key {
    case "alert": valueType(in: alertKeys, at: path.dropFirst()) ?? ApsType.alert.valueType
    case "sound": valueType(in: soundKeys, at: path.dropFirst()) ?? ApsType.sound.valueType
    default: valueType(in: apsKeys, at: path) ?? .any
    }
  }

  /// Nil if `path` is empty.
  private static func valueType(
    in known: [ExactText: ApsType], at path: ArraySlice<PathStep>
  ) -> MessageValueType? {
    guard case .key(let key)? = path.first else { return nil }
    let rest = path.dropFirst()
    guard let type = known[ExactText(key)] else { return .any }
    if rest.isEmpty { return type.valueType }
    switch type {
    case .strings: return .text
    case .text: return valueType(in: textKeys, at: rest) ?? .text
    default: return .any
    }
  }
}

extension MessageViolation.Kind {
  /// Distinguishes a wrong JSON type from a value that is only out of the key's range.
  fileprivate static func wrongType(of type: ApsType, _ value: JSON) -> MessageViolation.Kind {
    switch type {
    case .count, .flag: value.number == nil ? .wrongType : .invalidValue
    case .oneOf: value.string == nil ? .wrongType : .invalidValue
    default: .wrongType
    }
  }
}
