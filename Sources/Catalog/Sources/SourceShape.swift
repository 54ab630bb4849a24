/// What the texts of a source's key depend on, in all languages together.
package struct SourceShape: Sendable {
  package enum Number: Sendable, Equatable {
    case none
    /// The number is what the slot says.
    case ofSlot
    /// The number is an arg that the texts name.
    case argument(String)
  }

  package let number: Number
  /// The args whose values choose among texts.
  package let selects: [String]
  /// For each plural of each language: which of its forms a number has.
  package let forms: [@Sendable (UInt64) -> Int]

  package init(number: Number, selects: [String], forms: [@Sendable (UInt64) -> Int]) {
    (self.number, self.selects, self.forms) = (number, selects, forms)
  }
}

extension Catalog {
  /// What the texts of the resources' sources depend on, by key; nil for a key that no source has. Asked at
  /// most once, and only if the resources name sources.
  package typealias SourceShapes = (Resources) -> (String) -> SourceShape?
}

/// A slot's use of a key of a source.
package struct SourceUse: Sendable, Equatable {
  /// As the source has it.
  package let key: String
  /// The values for which the slot's own texts are, if there are others for other values.
  package let conditions: [TextSlot.Condition]
}

extension TextSlot {
  /// A text of a source, for the values that choose it.
  package struct SourceChoice: Sendable {
    package let conditions: [Condition]
    package let texts: Texts
    package let plural: Plural?
  }

  /// All texts that a slot takes from a source; empty for other slots.
  package var sourceChoices: [SourceChoice] {
    guard let source else { return [] }
    return variants.map { SourceChoice(conditions: $0.conditions, texts: $0.texts, plural: $0.plural) }
      + [SourceChoice(conditions: source.conditions, texts: texts, plural: plural)]
  }

  /// The args that a text of a source may leave out, because they choose it.
  package var choosingArgs: [String] {
    guard let source else { return [] }
    return source.conditions.map(\.param) + [plural?.param].compactMap(\.self)
  }
}
