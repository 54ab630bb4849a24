/// CLDR's plural categories. They are only names: in Russian, `one` is the category of 1, 21 and 101.
package enum PluralCategory: String, Sendable, CaseIterable {
  case zero, one, two, few, many, other
}
