/// The args that a locale writes in its own way. All others are as they are.
package struct ArgTexts: Sendable, Equatable {
  private struct Text: Sendable, Equatable {
    let param: Int
    let text: String
  }

  /// A few, in the order in which they were added.
  private var texts: [Text] = []

  package init() {}

  var isEmpty: Bool { texts.isEmpty }

  /// The text of the param with an index.
  package subscript(param: Int) -> String? { texts.first { $0.param == param }?.text }

  /// Adds the text of a param, each once.
  package mutating func add(_ text: String, of param: Int) { texts.append(Text(param: param, text: text)) }
}
