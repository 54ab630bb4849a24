internal import AppArchives
internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// A file that has to change so that it has the generated texts.
struct NativeFileChange {
  let path: String
  let bytes: [UInt8]
  /// The folder of the resources.
  let folder: String
}

/// A generated text, and the file that should have it.
struct NativeText {
  let platform: AppPlatform
  /// The table's name.
  let locale: String
  let key: String
  let text: String
  let file: String
  /// The key that it is generated from.
  var origin = ""
  var isTranslatable = true
  /// What the app has under the key.
  let existing: StringEntry?
  let template: String
  let slot: TextSlot.Name

  var isPresent: Bool { existing?.text?.hasSameBytes(as: text) ?? false }

  fileprivate var generated: GeneratedText {
    GeneratedText(key: key, text: text, language: locale, origin: origin, isTranslatable: isTranslatable)
  }
}

/// Finds out how the files of both platforms have to change for the texts of one generator, and changes all
/// of them or none.
struct NativeFileChanges {
  private let generator: TextGenerator
  private let texts: [NativeText]
  private(set) var changes: [NativeFileChange] = []
  /// The files that cannot have their texts.
  private(set) var findings: [Finding] = []
  /// Why nothing can be written.
  private(set) var obstacle: GeneratedTextError?

  /// `resources` gives what the app has on a platform; nil for one that the catalog does not name.
  init(_ generator: TextGenerator, _ texts: [NativeText], in resources: (AppPlatform) -> StringResources?) {
    (self.generator, self.texts) = (generator, texts)
    for platform in AppPlatform.allCases {
      guard let resources = resources(platform) else { continue }
      changes += changes(for: texts.filter { $0.platform == platform }, in: resources)
    }
  }

  /// Writes all files that have to change, or none.
  func write() throws(GeneratedTextError) {
    if let obstacle { throw obstacle }
    var replacements = FileReplacements()
    for change in changes { try replacements.add(change.path, change.bytes, within: change.folder) }
    try replacements.commit()
  }

  /// The iOS files with texts that the target of the app does not have, once they are written; nil if it has
  /// all. `location` is where the catalog says that the app is.
  func unreached(at location: ResourceLocation?) -> UnreachedFiles? {
    guard let app = location.map({ StringResources.read(.ios, from: $0) }), let project = app.project else {
      return nil
    }
    let missing = texts.filter { $0.platform == .ios && app.table($0.locale)?[$0.key] == nil }
    return UnreachedFiles(Set(missing.map(\.file)).sorted().filter(ResourceFile.exists), in: project)
  }

  private mutating func changes(
    for texts: [NativeText], in resources: StringResources
  ) -> [NativeFileChange] {
    guard resources.isSourceFolder else {
      if texts.contains(where: { !$0.isPresent }) {
        report(Self.obstacle(resources), resources.folder, nil) { $0.platform = resources.platform }
      }
      return []
    }
    let unreadable = resources.unreadableTables
    var order: [String] = []
    var files: [String: [NativeText]] = [:]
    for text in texts where !unreadable.contains(text.locale) {
      if files[text.file] == nil { order.append(text.file) }
      files[text.file, default: []].append(text)
    }
    // A file whose last text is gone still has it.
    for table in resources.tables where !unreadable.contains(table.name) {
      for path in generatedFiles(of: table, resources.platform).sorted() where files[path] == nil {
        order.append(path)
        files[path] = []
      }
    }
    for text in texts where unreadable.contains(text.locale) { _ = read(text.file) }
    for name in Set(texts.map(\.locale)).intersection(unreadable).sorted() {
      report(
        "A file of the language cannot be read completely, so its generated texts stay as they are.", nil, nil
      ) {
        ($0.platform, $0.locale) = (resources.platform, name)
      }
    }
    return order.compactMap { path in
      guard let old = read(path) else { return nil }
      do throws(GeneratedTextError) {
        let new = try bytes(of: path, old, files[path] ?? [], resources.platform)
        guard let new, new != old else { return nil }
        return NativeFileChange(path: path, bytes: new, folder: resources.writableFolder)
      } catch {
        report(error.message, path, error.line) { finding in
          finding.platform = resources.platform
          finding.locale = PluralFile.isCatalog(path) ? nil : files[path]?.first?.locale
        }
        return nil
      }
    }
  }

  /// Why nothing can be written into resources that are no folder of an app's source.
  private static func obstacle(_ resources: StringResources) -> String {
    if resources.shipped != nil {
      return "The texts cannot be written into a built app. Name the folder of its source in resources."
    }
    return resources.isAbsent
      ? "There is no such folder for the texts. Make it, or correct the path in resources."
      : "The texts cannot be written, because this is no folder of the app's source."
  }

  /// The bytes of a file; inner nil if there is no such file, and nil if it cannot be read: then it can be
  /// written even less, and all files are written together.
  private mutating func read(_ path: String) -> [UInt8]?? {
    do throws(GeneratedTextError) {
      return .some(try GeneratedFile.read(path))
    } catch {
      obstacle = obstacle ?? GeneratedTextError("\(path): \(error.message) No file was changed.")
      return nil
    }
  }

  /// The files of a table that only have, or can have a block of, generated texts.
  private func generatedFiles(of table: StringTable, _ platform: AppPlatform) -> Set<String> {
    let name = platform == .android ? "/\(generator.androidName)" : "/Localizable.strings"
    let marksCatalogs = platform == .ios && generator == .strings
    return Set(
      table.entries.values.lazy.map(\.file).filter { file in
        file.utf8.suffix(name.utf8.count).elementsEqual(name.utf8)
          || marksCatalogs && PluralFile.isCatalog(file)
      })
  }

  /// The new content of a file; nil if there is nothing to write.
  private mutating func bytes(
    of path: String, _ old: [UInt8]?, _ texts: [NativeText], _ platform: AppPlatform
  ) throws(GeneratedTextError) -> [UInt8]? {
    guard platform == .ios else {
      let own = texts.filter { text in
        // What somebody has written elsewhere in this language would be a duplicate.
        guard let existing = text.existing, existing.text != nil,
          !existing.file.utf8.suffix(generator.androidName.utf8.count).elementsEqual(
            generator.androidName.utf8)
        else { return true }
        refuse(text, existing)
        return false
      }
      return own.isEmpty && old == nil ? nil : GeneratedFile.android(own.map(\.generated), by: generator)
    }
    guard !PluralFile.isCatalog(path) else {
      return try old.map { old throws(GeneratedTextError) in
        try GeneratedFile.catalog(old, path: path, texts.map(\.generated), by: generator)
      }
    }
    let free = texts.filter { text in
      guard let existing = text.existing, existing.text == nil || existing.file != path else { return true }
      // An entry of a stringsdict, or of another folder, wins over the block.
      refuse(text, existing)
      return false
    }
    let update = try GeneratedFile.strings(old, path: path, free.map(\.generated), by: generator)
    for entry in update.ownEntries {
      if let text = free.first(where: { $0.key.hasSameBytes(as: entry.key) }) { refuse(text, entry) }
    }
    return old == nil && update.bytes.isEmpty ? nil : update.bytes
  }

  /// Reports a text that somebody wrote by hand. A plural's may stay if it is the one that is needed: it was
  /// made before there was a generator.
  private mutating func refuse(_ text: NativeText, _ existing: StringEntry) {
    if generator == .plurals, existing.text?.hasSameBytes(as: text.text) == true { return }
    report(
      generator == .plurals
        ? "The key is already defined here with another text, which `dragoman plurals` does not touch. Remove it."
        : "The key is already defined here by hand, which `dragoman strings` does not touch. Remove it.",
      existing.file, existing.line
    ) { finding in
      finding.template = text.template
      finding.slot = text.slot
      finding.platform = text.platform
      finding.locale = text.locale
      finding.key = text.key
    }
  }

  private mutating func report(
    _ message: String, _ file: String?, _ line: Int?, _ place: (inout Finding) -> Void
  ) {
    var finding = Finding(
      generator == .plurals ? .pluralUnreadable : .nativeDrift, FindingText(english: message),
      help: FindingText(english: "Correct it, then run `\(generator.command) --write` again."))
    finding.file = file
    finding.line = line
    place(&finding)
    findings.append(finding)
  }
}
