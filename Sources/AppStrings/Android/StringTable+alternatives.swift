internal import JSON

/// The strings that only some phones use in place of others.
extension StringTable {
  /// The alternatives of a key: those of its own name, and those of the strings to which it refers.
  package func alternatives(of key: String) -> [StringEntry] {
    guard !alternatives.isEmpty else { return [] }
    return names(from: ExactText(key)).flatMap { alternatives[$0] ?? [] }
  }

  /// The alternative that most phones use in place of a string for all: that for the latest version of the
  /// platform, of those that most phones have; nil if there is none.
  func commonAlternative(to key: ExactText) -> StringEntry? {
    guard !alternatives.isEmpty else { return nil }
    for name in names(from: key) {
      let common = (alternatives[name] ?? []).filter { $0.minimumVersion ?? .max <= Self.commonVersion }
      if let latest = common.max(by: { ($0.minimumVersion ?? 0) < ($1.minimumVersion ?? 0) }) {
        return latest
      }
    }
    return nil
  }

  /// The version of the platform that most phones have at least: that of Android 12, from 2021.
  private static let commonVersion = 31

  /// A string's name, and the names to which it leads in this table.
  private func names(from key: ExactText) -> [ExactText] {
    var names = [key]
    for _ in 0..<AndroidLimits().referenceHopsMax {
      guard let reference = names.last.flatMap({ entries[$0]?.reference }) else { break }
      names.append(ExactText(reference))
    }
    return names
  }
}

extension StringEntry {
  /// Android: the version of the platform that a phone needs to use the entry, if that is the only condition.
  package var minimumVersion: Int? { qualifiers.flatMap(AndroidConfiguration.version) }
}
