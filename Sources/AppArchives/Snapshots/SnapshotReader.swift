internal import AppStrings
internal import Dispatch
internal import FCMMessage
internal import JSON
internal import Synchronization

/// Reads what `dragoman strings --format json` printed, so that a repository can keep the strings of a
/// release without the app.
struct SnapshotReader {
  let path: String
  let platform: AppPlatform
  let limits: ArchiveLimits
  /// The keys that are needed; nil for all.
  let keys: Set<ExactText>?

  private static let headings = ["platform", "version", "package", "development_language", sourceHeading]
  private static let sourceHeading = "source_language"

  private static let damaged = ArchiveError.malformed(
    "This is not the JSON that `dragoman strings --format json` prints. Write the file again with that command."
  )

  func read(_ bytes: [UInt8]) throws(ArchiveError) -> StringResources {
    var reader = self
    var resources = try reader.readOnce(bytes)
    // The texts to which wanted strings refer are wanted too. Each round finds one more hop.
    for _ in 0..<limits.referenceHopsMax {
      guard let keys = reader.keys, case let referred = resources.references, !referred.isSubset(of: keys)
      else { break }
      reader = SnapshotReader(path: path, platform: platform, limits: limits, keys: keys.union(referred))
      resources = try reader.readOnce(bytes)
    }
    return resources
  }

  private func readOnce(_ bytes: [UInt8]) throws(ArchiveError) -> StringResources {
    if let resources = try read(bytes, trustingLines: true) { return resources }
    guard let resources = try read(bytes, trustingLines: false) else { throw Self.damaged }
    return resources
  }

  /// Nil if the languages do not end where their lines say; with `trustingLines` false, if they are damaged.
  private func read(_ bytes: [UInt8], trustingLines: Bool) throws(ArchiveError) -> StringResources? {
    var scanner = SnapshotScanner(bytes)
    guard scanner.take("{") else { throw Self.damaged }
    var texts: [String: String] = [:]
    var locales: [Locale] = []
    var renamed: [ExactText: String]?
    var problems: [ResourceProblem] = []
    var outOfReach: [ExactText: StringResources.OutOfReach] = [:]
    var elsewhere: [StringResources.Elsewhere] = []
    var pluralsOnly: Set<ExactText> = []
    var otherLocalizations: [String] = []
    var variants: [String] = []
    var appName: AppName?
    var isShipped = false
    var isFirst = true
    reading: while true {
      switch scanner.member(isFirst: isFirst) {
      case .end: break reading
      case .damaged: return nil
      case .value("locales"):
        guard let read = try readLocales(&scanner, trustingLines: trustingLines) else { return nil }
        locales = read
      case .value(let name) where Self.headings.contains(name):
        guard case .value(let text) = scanner.optionalString() else { return nil }
        texts[name] = text
        if name != "platform", name != Self.sourceHeading { isShipped = true }
      case .value("renamed"):
        guard let texts = scanner.texts() else { return nil }
        renamed = Dictionary(texts.map { (ExactText($0.name), $0.text) }) { first, _ in first }
      case .value("app_name"):
        guard let names = scanner.texts() else { return nil }
        appName = AppName(names.map { ($0.name, $0.text) })
      case .value("problems"):
        guard let read = scanner.problems() else { return nil }
        problems = read
      case .value("plurals_only"):
        guard let names = scanner.strings() else { return nil }
        pluralsOnly = Set(names.map { ExactText($0) })
      case .value("other_localizations"):
        guard let names = scanner.strings() else { return nil }
        otherLocalizations = Array(names.prefix(limits.configurationsMax))
      case .value("variants"):
        guard let names = scanner.strings() else { return nil }
        variants = names
      case .value("out_of_reach"):
        guard let read = scanner.outOfReach({ isWanted($0) }) else { return nil }
        outOfReach = read
      case .value("elsewhere"):
        guard let read = scanner.elsewhere() else { return nil }
        elsewhere = read
      case .value: guard scanner.skipValue() else { return nil }
      }
      isFirst = false
    }
    guard scanner.isAtEnd(), let written = texts["platform"] else { return nil }
    guard written == platform.rawValue else {
      throw .unsupported(
        "The file has the strings of an app for \(written.shortForMessage), not for \(platform.rawValue).")
    }
    guard let (read, names) = tables(bytes, locales) else { return nil }
    let tables = Self.tables(read, withPluralsOnly: pluralsOnly)
    let shipped = isShipped ? self.shipped(texts, renamed, tables, names) : nil
    // A snapshot does not say which strings the app's code names, which the resource shrinker keeps too.
    return StringResources(
      platform: platform, folder: path, tables: InheritedStrings.adding(to: tables), problems: problems,
      keptNames: platform == .android ? [Glob("*")] : nil, outOfReach: outOfReach, elsewhere: elsewhere,
      shipped: shipped, otherLocalizations: otherLocalizations, sourceLanguage: texts[Self.sourceHeading],
      project: variants.isEmpty ? nil : StringResources.Project(variants: variants), appName: appName)
  }

  private static func tables(
    _ tables: [StringTable], withPluralsOnly names: Set<ExactText>
  ) -> [StringTable] {
    guard !names.isEmpty else { return tables }
    return tables.map { table in
      StringTable(
        name: table.name, locale: table.locale, entries: table.entries, namesakes: table.namesakes,
        alternatives: table.alternatives, hasPluralsOnly: names.contains(ExactText(table.name)))
    }
  }

  /// `renamed` are the texts under obfuscated names, as the file says; nil if it does not.
  private func shipped(
    _ texts: [String: String], _ renamed: [ExactText: String]?, _ tables: [StringTable], _ names: [String]
  ) -> ShippedApp {
    let source = platform == .android ? tables.first { $0.locale == nil } : nil
    let possible = source?.entries.values.filter { ObfuscatedName.isPossible($0.key) } ?? []
    let found = Dictionary(
      possible.compactMap { entry in entry.text.map { (ExactText($0), entry.key) } },
      uniquingKeysWith: { min($0, $1) })
    return ShippedApp(
      version: texts["version"], package: texts["package"],
      developmentLanguage: texts["development_language"], renamedTexts: renamed ?? found,
      hasObfuscatedNames: renamed != nil
        || platform == .android && ObfuscatedName.arePrevalent(in: names))
  }

  /// A language, and the place of its object.
  private struct Locale {
    let name: String
    let place: Range<Int>
  }

  /// Finds the languages. `trustingLines` takes the end of each from the indentation, which is many times
  /// faster than following its brackets; whoever reads the language sees whether it ends there.
  private func readLocales(
    _ scanner: inout SnapshotScanner, trustingLines: Bool
  ) throws(ArchiveError) -> [Locale]? {
    guard scanner.take("{") else { return nil }
    var locales: [Locale] = []
    // Once a line is not where it should be, the rest of the file is not searched for each language.
    var trustingLines = trustingLines
    while true {
      switch scanner.member(isFirst: locales.isEmpty) {
      case .end: return locales
      case .damaged: return nil
      case .value(let name):
        let start = scanner.position
        if trustingLines, let end = scanner.endOfIndentedValue(indent: Self.localeIndent) {
          scanner = scanner.moved(to: end)
        } else {
          trustingLines = false
          guard scanner.skipValue() else { return nil }
        }
        locales.append(Locale(name: name, place: start..<scanner.position))
        guard locales.count <= limits.configurationsMax else {
          throw .tooLarge("The file has more than \(limits.configurationsMax) languages.")
        }
      }
    }
  }

  /// The spaces before the bracket that ends a language.
  private static let localeIndent = 4

  /// The languages, and the names of the first one's strings.
  private func tables(_ bytes: [UInt8], _ locales: [Locale]) -> (tables: [StringTable], names: [String])? {
    guard Set(locales.map { ExactText($0.name) }).count == locales.count, let first = locales.first else {
      return locales.isEmpty ? ([], []) : nil
    }
    // The other languages have the same keys in the same order, as a rule.
    var known: [SnapshotKey] = []
    guard let source = table(first.name, SnapshotScanner(bytes, first.place), adding: &known) else {
      return nil
    }
    let rest = locales.dropFirst()
    let tables = Mutex([StringTable?](repeating: nil, count: rest.count))
    let keys = known
    DispatchQueue.concurrentPerform(iterations: rest.count) { index in
      let locale = rest[rest.startIndex + index]
      var others = keys
      let read = table(locale.name, SnapshotScanner(bytes, locale.place), adding: &others)
      tables.withLock { $0[index] = read }
    }
    let read = tables.withLock { $0.compactMap(\.self) }
    return read.count == rest.count ? ([source] + read, keys.map(\.text.text)) : nil
  }

  /// One language. `known` are the keys of another one; if they are none, those of this one are added.
  private func table(
    _ name: String, _ text: SnapshotScanner, adding known: inout [SnapshotKey]
  ) -> StringTable? {
    var scanner = text
    guard scanner.take("{") else { return nil }
    var entries: [ExactText: StringEntry] = [:]
    var namesakes: [ExactText: [StringEntry]] = [:]
    var alternatives: [ExactText: [StringEntry]] = [:]
    entries.reserveCapacity(keys?.count ?? known.count)
    let isFirstTable = known.isEmpty
    var next = 0
    var isFirst = true
    while true {
      switch scanner.rawMember(isFirst: isFirst) {
      case .end:
        guard scanner.isAtEnd() else { return nil }
        let isDefault = platform == .android && name == StringResources.defaultTable
        return StringTable(
          name: name, locale: isDefault ? nil : LocaleTag(name), entries: entries, namesakes: namesakes,
          alternatives: alternatives)
      case .damaged: return nil
      case .value(let place):
        while next < known.count, scanner.precedes(known[next].place, place) { next += 1 }
        let key: SnapshotKey
        if next < known.count, scanner.isSame(known[next].place, place) {
          key = known[next]
        } else {
          guard let name = scanner.text(place) else { return nil }
          let text = ExactText(name)
          key = SnapshotKey(place: place, text: text, isWanted: isWanted(text))
        }
        if isFirstTable {
          known.append(key)
          next = known.count
        }
        if !key.isWanted, scanner.skipLineOfObject() { break }
        if let text = scanner.plainEntry() {
          guard key.isWanted else { break }
          guard let value = scanner.text(text) else { return nil }
          entries[key.text] = StringEntry(key: key.text.text, value: .string(value), file: path, line: nil)
        } else if key.isWanted {
          guard let read = SnapshotEntry(&scanner),
            case let found = read.resources(named: key.text.text, file: path), let first = found.first
          else { return nil }
          entries[key.text] = first
          if found.count > 1 { namesakes[key.text] = Array(found.dropFirst()) }
          let others = read.alternatives(named: key.text.text, file: path)
          if !others.isEmpty { alternatives[key.text] = others }
        } else if !scanner.skipValue() {
          return nil
        }
      }
      isFirst = false
    }
  }

  private func isWanted(_ key: ExactText) -> Bool {
    guard let keys else { return true }
    return keys.contains(key) || platform == .android && ObfuscatedName.isPossible(key.text)
  }
}

/// A key of a snapshot, as the first language has it.
private struct SnapshotKey {
  /// Its bytes between the quotes.
  let place: Range<Int>
  let text: ExactText
  let isWanted: Bool
}

extension StringResources {
  /// The names of the strings to which others refer.
  fileprivate var references: Set<ExactText> {
    let names = tables.lazy.flatMap { table in
      (Array(table.entries.values) + table.namesakes.values.joined()).flatMap { entry -> [String] in
        guard case .plural(let forms) = entry.value else { return [entry.reference].compactMap(\.self) }
        return forms.compactMap(\.reference)
      }
    }
    return Set(names.map { ExactText($0) })
  }
}
