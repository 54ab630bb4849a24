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

  private static let damaged = ArchiveError.malformed(
    "This is not the JSON that `dragoman strings --format json` prints. Write the file again with that command."
  )

  func read(_ bytes: [UInt8]) throws(ArchiveError) -> StringResources {
    var scanner = SnapshotScanner(bytes)
    guard scanner.take("{") else { throw Self.damaged }
    var texts: [String: String] = [:]
    var locales: [(name: String, place: Range<Int>)] = []
    var isShipped = false
    var isFirst = true
    reading: while true {
      switch scanner.member(isFirst: isFirst) {
      case .end: break reading
      case .damaged: throw Self.damaged
      case .value("locales"): locales = try readLocales(&scanner)
      case .value(let name) where ["platform", "version", "package"].contains(name):
        guard case .value(let text) = scanner.optionalString() else { throw Self.damaged }
        texts[name] = text
        if name != "platform" { isShipped = true }
      case .value: guard scanner.skipValue() else { throw Self.damaged }
      }
      isFirst = false
    }
    guard scanner.isAtEnd(), let written = texts["platform"] else { throw Self.damaged }
    guard written == platform.rawValue else {
      throw .unsupported(
        "The file has the strings of an app for \(written.shortForMessage), not for \(platform.rawValue).")
    }
    let shipped = isShipped ? ShippedApp(version: texts["version"], package: texts["package"]) : nil
    return StringResources(
      platform: platform, folder: path, tables: try tables(bytes, locales), problems: [],
      keptNames: platform == .android ? [Glob("*")] : nil, shipped: shipped)
  }

  private func readLocales(
    _ scanner: inout SnapshotScanner
  ) throws(ArchiveError) -> [(name: String, place: Range<Int>)] {
    guard scanner.take("{") else { throw Self.damaged }
    var locales: [(name: String, place: Range<Int>)] = []
    while true {
      switch scanner.member(isFirst: locales.isEmpty) {
      case .end: return locales
      case .damaged: throw Self.damaged
      case .value(let name):
        guard let place = scanner.value() else { throw Self.damaged }
        locales.append((name, place))
        guard locales.count <= limits.configurationsMax else {
          throw .tooLarge("The file has more than \(limits.configurationsMax) languages.")
        }
      }
    }
  }

  private func tables(
    _ bytes: [UInt8], _ locales: [(name: String, place: Range<Int>)]
  ) throws(ArchiveError) -> [StringTable] {
    let tables = Mutex([StringTable?](repeating: nil, count: locales.count))
    DispatchQueue.concurrentPerform(iterations: locales.count) { index in
      let (name, place) = locales[index]
      guard let table = table(name, SnapshotScanner(bytes, place)) else { return }
      tables.withLock { $0[index] = table }
    }
    let read = tables.withLock { $0.compactMap(\.self) }
    guard read.count == locales.count else { throw Self.damaged }
    guard Set(read.map { ExactText($0.name) }).count == read.count else { throw Self.damaged }
    return read
  }

  private func table(_ name: String, _ text: SnapshotScanner) -> StringTable? {
    var scanner = text
    guard scanner.take("{") else { return nil }
    var entries: [ExactText: StringEntry] = [:]
    var namesakes: [ExactText: [StringEntry]] = [:]
    var isFirst = true
    while true {
      switch scanner.member(isFirst: isFirst) {
      case .end:
        let isDefault = platform == .android && name == StringResources.defaultTable
        return StringTable(
          name: name, locale: isDefault ? nil : LocaleTag(name), entries: entries, namesakes: namesakes)
      case .damaged: return nil
      case .value(let key):
        let text = ExactText(key)
        if keys?.contains(text) ?? true {
          guard let found = resources(named: key, &scanner), let first = found.first else { return nil }
          entries[text] = first
          if found.count > 1 { namesakes[text] = Array(found.dropFirst()) }
        } else {
          guard scanner.skipValue() else { return nil }
        }
      }
      isFirst = false
    }
  }

  /// The string, plural and array of one name; the one that a loc key finds comes first.
  private func resources(named key: String, _ scanner: inout SnapshotScanner) -> [StringEntry]? {
    guard scanner.take("{") else { return nil }
    var (kind, text) = ("", String?.none)
    var forms: [StringEntry.Form]?
    var items: [String]?
    var isFirst = true
    reading: while true {
      switch scanner.member(isFirst: isFirst) {
      case .end: break reading
      case .damaged: return nil
      case .value("kind"):
        guard let read = scanner.string() else { return nil }
        kind = read
      case .value("text"):
        guard case .value(let read) = scanner.optionalString() else { return nil }
        text = read
      case .value("forms"):
        guard let read = readForms(&scanner) else { return nil }
        forms = read
      case .value("items"):
        guard let read = readItems(&scanner) else { return nil }
        items = read
      case .value: guard scanner.skipValue() else { return nil }
      }
      isFirst = false
    }
    func entry(_ value: StringEntry.Value) -> StringEntry {
      StringEntry(key: key, value: value, file: path, line: nil)
    }
    let plural = forms.map { entry(.plural($0)) }
    let array = items.map { entry(.array($0)) }
    switch kind {
    case "string": return [entry(.string(text ?? "")), plural, array].compactMap(\.self)
    case "plural": return [plural ?? entry(.plural([])), array].compactMap(\.self)
    case "array": return [array ?? entry(.array([]))]
    default: return nil
    }
  }

  private func readForms(_ scanner: inout SnapshotScanner) -> [StringEntry.Form]? {
    guard scanner.take("{") else { return nil }
    var forms: [StringEntry.Form] = []
    while true {
      switch scanner.member(isFirst: forms.isEmpty) {
      case .end: return forms
      case .damaged: return nil
      case .value(let category):
        guard let text = scanner.string() else { return nil }
        forms.append(StringEntry.Form(category: category, text: text))
      }
    }
  }

  private func readItems(_ scanner: inout SnapshotScanner) -> [String]? {
    guard scanner.take("[") else { return nil }
    var items: [String] = []
    while !scanner.take("]") {
      guard items.isEmpty || scanner.take(","), let item = scanner.string() else { return nil }
      items.append(item)
    }
    return items
  }
}
