internal import JSON
package import LocaleRules

/// A typed param of a template.
package struct Param: Sendable, Equatable {
  package let name: String
  package let type: ParamType
  package let description: String?
  /// The allowed values; nil for any.
  package let allowed: [ParamValue]?
  /// The maximum length of a string, in Unicode scalars.
  package let lengthMax: Int?
  /// How the arg is written where the recipient's language is known; nil for as it is.
  package let format: ValueFormat?
  /// The minimum of an integer or number.
  package let min: NumberLimit?
  /// The maximum of an integer or number.
  package let max: NumberLimit?
  /// The value if a request gives none.
  package let defaultValue: ParamValue?
  /// A value for previews that are given none.
  package let example: ParamValue?
  /// Whether a request may leave it out: the fields that it fills are then left out too.
  package let isOptional: Bool
  /// Whether texts isolate it, so that its direction does not change the order of the text around it.
  package let isIsolated: Bool
  /// The line of the catalog that declares it, from 1.
  package let line: Int

  /// Whether a request must give a value.
  package var isRequired: Bool { defaultValue == nil && !isOptional }

  /// Checks an arg of a request.
  func read(_ json: JSON) -> Result<ParamValue, ParamError> {
    let result = ParamValue.read(json, as: type)
    guard case .success(let value) = result, let mismatch = mismatch(of: value) else { return result }
    return .failure(mismatch)
  }

  /// The constraint that `value`, which has the right type, violates.
  func mismatch(of value: ParamValue) -> ParamError? {
    if let allowed, !allowed.contains(value) {
      return ParamError(.invalid, "must be one of \(allowed.map(\.text).joined(separator: ", "))")
    }
    switch value {
    case .string(let text):
      let length = text.unicodeScalars.count
      guard let lengthMax, length > lengthMax else { return nil }
      return ParamError(
        .outOfRange, "must have at most \(lengthMax) characters (Unicode scalars), has \(length)")
    case .integer(let value): return rangeMismatch(of: NumberLimit(value))
    case .number(let value, let text): return rangeMismatch(of: NumberLimit(value, text: text))
    case .boolean, .date: return nil
    }
  }

  private func rangeMismatch(of number: @autoclosure () -> NumberLimit) -> ParamError? {
    guard min != nil || max != nil else { return nil }
    let number = number()
    if let min, number < min { return ParamError(.outOfRange, "must be at least \(min.text)") }
    if let max, number > max { return ParamError(.outOfRange, "must be at most \(max.text)") }
    return nil
  }
}
