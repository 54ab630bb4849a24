internal import FCMMessage
package import JSON

extension Template {
  /// Args with which the template can be shown although nobody gave any: the examples of its params, and a
  /// sample value for each other param that a request must give. FCM accepts them where they stand in its
  /// fields, as far as such a value is known.
  package var exampleArgs: JSON.Object {
    let samples = params.map(\.sampleValues)
    var values = zip(params, samples).map { param, samples in
      param.example ?? param.defaultValue ?? (param.isRequired ? samples.first : nil)
    }
    for (index, param) in params.enumerated() where param.example == nil && param.isRequired {
      values[index] = samples[index].first { accepts($0, of: index, beside: values) } ?? values[index]
    }
    return JSON.Object(
      zip(params, values).compactMap { param, value in
        guard param.example != nil || param.isRequired else { return nil }
        return value.map { (param.name, $0.json) }
      })
  }

  /// Whether FCM accepts a value of the param at `index` in the fields in which it stands.
  private func accepts(_ value: ParamValue, of index: Int, beside values: [ParamValue?]) -> Bool {
    guard plan.check.isNeeded else { return true }
    var values = values
    values[index] = value
    return !plan.check.violations(values, MessageSettings()).contains { $0.param == index }
  }
}

extension Param {
  /// Texts of the forms that FCM's fields have: a URL, a color, durations and times, values of enumerations.
  private static let formattedTexts = [
    "https://example.com/", "#336699", "3600s", "2026-11-21T09:30:00Z", "2026-11-21", "09:30:00", "PUBLIC",
    "HIGH", "ALLOW", "PRIORITY_HIGH", "high", "active", "10", "alert",
  ]

  private static let people = [
    "name", "sender", "user", "customer", "friend", "from", "author", "player", "scorer", "who",
  ]

  /// Values within the param's own limits, the most typical first.
  fileprivate var sampleValues: [ParamValue] {
    if let allowed { return allowed }
    let rounded = [min?.double.rounded(.up), max?.double.rounded(.down)].compactMap { $0 }
    let numbers =
      ([12.5, 3, 1, 0] + rounded).compactMap { JSON.Number($0) }.map(JSON.number)
      + [min, max].compactMap { $0?.json }
    let texts = ([typicalText] + Self.formattedTexts).map(JSON.string)
    return (numbers + [true] + texts).compactMap { try? read($0).get() }
  }

  /// A person's name for a param that seems to be one, otherwise the param's own name.
  package static func typicalText(of name: String) -> String {
    let lower = name.lowercased()
    if people.contains(where: lower.contains) { return lower == "sender" ? "Bob" : "Alice" }
    let words = name.map { "_.-".contains($0) ? " " : $0 }
    return words.prefix(1).map { $0.uppercased() }.joined() + String(words.dropFirst())
  }

  private var typicalText: String {
    let text = Self.typicalText(of: name)
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(lengthMax ?? .max)))
  }
}
