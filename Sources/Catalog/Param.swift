internal import JSON

/// A typed param of a template.
package struct Param: Sendable, Equatable {
  package let name: String
  package let type: ParamType
  package let description: String?
  /// The allowed values; nil for any.
  package let allowed: [ParamValue]?
  /// The maximum length of a string, in Unicode scalars.
  package let lengthMax: Int?
  /// The minimum of an integer or number.
  package let min: Double?
  /// The maximum of an integer or number.
  package let max: Double?
  /// The value if a request gives none.
  package let defaultValue: ParamValue?
  /// Whether a request may leave it out: the fields that it fills are then left out too.
  package let isOptional: Bool
  /// The line of the catalog that declares it, from 1.
  package let line: Int

  /// Whether a request must give a value.
  package var isRequired: Bool { defaultValue == nil && !isOptional }

  /// Checks an arg of a request.
  func read(_ json: JSON) -> Result<ParamValue, ParamError> {
    ParamValue.read(json, as: type).flatMap { value in
      if let mismatch = mismatch(of: value) { return .failure(mismatch) }
      return .success(value)
    }
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
    case .integer(let value): return rangeMismatch(of: Double(value))
    case .number(let value, _): return rangeMismatch(of: value)
    case .boolean: return nil
    }
  }

  private func rangeMismatch(of value: Double) -> ParamError? {
    if let min, value < min { return ParamError(.outOfRange, "must be at least \(shortestDecimal(min))") }
    if let max, value > max { return ParamError(.outOfRange, "must be at most \(shortestDecimal(max))") }
    return nil
  }
}
