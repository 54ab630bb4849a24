/// What a phone finds for a key.
package enum StringLookup: Sendable, Equatable {
  /// The entry, and the name of the table that has it. On iOS it may be a plural.
  case found(StringEntry, table: String)
  /// Android: a string only in tables that the phone cannot use. The key has an id, but `getString` throws
  /// `android.content.res.Resources$NotFoundException`, which nobody catches.
  case elsewhere(tables: [String])
  /// Android: a plural or an array only, which is looked for under another type: the key has no id.
  case notAString(StringEntry, table: String)
  /// Android: no table has the key, so it has no id. iOS: the one table that the phone reads has it not.
  case missing

  /// The entry that the phone takes; nil where it takes none.
  package var entry: StringEntry? { if case .found(let entry, _) = self { entry } else { nil } }
}
