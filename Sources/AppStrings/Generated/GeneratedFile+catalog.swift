internal import JSON

/// Generated texts in a string catalog, each as an entry of its own beside the one that it is made from.
extension GeneratedFile {
  /// Sets the texts in a string catalog; nothing else changes by a byte. New entries have Xcode's order of
  /// keys, and the file's own indentation.
  package static func catalog(
    _ old: [UInt8], path: String, _ texts: [GeneratedText], by generator: TextGenerator = .plurals
  ) throws(GeneratedTextError) -> [UInt8] {
    guard let comment = generator.catalogComment else { return try catalog(old, path: path, texts, nil) }
    return try catalog(withoutStale(old, texts, comment), path: path, texts, comment)
  }

  /// The file without the generated entries that have other languages than they should.
  private static func withoutStale(
    _ old: [UInt8], _ texts: [GeneratedText], _ comment: String
  ) throws(GeneratedTextError) -> [UInt8] {
    guard let entries = entries(of: old) else { return old }
    var wanted: [ExactText: Set<ExactText>] = [:]
    for text in texts { wanted[ExactText(text.key), default: []].insert(ExactText(text.language)) }
    let stale = try entries.members.map { member throws(GeneratedTextError) -> Bool in
      let entry = JSONObjectSpans(old, at: member.valueRange.lowerBound)
      let isOurs = entry?["comment"].map { (try? JSON.parse(Array(old[$0.valueRange])))?.string == comment }
      let languages = entry?["localizations"].flatMap { JSONObjectSpans(old, at: $0.valueRange.lowerBound) }
      let own = wanted[ExactText(member.key)]
      if isOurs != true {
        guard own == nil else {
          throw GeneratedTextError(
            "The key \(member.key) has an entry that Dragoman did not write. Remove it, or rename the key.",
            line: old[..<member.keyRange.lowerBound].count { $0 == 0x0A } + 1)
        }
        return false
      }
      return own != Set((languages?.members ?? []).map { ExactText($0.key) })
    }
    let first = stale.firstIndex(of: false) ?? stale.count
    var new = old
    for index in stale.indices.reversed() where stale[index] && index > first {
      new.removeSubrange(
        entries.members[index - 1].valueRange.upperBound..<entries.members[index].valueRange.upperBound)
    }
    if let begin = entries.members.first, first > 0 {
      let end =
        first < stale.count
        ? entries.members[first].keyRange.lowerBound : entries.members[first - 1].valueRange.upperBound
      new.removeSubrange(begin.keyRange.lowerBound..<end)
    }
    return new
  }

  /// The members of the catalog's `strings`.
  private static func entries(of bytes: [UInt8]) -> JSONObjectSpans? {
    let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let start = bytes[mark...].firstIndex { !$0.isAndroidSpace } ?? mark
    return JSONObjectSpans(bytes, at: start)?["strings"].flatMap {
      JSONObjectSpans(bytes, at: $0.valueRange.lowerBound)
    }
  }

  private static func catalog(
    _ old: [UInt8], path: String, _ texts: [GeneratedText], _ comment: String?
  ) throws(GeneratedTextError) -> [UInt8] {
    let file = AppleFolderSearch.TableFile(
      path: path, table: "Localizable", format: .catalog, language: nil, bundle: "", depth: 0)
    let before = CatalogTables(old, file: file, limits: AppleResourceLimits())
    if let problem = before.problems.first(where: { $0.kind == .unparsable }) {
      throw GeneratedTextError("The file cannot be read: \(problem.message).", line: problem.line)
    }
    if let problem = before.problems.first(where: { $0.kind == .duplicateKey }) {
      throw GeneratedTextError("The file cannot be changed safely: \(problem.message).", line: problem.line)
    }
    guard let entries = entries(of: old) else {
      throw GeneratedTextError("The file has no object \"strings\".")
    }
    var editor = CatalogEditor(bytes: old, entries: entries, comment: comment)
    editor.set(texts)
    let new = editor.edited
    try verify(new, file, before, texts)
    return new
  }

  /// Whether the new file says the same as the old one, besides the texts.
  private static func verify(
    _ new: [UInt8], _ file: AppleFolderSearch.TableFile, _ before: CatalogTables, _ texts: [GeneratedText]
  ) throws(GeneratedTextError) {
    let after = CatalogTables(new, file: file, limits: AppleResourceLimits())
    var wanted: [ExactText: [ExactText: StringEntry.Value]] = [:]
    var isGenerated: Set<ExactText> = []
    for (language, entries) in before.entries {
      for entry in entries { wanted[language, default: [:]][ExactText(entry.key)] = entry.value }
    }
    for text in texts {
      wanted[ExactText(text.language), default: [:]][ExactText(text.key)] = .string(text.text)
      isGenerated.insert(ExactText(text.key))
    }
    for (language, entries) in after.entries {
      for entry in entries {
        let key = ExactText(entry.key)
        // Without a text in the source language, Xcode takes the key for it.
        let isKeyItself = isGenerated.contains(key) && entry.value == .string(entry.key)
        guard wanted[language]?.removeValue(forKey: key) == entry.value || isKeyItself else {
          throw GeneratedTextError("The file cannot be changed safely: the entry \(entry.key) would change.")
        }
      }
    }
    guard wanted.values.allSatisfy(\.isEmpty) else {
      throw GeneratedTextError("The file cannot be changed safely: some entries would be lost.")
    }
  }
}

/// Edits of a string catalog, collected and then made at once.
private struct CatalogEditor {
  private let bytes: [UInt8]
  private let entries: JSONObjectSpans
  private let style: JSONStyle
  /// Of new entries.
  private let comment: String?
  private var edits: [(range: Range<Int>, replacement: [UInt8])] = []

  /// `entries` is the catalog's `strings`.
  init(bytes: [UInt8], entries: JSONObjectSpans, comment: String?) {
    (self.bytes, self.entries, self.comment) = (bytes, entries, comment)
    style = JSONStyle(of: entries, in: bytes)
  }

  mutating func set(_ texts: [GeneratedText]) {
    let indices = Dictionary(
      entries.members.enumerated().map { (ExactText($1.key), $0) }, uniquingKeysWith: { _, last in last })
    var order: [ExactText] = []
    var groups: [ExactText: [GeneratedText]] = [:]
    for text in texts {
      let key = ExactText(text.key)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(text)
    }
    for key in order {
      let texts = groups[key] ?? []
      if let index = indices[key] {
        update(entries.members[index], texts)
      } else {
        add(key.text, texts, after: texts.first.flatMap { indices[ExactText($0.origin)] })
      }
    }
  }

  /// The file with all edits.
  var edited: [UInt8] {
    let ordered = edits.enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }
    var result: [UInt8] = []
    var offset = 0
    for (_, edit) in ordered {
      result += bytes[offset..<max(offset, edit.range.lowerBound)]
      result += edit.replacement
      offset = edit.range.upperBound
    }
    return result + bytes[offset...]
  }

  /// Adds an entry after that of its origin and further keys that come before it in Xcode's order.
  private mutating func add(_ key: String, _ texts: [GeneratedText], after origin: Int?) {
    let entry: JSONStyle.Value = .object(
      (comment.map { [("comment", .string($0))] } ?? []) + [
        ("extractionState", .string("manual")),
        ("localizations", .object(texts.sorted(by: byLanguage).map(localization))),
      ])
    guard let origin else { return insert([(key, entry)], into: entries, depth: entries.depth) }
    var index = origin
    while index + 1 < entries.members.count, precedes(entries.members[index + 1].key, key) { index += 1 }
    guard entries.members.indices.contains(index) else { return }
    let member = style.member(key, entry, depth: entries.depth)
    edits.append((end(of: entries.members[index]), [UInt8(ascii: ",")] + member))
  }

  private mutating func update(_ member: JSONObjectSpans.Member, _ texts: [GeneratedText]) {
    guard let entry = JSONObjectSpans(bytes, at: member.valueRange.lowerBound) else { return }
    guard let localizations = entry["localizations"],
      let languages = JSONObjectSpans(bytes, at: localizations.valueRange.lowerBound)
    else {
      let value: JSONStyle.Value = .object(texts.sorted(by: byLanguage).map(localization))
      return insert([("localizations", value)], into: entry, depth: entries.depth + 1)
    }
    var new: [(String, JSONStyle.Value)] = []
    for text in texts.sorted(by: byLanguage) {
      guard let language = languages[text.language] else {
        new.append(localization(text))
        continue
      }
      replace(language, by: text)
    }
    insert(new, into: languages, depth: entries.depth + 2)
  }

  /// Replaces the text of a localization, or all of it if it is not a plain text.
  private mutating func replace(_ language: JSONObjectSpans.Member, by text: GeneratedText) {
    let localization = JSONObjectSpans(bytes, at: language.valueRange.lowerBound)
    let unit = localization?["stringUnit"].flatMap {
      JSONObjectSpans(bytes, at: $0.valueRange.lowerBound)
    }
    guard localization?.members.count == 1, let value = unit?["value"] else {
      let new = style.value(self.localization(text).1, depth: entries.depth + 2)
      edits.append((language.valueRange, new))
      return
    }
    let written = JSON.string(text.text).serialized
    let present = (try? JSON.parse(Array(bytes[value.valueRange])))?.string
    if present?.hasSameBytes(as: text.text) != true { edits.append((value.valueRange, written)) }
  }

  /// Inserts members in order: each after the last member that precedes it.
  private mutating func insert(
    _ new: [(key: String, value: JSONStyle.Value)], into object: JSONObjectSpans, depth: Int
  ) {
    if new.isEmpty { return }
    guard let first = object.members.first else {
      edits.append((object.range, style.value(.object(new), depth: depth - 1)))
      return
    }
    for (key, value) in new {
      let member = style.member(key, value, depth: depth)
      if let before = object.members.last(where: { precedes($0.key, key) }) {
        edits.append((end(of: before), [UInt8(ascii: ",")] + member))
      } else {
        let start = first.keyRange.lowerBound
        let bare = Array(member.dropFirst(style.lineBreak(depth: depth).count))
        edits.append((start..<start, bare + [UInt8(ascii: ",")] + style.lineBreak(depth: depth)))
      }
    }
  }

  private func end(of member: JSONObjectSpans.Member) -> Range<Int> {
    member.valueRange.upperBound..<member.valueRange.upperBound
  }

  private func byLanguage(_ left: GeneratedText, _ right: GeneratedText) -> Bool {
    precedes(left.language, right.language)
  }

  private func localization(_ text: GeneratedText) -> (String, JSONStyle.Value) {
    (
      text.language,
      .object([("stringUnit", .object([("state", .string("translated")), ("value", .string(text.text))]))])
    )
  }

  /// The order of keys that Foundation's JSON writer, and with it Xcode, uses: numbers by value, letters
  /// without their case (JSONSerialization, `sortedKeys`).
  private func precedes(_ left: String, _ right: String) -> Bool {
    var (first, second) = (left.unicodeScalars[...], right.unicodeScalars[...])
    while let one = first.first, let two = second.first {
      let digits = (first.prefix(while: isDigit), second.prefix(while: isDigit))
      if !digits.0.isEmpty, !digits.1.isEmpty {
        let values = (String(digits.0).drop { $0 == "0" }, String(digits.1).drop { $0 == "0" })
        if values.0.count != values.1.count { return values.0.count < values.1.count }
        if values.0 != values.1 { return values.0 < values.1 }
        (first, second) = (first.dropFirst(digits.0.count), second.dropFirst(digits.1.count))
        continue
      }
      let folded = (one.properties.lowercaseMapping, two.properties.lowercaseMapping)
      if folded.0 != folded.1 {
        return folded.0.unicodeScalars.lexicographicallyPrecedes(folded.1.unicodeScalars)
      }
      (first, second) = (first.dropFirst(), second.dropFirst())
    }
    if first.isEmpty != second.isEmpty { return first.isEmpty }
    return left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  private func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}

extension JSONObjectSpans {
  /// How deep the members of a catalog's `strings` are.
  fileprivate var depth: Int { 2 }
}

/// How a file writes JSON: Xcode puts a space before each colon, and two for each level.
private struct JSONStyle {
  enum Value {
    case string(String)
    case object([(String, Value)])
  }

  /// Nil if the file is in one line.
  private var newline: [UInt8]?
  private var unit: [UInt8] = []
  private var colon: [UInt8] = Array(" : ".utf8)

  /// The style of an object at depth 2.
  init(of object: JSONObjectSpans, in bytes: [UInt8]) {
    guard let member = object.members.first else { return }
    colon = Array(bytes[member.keyRange.upperBound..<member.valueRange.lowerBound])
    let space = bytes[(object.range.lowerBound + 1)..<member.keyRange.lowerBound]
    guard let end = space.lastIndex(of: 0x0A) else { return }
    newline = end > space.startIndex && space[end - 1] == 0x0D ? [0x0D, 0x0A] : [0x0A]
    let indent = Array(space[(end + 1)...])
    unit = Array(indent.prefix(indent.count / 2))
  }

  /// What stands before a member at a depth.
  func lineBreak(depth: Int) -> [UInt8] {
    guard let newline else { return [] }
    return newline + Array(repeatElement(unit, count: depth).joined())
  }

  func member(_ key: String, _ value: Value, depth: Int) -> [UInt8] {
    lineBreak(depth: depth) + JSON.string(key).serialized + colon + self.value(value, depth: depth)
  }

  func value(_ value: Value, depth: Int) -> [UInt8] {
    switch value {
    case .string(let text): return JSON.string(text).serialized
    case .object(let members):
      let inner = members.map { member($0, $1, depth: depth + 1) }
      return [UInt8(ascii: "{")] + Array(inner.joined(separator: [UInt8(ascii: ",")]))
        + lineBreak(depth: depth) + [UInt8(ascii: "}")]
    }
  }
}
