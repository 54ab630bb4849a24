package import AppStrings

/// A text of a source in one language: its parts, of which some depend on a number or on an arg's value.
package struct SourceMessage: Sendable, Equatable {
  package indirect enum Part: Sendable, Equatable {
    case text(String)
    /// The arg of this name.
    case argument(String)
    /// The arg at this index of the slot's args, from 0.
    case position(Int)
    /// A form by a number: that of the arg `number`, or the slot's own if the format does not name one.
    case plural(number: String?, SourcePlural)
    case select(argument: String, [Case])
  }

  /// The parts for one value of a `select`'s arg; `other` is for all others.
  package struct Case: Sendable, Equatable {
    package let value: String
    let parts: [Part]
  }

  /// A part of a text in which everything is chosen.
  package enum Piece: Sendable, Equatable {
    case text(String)
    case argument(String)
    case position(Int)
  }

  package let parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }

  /// All parts, those of forms and cases too.
  private var allParts: [Part] { Self.flattened(parts) }

  private static func flattened(_ parts: [Part]) -> [Part] {
    parts.flatMap { part -> [Part] in
      switch part {
      case .plural(_, let plural): [part] + plural.forms.flatMap { flattened($0.parts) }
      case .select(_, let cases): [part] + cases.flatMap { flattened($0.parts) }
      case .text, .argument, .position: [part]
      }
    }
  }

  /// The plurals, in text order, with the args that their numbers are.
  package var plurals: [(number: String?, plural: SourcePlural)] {
    allParts.compactMap { if case .plural(let number, let plural) = $0 { (number, plural) } else { nil } }
  }

  /// The args that choose among cases, in text order.
  package var selects: [String] { selectedValues.map(\.name) }

  /// The args that choose among cases with the values of the cases, in text order.
  package var selectedValues: [(name: String, values: [String])] {
    allParts.compactMap {
      if case .select(let argument, let cases) = $0 { (argument, cases.map(\.value)) } else { nil }
    }
  }

  /// The args that the text shows, in text order.
  package var shown: [Piece] {
    allParts.compactMap {
      switch $0 {
      case .argument(let name): .argument(name)
      case .position(let index): .position(index)
      case .text, .plural, .select: nil
      }
    }
  }

  /// The text for a number and for the values of args; nil if the language has none for the number.
  /// `form` chooses among a plural's forms.
  package func pieces(
    values: [String: String], form: (SourcePlural) -> SourcePlural.Form?
  ) -> [Piece]? {
    Self.pieces(parts, values, form)
  }

  private static func pieces(
    _ parts: [Part], _ values: [String: String], _ form: (SourcePlural) -> SourcePlural.Form?
  ) -> [Piece]? {
    var pieces: [Piece] = []
    for part in parts {
      switch part {
      case .text(let text): pieces.append(.text(text))
      case .argument(let name): pieces.append(.argument(name))
      case .position(let index): pieces.append(.position(index))
      case .plural(_, let plural):
        guard let own = form(plural).flatMap({ self.pieces($0.parts, values, form) }) else { return nil }
        pieces += own
      case .select(let argument, let cases):
        let chosen =
          cases.last { $0.value == values[argument] } ?? cases.last { $0.value == "other" }
        guard let own = chosen.flatMap({ self.pieces($0.parts, values, form) }) else { return nil }
        pieces += own
      }
    }
    return pieces
  }
}

/// Why a text cannot be written as a native string.
package struct SourceTextError: Error, Sendable, Equatable {
  /// What is wrong, as a sentence.
  package let fault: FindingText
  package let help: FindingText

  package init(_ fault: FindingText, help: FindingText) { (self.fault, self.help) = (fault, help) }

  /// The fault in English.
  package var message: String { fault.english }
}
