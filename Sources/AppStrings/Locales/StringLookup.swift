/// What a phone finds for a key.
package enum StringLookup: Sendable, Equatable {
  /// The entry, and the name of the table that has it. On iOS it may be a plural.
  case found(StringEntry, table: String)
  /// Android: `values/` lacks the string, so the build leaves it out of the app in every language (aapt2's
  /// NoDefaultResourceRemover), and the key has no id.
  case removed(tables: [String])
  /// Android: the string exists only in tables that the phone cannot use, or only in folders for some phones
  /// (`values-land`). The key has an id, but `getString`
  /// throws `android.content.res.Resources$NotFoundException`, which the SDK does not catch.
  case elsewhere(tables: [String])
  /// Android: only a plural or an array has the name. Those are resources of another type, so the key has no
  /// id.
  case notAString(StringEntry, table: String)
  /// Android: no table has the key, so it has no id. iOS: no table that the phone reads has it.
  case missing

  /// The entry that the phone uses; nil if it uses none.
  package var entry: StringEntry? { if case .found(let entry, _) = self { entry } else { nil } }

  /// The name of the table with the entry, even one that is no string; nil if the phone finds none.
  package var table: String? {
    switch self {
    case .found(_, let table), .notAString(_, let table): table
    case .removed, .elsewhere, .missing: nil
    }
  }
}
