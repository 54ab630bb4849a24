package import JSON

/// The type of a param, with its name in the catalog.
package enum ParamType: String, Sendable, CaseIterable {
  case string, integer, number, boolean, date, time, datetime

  /// Whether its values are dates or times.
  package var isDate: Bool { self == .date || self == .time || self == .datetime }
}

/// A value of a param and its text in a message: FCM and APNs accept only strings as args.
package enum ParamValue: Sendable, Equatable {
  case string(String)
  case integer(Int64)
  /// A number and its text: the shortest one that reads back the same, or the text of a string as given.
  case number(Double, text: String)
  case boolean(Bool)
  /// A date or time, and its text as given.
  case date(DateValue, text: String)

  /// The arg as it is written in the message.
  package var text: String {
    switch self {
    case .string(let text), .number(_, let text), .date(_, let text): text
    case .integer(let value): String(value)
    case .boolean(let value): value ? "true" : "false"
    }
  }

  /// The arg as a text shows it, or as a locale writes it (`written`): what a string contains cannot change
  /// the order of the text around it.
  func directedText(as written: String?, isolates: Bool) -> String {
    if case .string(let text) = self { return BidiText.directed(text, isolates: isolates) }
    let text = written ?? text
    return isolates ? BidiText.firstStrongIsolate + text + BidiText.popIsolate : text
  }

  /// Compares numbers by value, whatever their text, and strings byte by byte.
  package static func == (left: ParamValue, right: ParamValue) -> Bool {
    switch (left, right) {
    case (.string(let left), .string(let right)): left.hasSameBytes(as: right)
    case (.integer(let left), .integer(let right)): left == right
    case (.number(let left, _), .number(let right, _)): left == right
    case (.boolean(let left), .boolean(let right)): left == right
    case (.date(_, let left), .date(_, let right)): left.hasSameBytes(as: right)
    default: false
    }
  }

  /// The value as JSON, for the API's description of templates.
  package var json: JSON {
    switch self {
    case .string(let text), .date(_, let text): .string(text)
    case .integer(let value): JSON(value)
    case .number(let value, let text):
      (try? JSON.parse(text)).flatMap { $0.number == nil ? nil : $0 } ?? JSON.Number(value).map(JSON.number)
        ?? .null
    case .boolean(let value): .bool(value)
    }
  }

  /// Reads `json` as `type`.
  static func read(_ json: JSON, as type: ParamType) -> Result<ParamValue, ParamError> {
    switch (type, json) {
    case (.string, .string(let text)): return .success(.string(text))
    case (.boolean, .bool(let value)): return .success(.boolean(value))
    case (.integer, .number(let number)): return integer(number)
    case (.number, .number(let number)): return self.number(number, text: nil)
    case (.number, .string(let text)):
      guard let number = (try? JSON.parse(text))?.number, number.lexeme.hasSameBytes(as: text) else {
        return .failure(ParamError(.wrongType, "must be a number or a string that holds a number"))
      }
      return self.number(number, text: text)
    case (.date, .string(let text)), (.time, .string(let text)), (.datetime, .string(let text)):
      guard let value = DateValue(text, as: type) else {
        return .failure(ParamError(.invalid, "must be \(type.expectation) (RFC 3339)"))
      }
      return .success(.date(value, text: text))
    default: return .failure(ParamError(.wrongType, "must be \(type.expectation), not \(json.kind)"))
    }
  }

  private static func integer(_ number: JSON.Number) -> Result<ParamValue, ParamError> {
    switch WholeNumber(lexeme: number.lexeme) {
    case .value(let value): .success(.integer(value))
    case .fraction: .failure(ParamError(.wrongType, "must be an integer, not a fraction"))
    case .tooLarge: .failure(ParamError(.outOfRange, "must fit in a signed 64-bit integer"))
    }
  }

  private static func number(_ number: JSON.Number, text: String?) -> Result<ParamValue, ParamError> {
    guard let value = number.double else {
      return .failure(ParamError(.outOfRange, "must be a finite double"))
    }
    if let text { return .success(.number(value, text: text)) }
    // An integer keeps its digits: beyond 2^53 a double would change them.
    if let whole = number.int64 { return .success(.number(value, text: String(whole))) }
    return .success(.number(value, text: shortestDecimal(value)))
  }
}

/// The reason why a value does not match its param's type or constraints.
struct ParamError: Error, CustomStringConvertible {
  let code: InputError.Code
  /// The explanation for the caller. Holds limits and allowed values, never the value itself.
  let detail: String
  var description: String { detail }

  init(_ code: InputError.Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}

extension ParamType {
  var expectation: String {
    switch self {
    case .string: "a string"
    case .integer: "an integer"
    case .number: "a number"
    case .boolean: "true or false"
    case .date: "a date such as 2026-11-22"
    case .time: "a time such as 18:30:00"
    case .datetime: "a date and time such as 2026-11-22T18:30:00Z"
    }
  }
}
