package import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// What `dragoman strings` has to write: the native strings of the sources' texts that a catalog's slots use.
package struct SourceReport: Sendable {
  /// What keeps texts from being native strings.
  package let findings: [Finding]
  private let files: NativeFileChanges
  private let isIncomplete: Bool
  private let location: ResourceLocation?

  /// Throws if the catalog names no sources, or no native strings.
  package init(_ app: AppCatalog) throws(SourceReportError) {
    guard let sources = app.resources?.sources else {
      throw SourceReportError(
        reason: "names no sources; add resources: {sources: [{arb: lib/l10n}]}, or the like")
    }
    guard AppPlatform.allCases.contains(where: { sources.native($0) != nil }) else {
      throw SourceReportError(
        reason: "names no place for native strings; add resources: {android: android, ios: ios}, or the like")
    }
    let texts = sources.texts.texts
    let native = SourceTextFiles(sources)
    files = NativeFileChanges(.strings, texts.compactMap(native.text)) { sources.native($0) }
    isIncomplete = sources.texts.isIncomplete
    location = app.catalog.resources?.ios
    let found = sources.texts.findings + sources.texts.absent + files.findings
    findings = CheckReport(findings: found, ignoring: app.catalog.ignored).findings
  }

  /// The paths of the files that `write` changes.
  package var changedFiles: [String] { files.changes.map(\.path) }

  /// Whether something keeps a text from being written.
  package var hasErrors: Bool { files.obstacle != nil || findings.contains { $0.severity == .error } }

  /// Writes all files that have to change, or none. Nothing is written while a source cannot be read, which
  /// would remove its texts, or while somebody else's string has the name of a text.
  package func write() throws(GeneratedTextError) {
    if isIncomplete {
      throw GeneratedTextError(
        "A source cannot be read completely, so that texts would be lost. No file was changed.")
    }
    if !files.findings.isEmpty {
      throw GeneratedTextError("A file cannot have its texts. No file was changed.")
    }
    try files.write()
  }

  /// The iOS files with texts that the app's target does not have, once they are written.
  package func unreachedFiles() -> UnreachedFiles? { files.unreached(at: location) }
}

/// A catalog lacks what is needed to write native strings of sources.
package struct SourceReportError: Error, Sendable {
  /// What it lacks and what to add, after the name of the catalog.
  package let reason: String
}

/// The files in which the native strings of sources belong.
private struct SourceTextFiles {
  private let sources: AppSources
  private let apple: AppleTextFiles?

  init(_ sources: AppSources) {
    self.sources = sources
    apple = sources.native(.ios).map { AppleTextFiles($0) }
  }

  /// Nil on a platform that the catalog does not name.
  func text(_ text: SourceTexts.Text) -> NativeText? {
    guard let resources = sources.native(text.platform) else { return nil }
    let present = resources.table(text.table)?.resources(named: text.key) ?? []
    return NativeText(
      platform: text.platform, locale: text.table, key: text.key, text: text.text,
      file: path(text, resources), existing: present.first { $0.text != nil } ?? present.first,
      template: text.template, slot: text.slot)
  }

  private func path(_ text: SourceTexts.Text, _ resources: StringResources) -> String {
    guard resources.shipped == nil else { return resources.folder }
    if text.platform == .ios { return apple?.path(text.table) ?? "" }
    let locale = text.table == StringResources.defaultTable ? nil : LocaleTag(text.table)
    let folder = NativeFolder.android(locale, in: resources.ownFolder)
    return "\(folder)/\(TextGenerator.strings.androidName)"
  }
}
