/// The args that a locale writes in its own way. All others are as they are.
package struct ArgTexts: Sendable, Equatable {
  /// By the index of the param.
  private var texts: [Int: String] = [:]

  package init() {}

  package subscript(param: Int) -> String? {
    get { texts.isEmpty ? nil : texts[param] }
    set { texts[param] = newValue }
  }
}
