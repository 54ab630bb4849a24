package import LocaleRules

/// The forms of a text by a number, and how its format chooses among them.
package struct SourcePlural: Sendable, Equatable {
  package enum Rule: Sendable, Equatable {
    /// `Intl.plural` of Flutter's package intl: a form for zero, one or two, or for the number itself (`=0`),
    /// is for that number first, then for the category; `two` falls back to `few`, and all fall back to
    /// `other` (intl, `pluralLogic`). With forms for both, that of the number is for the number alone.
    case intl
    /// i18next's plurals of JSON v4: `zero` is for 0 in every language; a category without a form takes the
    /// text of the key itself (i18next, Translator.resolve).
    case i18next
    /// The category, else `other`, as in Compose Multiplatform.
    case category
    /// gettext's own expression, which gives the index of a form.
    case expression(PluralExpression)
  }

  package struct Form: Sendable, Equatable {
    /// A category, the index of a form in gettext, or empty for i18next's text without a number.
    let name: String
    let parts: [SourceMessage.Part]
  }

  package let rule: Rule
  /// Of several forms of one name, the last counts.
  package let forms: [Form]

  /// The index of a number's form; nil if the language has none. `category` is that of the number in the
  /// language.
  package func index(of number: UInt64, _ category: PluralCategory) -> Int? {
    switch rule {
    case .intl:
      if number <= 2,
        let index = index(of: "=\(number)") ?? Self.category(of: number).flatMap({ index(of: $0) })
      {
        return index
      }
      let exact = Self.exactCategories.firstIndex(of: category).flatMap { index(of: "=\($0)") }
      return index(of: category.rawValue) ?? exact ?? (category == .two ? index(of: "few") : nil)
        ?? index(of: "other")
    case .i18next:
      return (number == 0 ? index(of: "zero") : nil) ?? index(of: category.rawValue) ?? plainIndex
    case .category: return index(of: category.rawValue) ?? index(of: "other")
    case .expression(let expression): return index(of: "\(expression.value(number))")
    }
  }

  /// The categories of which Flutter has a form for a number, by that number.
  private static let exactCategories: [PluralCategory] = [.zero, .one, .two]

  private static func category(of number: UInt64) -> String? {
    Int(exactly: number).flatMap { exactCategories.indices.contains($0) ? exactCategories[$0].rawValue : nil }
  }

  /// The text for no number; nil if the format has none.
  package var plain: Form? { plainIndex.map { forms[$0] } }

  private var plainIndex: Int? { index(of: "") }

  private func index(of name: String) -> Int? { forms.lastIndex { $0.name == name } }
}
