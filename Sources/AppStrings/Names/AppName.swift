package import JSON

/// What phones call an app: below its icon, on its notifications, and when it crashes.
package struct AppName: Sendable, Equatable {
  /// For languages without a name of their own; nil if there is none.
  private let common: String?
  /// By the name of the table or, on iOS, of the `.lproj` folder.
  private let localized: [ExactText: String]

  /// The size of a name; a longer text is none.
  static let bytesMax = 500

  /// Nil without any name.
  package init?(_ common: String?, localized: [ExactText: String] = [:]) {
    func isName(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= Self.bytesMax }
    let common = common.flatMap { isName($0) ? $0 : nil }
    let localized = localized.filter { isName($0.value) }
    if common == nil, localized.isEmpty { return nil }
    (self.common, self.localized) = (common, localized)
  }

  /// The name that is a string of an Android app, such as `app_name`; nil if it has none of that name.
  package init?(string key: String, in tables: [StringTable]) {
    let named = tables.compactMap { table -> (ExactText, String)? in
      guard let entry = table[key], !entry.isUnresolved, let text = entry.text else { return nil }
      return (ExactText(table.name), text)
    }
    self.init(nil, localized: Dictionary(named) { first, _ in first })
  }

  /// The names as a snapshot has them: by table, and the common one under the empty name.
  package init?(_ texts: [(table: String, text: String)]) {
    var localized = Dictionary(texts.map { (ExactText($0.table), $0.text) }) { first, _ in first }
    let common = localized.removeValue(forKey: ExactText(""))
    self.init(common, localized: localized)
  }

  /// The same, sorted by table.
  package var texts: [(table: String, text: String)] {
    var all = localized.map { (table: $0.key.text, text: $0.value) }
    if let common { all.append(("", common)) }
    return all.sorted { $0.table.utf8.lexicographicallyPrecedes($1.table.utf8) }
  }

  /// The name on a phone that looks into these tables or folders, the best first.
  func name(in tables: [String]) -> String? {
    tables.lazy.compactMap { localized[ExactText($0)] }.first ?? common
  }
}
