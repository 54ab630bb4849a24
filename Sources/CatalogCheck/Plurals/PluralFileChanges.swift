internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// A file that has to change so that it has the generated texts.
struct PluralFileChange {
  let path: String
  let bytes: [UInt8]
  /// The folder of the resources.
  let folder: String
}

/// Finds out how files have to change, without changing them.
struct PluralFileChanges {
  private typealias Member = (plural: GeneratedPlural, entry: GeneratedPlural.Entry)

  private let resources: AppResources?
  /// `PluralUnreadable`: the files that cannot have their texts.
  private(set) var findings: [Finding] = []

  init(_ resources: AppResources?) { self.resources = resources }

  /// The changes for all plurals of the catalog.
  mutating func changes(for plurals: [GeneratedPlural]) -> [PluralFileChange] {
    AppPlatform.allCases.flatMap { platform -> [PluralFileChange] in
      guard let resources = resources?[platform] else { return [] }
      let members = plurals.filter { $0.use.platform == platform }.flatMap { plural in
        plural.entries.map { (plural, $0) }
      }
      return changes(for: members, in: resources)
    }
  }

  private mutating func changes(for members: [Member], in resources: StringResources) -> [PluralFileChange] {
    guard resources.isSourceFolder else {
      if members.contains(where: { $0.entry.state != .same }) {
        report(
          resources.shipped == nil
            ? "The texts cannot be written, because this is no folder of the app's source."
            : "The texts cannot be written into a built app. Name the folder of its source in resources.",
          resources.folder, nil
        ) { $0.platform = resources.platform }
      }
      return []
    }
    let unreadable = resources.unreadableTables
    var order: [String] = []
    var files: [String: [Member]] = [:]
    for member in members where !unreadable.contains(member.entry.locale) {
      if files[member.entry.file] == nil { order.append(member.entry.file) }
      files[member.entry.file, default: []].append(member)
    }
    // A file whose last plural is gone still has its texts.
    for table in resources.tables where !unreadable.contains(table.name) {
      for path in Self.generatedFiles(of: table, resources.platform).sorted() where files[path] == nil {
        order.append(path)
        files[path] = []
      }
    }
    for name in Set(members.map(\.entry.locale)).intersection(unreadable).sorted() {
      report(
        "A file of the language cannot be read completely, so its generated texts stay as they are.", nil, nil
      ) {
        ($0.platform, $0.locale) = (resources.platform, name)
      }
    }
    return order.compactMap { path in
      do throws(GeneratedTextError) {
        let old = try GeneratedFile.read(path)
        let new = try bytes(of: path, old, files[path] ?? [], resources.platform)
        guard let new, new != old else { return nil }
        return PluralFileChange(path: path, bytes: new, folder: resources.writableFolder)
      } catch {
        report(error.message, path, error.line) { finding in
          finding.platform = resources.platform
          finding.locale = PluralFile.isCatalog(path) ? nil : files[path]?.first?.entry.locale
        }
        return nil
      }
    }
  }

  /// The files of a table that only have, or can have a block of, generated texts.
  private static func generatedFiles(of table: StringTable, _ platform: AppPlatform) -> Set<String> {
    let name = platform == .android ? "/\(PluralFile.androidName)" : "/Localizable.strings"
    var files: Set<String> = []
    for entry in table.entries.values where entry.file.utf8.suffix(name.utf8.count).elementsEqual(name.utf8) {
      files.insert(entry.file)
    }
    return files
  }

  /// The new content of a file; nil if there is nothing to write.
  private mutating func bytes(
    of path: String, _ old: [UInt8]?, _ members: [Member], _ platform: AppPlatform
  ) throws(GeneratedTextError) -> [UInt8]? {
    guard platform == .ios else {
      let own = members.filter { member in
        // What somebody has written elsewhere in this language would be a duplicate.
        guard let existing = member.entry.existing, existing.text != nil,
          !existing.file.utf8.suffix(PluralFile.androidName.utf8.count).elementsEqual(
            PluralFile.androidName.utf8)
        else { return true }
        refuse(member, existing)
        return false
      }
      return own.isEmpty && old == nil ? nil : GeneratedFile.android(own.map(Self.text))
    }
    guard !PluralFile.isCatalog(path) else {
      return try old.map { old throws(GeneratedTextError) in
        try GeneratedFile.catalog(old, path: path, members.map(Self.text))
      }
    }
    let free = members.filter { member in
      guard let existing = member.entry.existing, existing.text == nil || existing.file != path else {
        return true
      }
      // An entry of a stringsdict, or of another folder, wins over the block.
      refuse(member, existing)
      return false
    }
    let update = try GeneratedFile.strings(old, path: path, free.map(Self.text))
    for entry in update.ownEntries {
      if let member = free.first(where: { $0.entry.key.hasSameBytes(as: entry.key) }) {
        refuse(member, entry)
      }
    }
    return old == nil && update.bytes.isEmpty ? nil : update.bytes
  }

  /// Reports a text that somebody wrote by hand, unless it is the one that is needed.
  private mutating func refuse(_ member: Member, _ existing: StringEntry) {
    guard existing.text?.hasSameBytes(as: member.entry.text) != true else { return }
    report(
      "The key is already defined here with another text, which `dragoman plurals` does not touch. Remove it.",
      existing.file, existing.line
    ) { finding in
      finding.template = member.plural.use.template
      finding.slot = member.plural.use.slot
      finding.platform = member.entry.platform
      finding.locale = member.entry.locale
      finding.key = member.entry.key
    }
  }

  private mutating func report(
    _ message: String, _ file: String?, _ line: Int?, _ place: (inout Finding) -> Void
  ) {
    var finding = Finding(
      .pluralUnreadable, message, help: "Correct it, then run `dragoman plurals --write` again.")
    finding.file = file
    finding.line = line
    place(&finding)
    findings.append(finding)
  }

  private static func text(_ member: Member) -> GeneratedText {
    GeneratedText(
      key: member.entry.key, text: member.entry.text, language: member.entry.locale,
      origin: member.plural.use.text.key, isTranslatable: member.entry.isTranslatable)
  }
}
