internal import JSON

/// Names that look like those of string files and folders, but that no build reads.
enum UnreadNames {
  /// The name that a folder of `res` should have: `values-nl` for `vaules-nl`; nil if it is nothing like one.
  static func valuesFolder(meantBy name: String) -> String? {
    let folded = name.lowercased()
    let rest: Substring
    if folded.hasPrefix("values") {
      rest = folded.dropFirst("values".utf8.count)
    } else {
      let head = folded.prefix { $0 != "-" && $0 != "_" && $0 != "." && $0 != "+" }
      guard nearestName(to: String(head), among: ["values"]) != nil else { return nil }
      rest = folded.dropFirst(head.count)
    }
    let locale = rest.drop { !$0.isLetter && !$0.isNumber }.prefix {
      $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_"
    }
    if locale.isEmpty { return "values" }
    let plain = "values-\(locale)"
    if (try? AndroidConfiguration(folder: plain)) != nil {
      // Regions are written in upper case.
      return AndroidConfiguration.suggestion(for: "values_\(locale)") ?? plain
    }
    return AndroidConfiguration.suggestion(for: plain)
  }

  /// The name that a file in a values folder should have: `strings.xml` for `strings.XML` and
  /// `strings.xml.txt`.
  static func xmlFile(meantBy name: String) -> String? {
    guard !name.hasSuffix(".xml"), !name.hasPrefix(".") else { return nil }
    var parts = name.split(separator: ".").map(String.init)
    guard
      let last = parts.lastIndex(where: { $0.lowercased().trimmingPrefix("xml").allSatisfy("~_-".contains) })
    else { return nil }
    guard last > 0, parts[last].lowercased().hasPrefix("xml") else { return nil }
    parts.removeSubrange(last...)
    return parts.joined(separator: ".") + ".xml"
  }

  /// The table file that a file in or beside an `.lproj` folder should be: `Localizable.strings` for
  /// `localizable.strings`, `Localisable.strings` and `Localizable.strings.orig`.
  static func table(meantBy name: String) -> String? {
    let names = ["strings", "stringsdict", "xcstrings"].map { "\(AppleResourceReader.mainTable).\($0)" }
    guard !names.contains(where: name.hasSameBytes) else { return nil }
    if let start = names.last(where: { name.hasPrefix("\($0).") || name.hasPrefix("\($0)~") }) {
      return start
    }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let end = near(parts[1], among: ["strings", "stringsdict", "xcstrings"]),
      let stem = near(parts[0], among: [AppleResourceReader.mainTable])
    else { return nil }
    return "\(stem).\(end)"
  }

  /// The name that another one differs from by a slip.
  private static func near(_ name: String, among known: [String]) -> String? {
    nearestName(to: name, among: known).flatMap { abs($0.utf8.count - name.utf8.count) <= 1 ? $0 : nil }
  }
}
