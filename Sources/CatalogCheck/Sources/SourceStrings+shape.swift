internal import AppStrings
internal import Catalog
internal import JSON
internal import LocaleRules
internal import StringSources

extension SourceStrings {
  /// What the texts of a key depend on in all languages; nil for a key that no source has.
  func shape(of key: String) -> SourceShape? {
    let entries = entries(key)
    guard !entries.isEmpty else { return nil }
    var number = SourceShape.Number.none
    var selects: [String] = []
    var forms: [@Sendable (UInt64) -> Int] = []
    for (language, entry) in entries {
      guard case .success(let message) = entry.content else { continue }
      let plurals = message.plurals
      if number == .none, let first = plurals.first {
        number = first.number.map { .argument($0) } ?? .ofSlot
      }
      if !plurals.isEmpty {
        let rules = PluralRules(language: language.locale.description)
        forms += plurals.map { _, plural in { plural.index(of: $0, rules.category(of: $0)) ?? -1 } }
      }
      for name in message.selects where !selects.contains(where: { $0.hasSameBytes(as: name) }) {
        selects.append(name)
      }
    }
    return SourceShape(number: number, selects: selects, forms: forms)
  }
}
