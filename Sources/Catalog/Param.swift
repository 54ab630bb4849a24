internal import JSON

/// A typed param of a template.
package struct Param: Sendable, Equatable {
  package let name: String
  package let type: ParamType
  package let description: String?
  /// The only values that it takes; nil: any.
  package let allowed: [ParamValue]?
  /// Of a string, in Unicode scalars.
  package let lengthMax: Int?
  /// Of an integer or number.
  package let min: Double?
  package let max: Double?
  /// What it is where a request does not say.
  package let defaultValue: ParamValue?
  /// The line of the catalog that declares it, from 1.
  package let line: Int

  package var isRequired: Bool { defaultValue == nil }

  /// Checks an arg of a request.
  func read(_ json: JSON) -> Result<ParamValue, ParamMismatch> {
    ParamValue.read(json, as: type).flatMap { value in
      if let mismatch = mismatch(of: value) { return .failure(mismatch) }
      return .success(value)
    }
  }

  /// Which constraint `value`, of the right type, breaks.
  func mismatch(of value: ParamValue) -> ParamMismatch? {
    if let allowed, !allowed.contains(value) {
      return ParamMismatch(.invalid, "must be one of \(allowed.map(\.text).joined(separator: ", "))")
    }
    switch value {
    case .string(let text):
      let length = text.unicodeScalars.count
      guard let lengthMax, length > lengthMax else { return nil }
      return ParamMismatch(
        .outOfRange, "must have at most \(lengthMax) characters (Unicode scalars), has \(length)")
    case .integer(let value): return rangeMismatch(of: Double(value))
    case .number(let value, _): return rangeMismatch(of: value)
    case .boolean: return nil
    }
  }

  private func rangeMismatch(of value: Double) -> ParamMismatch? {
    if let min, value < min { return ParamMismatch(.outOfRange, "must be at least \(shortestDecimal(min))") }
    if let max, value > max { return ParamMismatch(.outOfRange, "must be at most \(shortestDecimal(max))") }
    return nil
  }
}
