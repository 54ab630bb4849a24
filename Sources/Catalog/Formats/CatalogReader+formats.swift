internal import JSON
internal import LocaleRules
internal import YAML

extension CatalogReader {
  enum FormatField: String, CaseIterable {
    case currency
  }

  /// The name of a format that is not an object.
  enum FormatName: String, CaseIterable {
    case number, percent, short, medium, long
  }

  /// `format` of a param: `number`, `percent`, `{currency: EUR}`, and for dates `short`, `medium` or `long`.
  func readFormat(_ field: YAMLField, of type: ParamType) -> ValueFormat? {
    guard type != .string, type != .boolean else {
      field.report("only a number, a date or a time can have a format; \(type.rawValue) is neither")
      return nil
    }
    if field.node.mapping != nil {
      guard let currency = field.fields(FormatField.self)?.required(.currency),
        let code = currency.nonEmptyString()
      else { return nil }
      guard LocaleFormatter.isCurrency(code) else {
        currency.report("must be the ISO 4217 code of a currency, such as EUR")
        return nil
      }
      return checked(.currency(code), field, type, isDate: false)
    }
    guard let name = field.choice(FormatName.self) else { return nil }
    switch name {
    case .number: return checked(.number, field, type, isDate: false)
    case .percent: return checked(.percent, field, type, isDate: false)
    case .short: return checked(type.format(.short), field, type, isDate: true)
    case .medium: return checked(type.format(.medium), field, type, isDate: true)
    case .long: return checked(type.format(.long), field, type, isDate: true)
    }
  }

  private func checked(
    _ format: ValueFormat, _ field: YAMLField, _ type: ParamType, isDate: Bool
  ) -> ValueFormat? {
    guard type.isDate == isDate else {
      field.report(
        type.isDate
          ? "the format of a date or a time is short, medium or long"
          : "the format of a number is number, percent or {currency: EUR}")
      return nil
    }
    return format
  }
}

extension ParamType {
  fileprivate func format(_ length: ValueFormat.Length) -> ValueFormat {
    switch self {
    case .date: .date(length)
    case .time: .time(length)
    default: .dateTime(length)
    }
  }
}
