/// Resolution of plain scalars by the core schema (YAML 1.2.2 §10.3.2), in which `no`, `on` and `12:30` are
/// strings.
extension YAMLNode.Scalar {
  package enum Value: Sendable, Equatable {
    case null
    case bool(Bool)
    /// An integer in decimal digits, whatever its base in the document.
    case integer(String)
    /// A number as a valid JSON number.
    case number(String)
    /// An infinity or NaN, which JSON does not have.
    case notFinite
    case string
  }

  /// The value that the scalar stands for.
  package var value: Value {
    style == .quoted ? .string : Self.resolve(text)
  }

  private static func resolve(_ text: String) -> Value {
    switch text {
    case "", "~", "null", "Null", "NULL": return .null
    case "true", "True", "TRUE": return .bool(true)
    case "false", "False", "FALSE": return .bool(false)
    case ".nan", ".NaN", ".NAN": return .notFinite
    case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF": return .notFinite
    default: return integer(text) ?? number(text) ?? .string
    }
  }

  private static func integer(_ text: String) -> Value? {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] where text.hasPrefix(prefix) {
      let digits = text.dropFirst(2)
      guard let first = digits.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "+") else {
        return nil
      }
      return UInt64(digits, radix: radix).map { .integer(String($0)) }
    }
    let isNegative = text.utf8.first == UInt8(ascii: "-")
    let digits = isNegative || text.utf8.first == UInt8(ascii: "+") ? text.dropFirst() : text[...]
    guard isDigits(digits) else { return nil }
    let significant = digits.drop { $0 == "0" }
    if significant.isEmpty { return .integer("0") }
    return .integer((isNegative ? "-" : "") + significant)
  }

  /// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
  private static func number(_ text: String) -> Value? {
    var rest = text.utf8[...]
    func take(_ characters: StaticString) -> UInt8? {
      guard let byte = rest.first, characters.withUTF8Buffer({ $0.contains(byte) }) else { return nil }
      rest = rest.dropFirst()
      return byte
    }
    func takeDigits() -> String {
      let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      rest = rest.dropFirst(digits.count)
      return String(decoding: digits, as: UTF8.self)
    }
    var output = take("+-") == UInt8(ascii: "-") ? "-" : ""
    let whole = takeDigits()
    let hasPoint = take(".") != nil
    let fraction = hasPoint ? takeDigits() : ""
    guard !whole.isEmpty || !fraction.isEmpty else { return nil }
    let significant = whole.drop { $0 == "0" }
    output += significant.isEmpty ? "0" : significant
    if !fraction.isEmpty { output += "." + fraction }
    if take("eE") != nil {
      let sign = take("+-") == UInt8(ascii: "-") ? "-" : ""
      let exponent = takeDigits()
      guard !exponent.isEmpty else { return nil }
      output += "e" + sign + exponent
    }
    return rest.isEmpty ? .number(output) : nil
  }

  private static func isDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}

extension YAMLNode {
  /// The kind of value, for messages: `"a string"`, `"a mapping"`.
  package var kindName: String {
    switch kind {
    case .mapping: "a mapping"
    case .sequence: "a list"
    case .scalar(let scalar):
      switch scalar.value {
      case .null: "null"
      case .bool: "a boolean"
      case .integer: "an integer"
      case .number, .notFinite: "a number"
      case .string: "a string"
      }
    }
  }

  package var isNull: Bool { scalar?.value == .null }
}
