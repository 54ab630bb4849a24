package import JSON

/// A text of a finding: in English, and as the templates and values from which others make it in their
/// language.
package struct FindingText: Sendable, Equatable {
  package private(set) var english: String
  /// Of each sentence, `["id", value, …]`, where a value is a text or such a list; or a text, which is in
  /// English only.
  package private(set) var sentences: [JSON]

  /// What is in English only, such as the words of the system or of a library.
  package init(english: String) {
    self.english = english
    sentences = [.string(english)]
  }

  package init(_ text: FileText, _ values: [any FindingValue] = []) { self.init(template: text, values) }

  package init(_ text: AppleFileText, _ values: [any FindingValue] = []) { self.init(template: text, values) }

  package init(template: some FindingTemplate, _ values: [any FindingValue]) {
    english = template.filled(with: values.map(\.english))
    sentences = [.array([.string("\(template)")] + values.map(\.json))]
  }

  /// Both, one after the other.
  package static func + (first: FindingText, second: FindingText) -> FindingText {
    var text = first
    text.english += " \(second.english)"
    text.sentences += second.sentences
    return text
  }
}

/// A sentence or clause of the catalog of texts, in English. Its name is its id.
package protocol FindingTemplate: RawRepresentable<String>, CaseIterable, FindingValue, Sendable {}

extension FindingTemplate {
  package var english: String { rawValue }
  package var json: JSON { .array([.string("\(self)")]) }

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
package protocol FindingValue {
  var english: String { get }
  var json: JSON { get }
}

extension String: FindingValue {
  package var english: String { self }
  package var json: JSON { .string(self) }
}

extension Int: FindingValue {
  package var english: String { String(self) }
  package var json: JSON { .string(english) }
}

extension FindingText: FindingValue {
  package var json: JSON {
    sentences.dropFirst().reduce(sentences.first ?? .null) { first, second in
      .array([.string("\(FileText.together)"), first, second])
    }
  }
}
