internal import JSON

/// A text of a finding: in English, and as the templates and values from which others make it in their
/// language.
package struct FindingText: Sendable, Equatable {
  package private(set) var english: String
  /// Of each sentence, `["id", value, …]`, where a value is a text or such a list; or a text, which is in
  /// English only.
  private(set) var sentences: [JSON]

  /// What reading a file found, as its reader puts it.
  init(english: String) {
    self.english = english
    sentences = [.string(english)]
  }

  init(_ fault: FaultText, _ values: [any FindingValue] = []) { self.init(template: fault, values) }

  init(_ advice: AdviceText, _ values: [any FindingValue] = []) { self.init(template: advice, values) }

  private init(template: some FindingTemplate, _ values: [any FindingValue]) {
    english = template.filled(with: values.map(\.english))
    sentences = [.array([.string("\(template)")] + values.map(\.json))]
  }

  /// Both, one after the other.
  static func + (first: FindingText, second: FindingText) -> FindingText {
    var text = first
    text.english += " \(second.english)"
    text.sentences += second.sentences
    return text
  }
}

/// A sentence or clause of the catalog of texts, in English. Its name is its id.
protocol FindingTemplate: RawRepresentable<String>, CaseIterable, Sendable {}

extension FindingTemplate {
  /// The text with values in place of `{1}`, `{2}` and so on.
  func filled(with values: [String]) -> String {
    var text = ""
    var rest = rawValue[...]
    while let open = rest.firstIndex(of: "{") {
      text += rest[..<open]
      let inside = rest[rest.index(after: open)...]
      if let number = inside.first?.wholeNumberValue, inside.dropFirst().first == "}",
        values.indices.contains(number - 1)
      {
        text += values[number - 1]
        rest = inside.dropFirst(2)
      } else {
        text += "{"
        rest = inside
      }
    }
    return text + rest
  }
}

/// What stands in a template: a text as it is, or a clause.
protocol FindingValue {
  var english: String { get }
  var json: JSON { get }
}

extension String: FindingValue {
  var english: String { self }
  var json: JSON { .string(self) }
}

extension Int: FindingValue {
  var english: String { String(self) }
  var json: JSON { .string(english) }
}

extension FaultText: FindingValue {
  var english: String { rawValue }
  var json: JSON { .array([.string("\(self)")]) }
}

extension FindingText: FindingValue {
  var json: JSON { sentences.first ?? .null }
}
