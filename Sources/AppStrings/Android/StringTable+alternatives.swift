internal import JSON

/// The strings that only some phones use in place of others.
extension StringTable {
  /// The alternatives of a key: those of its own name, and those of the strings to which it refers.
  package func alternatives(of key: String) -> [StringEntry] {
    guard !alternatives.isEmpty else { return [] }
    return names(from: ExactText(key)).flatMap { alternatives[$0] ?? [] }
  }

  /// The alternative that most phones use in place of a string for all: that for the latest version of the
  /// platform, of those that most phones have; nil if there is none. A nil variant stands for the only one.
  func commonAlternative(to key: ExactText, in variant: String?) -> StringEntry? {
    guard !alternatives.isEmpty else { return nil }
    for name in names(from: key) {
      let common = (alternatives[name] ?? []).filter {
        $0.minimumVersion ?? .max <= Self.commonVersion && $0.isIn(variant)
      }
      if let latest = common.max(by: { ($0.minimumVersion ?? 0) < ($1.minimumVersion ?? 0) }) {
        return latest
      }
    }
    return nil
  }

  /// The version of the platform that most phones have at least: that of Android 12, from 2021.
  private static let commonVersion = 31

  /// Whether the app's variants differ in what they have under a key.
  func dependsOnVariant(_ key: ExactText) -> Bool {
    names(from: key).contains { name in
      entries[name]?.variants.isEmpty == false
        || alternatives[name]?.contains { !$0.variants.isEmpty } ?? false
    }
  }

  /// Those of the app's variants that have any string of the language.
  func variants(among all: [String]) -> [String] {
    guard !all.isEmpty, !entries.values.contains(where: \.variants.isEmpty),
      !alternatives.values.joined().contains(where: \.variants.isEmpty)
    else { return all }
    let having = Set((Array(entries.values) + alternatives.values.joined()).flatMap(\.variants))
    return all.filter(having.contains)
  }

  /// What a variant of the app has under a key; a nil variant stands for the only one.
  func entry(_ key: ExactText, in variant: String?) -> StringEntry? {
    guard let entry = entries[key], variant != nil else { return entries[key] }
    guard entry.isIn(variant) else { return alternative(to: key, in: variant) }
    guard entry.reference != nil else { return entry }
    // The text of a reference is that of the first variant.
    let other = names(from: key).first { name in entries[name].map { !$0.isIn(variant) } ?? false }
    return other.map { alternative(to: $0, in: variant) ?? entry } ?? entry
  }

  /// What a variant has that lacks the text of the others, if possible for all phones.
  private func alternative(to key: ExactText, in variant: String?) -> StringEntry? {
    let own = (alternatives[key] ?? []).filter { $0.isIn(variant) }
    return own.first { !$0.isConditional } ?? own.first
  }

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

  /// Android: whether a variant of the app has the entry; a nil variant stands for the only one.
  fileprivate func isIn(_ variant: String?) -> Bool {
    variant.map { variants.isEmpty || variants.contains($0) } ?? true
  }
}
