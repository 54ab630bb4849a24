internal import JSON

extension MessageRules {
  /// The maximum number of topics in one condition.
  package static let conditionTopicsMax = 5
  /// The maximum length of a topic name, in characters.
  package static let topicCharactersMax = 900

  /// Why `topic` is not a topic name (`[a-zA-Z0-9-_.~%]{1,900}`); nil if it is one.
  package static func topicProblem(_ topic: String) -> String? {
    if topic.isEmpty { return "Topic name must not be empty." }
    if topic.hasPrefix("/topics/") { return "Topic name must be given without the \"/topics/\" prefix." }
    guard isName(topic, charactersMax: topicCharactersMax) else {
      return "Topic name must match the pattern \"[a-zA-Z0-9-_.~%]{1,900}\"."
    }
    return nil
  }

  /// Why `condition` is not a condition; nil if it is one: `'a' in topics` joined by `&&` and `||`, with `!`
  /// and parentheses, over at most five topics.
  package static func conditionProblem(_ condition: String) -> String? {
    var reader = ConditionReader(bytes: Array(condition.utf8))
    return reader.problem()
  }

  /// Why `target`, which is not empty, cannot be the target of a message; nil if it can.
  static func problem(with target: Target) -> String? {
    switch target {
    case .topic(let topic): topicProblem(topic)
    case .condition(let condition): conditionProblem(condition)
    case .token(let registration), .fid(let registration):
      registration.isVisibleASCII ? nil : "Invalid registration token"
    }
  }

  /// Whether `text` consists of 1 to `charactersMax` of the characters that topics and labels may contain.
  static func isName(_ text: String, charactersMax: Int) -> Bool {
    (1...charactersMax).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
  }

  fileprivate static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: "~"), UInt8(ascii: "%"):
      true
    default: false
    }
  }
}

extension RuleCheck {
  /// Checks that the message has exactly one of fid, token, topic and condition, and that it is not empty.
  mutating func target(of part: MessagePart) {
    let location = part.location
    let targets = ["fid", "token", "topic", "condition"].compactMap { name in
      part.member(name).map { (name: name, member: $0) }
    }
    guard let first = targets.first else {
      return add(location, "Recipient of the message is not set.", .missing)
    }
    for extra in targets.dropFirst() {
      add(
        location,
        "Invalid value at '\(location.field)' (oneof), oneof field 'target' is already set. "
          + "Cannot set '\(extra.name)'", .conflict)
    }
    guard targets.count == 1, let text = first.member.value.string,
      let target = Target(field: first.name, value: text)
    else { return }
    if text.isEmpty {
      add(location, "Recipient of the message is not set.", .missing)
    } else if let problem = MessageRules.problem(with: target) {
      add(first.member.location, problem)
    }
  }
}

/// Validates a condition from left to right. It counts open parentheses instead of keeping a stack, so deep
/// nesting cannot exhaust it.
private struct ConditionReader {
  let bytes: [UInt8]
  var position = 0
  var openParentheses = 0
  var topicCount = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func problem() -> String? {
    if bytes.isEmpty { return "Condition must not be empty." }
    var expectsOperand = true
    while true {
      skipSpaces()
      guard position < bytes.count else { break }
      if expectsOperand {
        if take("!") { continue }
        if take("(") {
          openParentheses += 1
          continue
        }
        if let problem = readTopic() { return problem }
        expectsOperand = false
      } else if take(")") {
        openParentheses -= 1
        if openParentheses < 0 { return invalid("a closing parenthesis has no opening one") }
      } else if take("&&") || take("||") {
        expectsOperand = true
      } else {
        return invalid("expected &&, || or the end")
      }
    }
    if expectsOperand { return invalid("it ends where a topic must follow") }
    if openParentheses > 0 { return invalid("a parenthesis is not closed") }
    if topicCount > MessageRules.conditionTopicsMax {
      return "Condition must not name more than \(MessageRules.conditionTopicsMax) topics."
    }
    return nil
  }

  /// Reads `'name' in topics`.
  private mutating func readTopic() -> String? {
    guard let quote = takeQuote() else {
      return invalid("expected a topic in quotes")
    }
    let start = position
    while position < bytes.count, MessageRules.isNameByte(bytes[position]) { position += 1 }
    let length = position - start
    guard (1...MessageRules.topicCharactersMax).contains(length), take(quote) else {
      return invalid("a topic name must match \"[a-zA-Z0-9-_.~%]{1,900}\" and end with its quote")
    }
    skipSpaces()
    let word = position
    guard take("in"), position < bytes.count, bytes[position] == 0x20 else {
      position = word
      return invalid("expected 'in topics' after a topic")
    }
    skipSpaces()
    guard take("topics") else { return invalid("expected 'in topics' after a topic") }
    topicCount += 1
    return nil
  }

  private func invalid(_ reason: String) -> String {
    "Invalid condition expression: \(reason) (character \(position + 1))."
  }

  private mutating func skipSpaces() {
    while position < bytes.count, bytes[position] == 0x20 { position += 1 }
  }

  private mutating func takeQuote() -> StaticString? {
    if take("'") { return "'" }
    return take("\"") ? "\"" : nil
  }

  private mutating func take(_ text: StaticString) -> Bool {
    let end = position + text.utf8CodeUnitCount
    guard end <= bytes.count, text.withUTF8Buffer({ bytes[position..<end].elementsEqual($0) }) else {
      return false
    }
    position = end
    return true
  }
}
