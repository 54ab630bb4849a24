internal import FCMMessage
internal import JSON

extension DeviceStrings {
  /// The plural of that name that the phone's languages have, best first, with the table that has it; on iOS
  /// whatever the first of them has under the name. Nil if there is none.
  package func plural(named key: String) -> (entry: StringEntry, table: StringTable)? {
    switch platform {
    case .android:
      for table in tables {
        let entry = table.resources(named: key).first { entry in
          if case .plural = entry.value { !entry.isConditional } else { false }
        }
        if let entry { return (entry, table) }
      }
      return nil
    case .ios: return tables.lazy.compactMap { table in table[key].map { ($0, table) } }.first
    }
  }
}
