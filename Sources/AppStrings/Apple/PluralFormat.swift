/// An Apple text with plural forms, as the system assembles it on an iPhone: of variations by device the one
/// for `iphone`, otherwise `other`; of widths the widest.
package struct PluralFormat: Sendable, Equatable {
  /// A variable of the format, `%#@name@`.
  package struct Variable: Sendable, Equatable {
    package let name: String
    /// The position of its number among the args, from 1; nil if that follows from the format.
    package let position: Int?
    /// By CLDR category, or by another name for a text that varies further.
    package let forms: [StringEntry.Form]

    package init(name: String, position: Int?, forms: [StringEntry.Form]) {
      (self.name, self.position, self.forms) = (name, position, forms)
    }
  }

  /// The text with its variables; nil if the only variable's forms are the whole texts.
  package let format: String?
  package let variables: [Variable]
  /// Whether `%arg` stands for the variable's number, as in string catalogs.
  package let hasArgSign: Bool

  package init(format: String?, variables: [Variable], hasArgSign: Bool) {
    (self.format, self.variables, self.hasArgSign) = (format, variables, hasArgSign)
  }

  /// Whole texts by category.
  static func texts(_ forms: [StringEntry.Form], hasArgSign: Bool = false) -> PluralFormat {
    PluralFormat(
      format: nil, variables: [Variable(name: "", position: nil, forms: forms)], hasArgSign: hasArgSign)
  }

  /// One text, whatever the number.
  static func text(_ text: String) -> PluralFormat {
    .texts([StringEntry.Form(category: "other", text: text)])
  }
}
