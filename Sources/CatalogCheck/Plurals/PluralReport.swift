package import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON
internal import LocaleRules

/// The classes of numbers of a catalog, the texts that its plurals need, and the files that have to change.
package struct PluralReport: Sendable {
  /// A class of numbers, as people see it.
  struct Class: Sendable {
    let smallest: UInt64
    let examples: [UInt64]
    /// In the order of the languages.
    let categories: [(language: String, category: PluralCategory)]
  }

  let classes: [Class]
  let entries: [GeneratedPlural.Entry]
  /// `PluralUnreadable` and `PluralLanguage`, without those that the catalog ignores.
  package let findings: [Finding]
  private let files: NativeFileChanges
  private let location: ResourceLocation?
  /// The iOS languages that get their first `Localizable.strings`, each with the one whose texts phones have
  /// shown in its place so far.
  package let firstStrings: [(language: String, substitute: String)]

  private static let exampleCountMax = 5

  /// Throws if neither the catalog nor resources name a language.
  package init(_ app: AppCatalog) throws(PluralReportError) {
    let catalog = app.catalog
    let listed = catalog.pluralLanguages?.languages
    let used = catalog.templates.lazy.flatMap(\.slots).compactMap(\.plural).first?.partition
    let known = listed ?? app.resources?.languages
    guard let partition = used ?? known.map({ PluralPartition(languages: $0) }) else {
      throw PluralReportError()
    }
    classes = partition.smallestMembers.enumerated().map { index, smallest in
      Class(
        smallest: smallest,
        examples: partition.examples(ofClass: index, count: Self.exampleCountMax),
        categories: partition.rules.map { ($0.language, $0.category(of: smallest)) })
    }
    var findings: [Finding] = []
    var plurals: [GeneratedPlural] = []
    if let resources = app.resources {
      var generated = GeneratedPlurals(resources)
      for use in catalog.templates.flatMap(\.keyUses) {
        guard let (plural, conflict) = generated.plural(of: use) else { continue }
        let isNew = !plurals.contains {
          $0.use.platform == use.platform && $0.use.text.key.hasSameBytes(as: use.text.key)
        }
        let own = conflict.map { [$0] } ?? (isNew ? plural.faults : [])
        if isNew { plurals.append(plural) }
        findings += own.map { Self.placed($0, use, catalog) }
      }
      findings += generated.unlisted(in: catalog)
    }
    entries = plurals.flatMap(\.entries)
    files = NativeFileChanges(.plurals, plurals.flatMap(\.texts)) { app.resources?[$0] }
    location = catalog.resources?.ios
    firstStrings = Self.firstStrings(in: app.resources, files.changes)
    findings += files.findings
    self.findings = CheckReport(findings: findings, ignoring: catalog.ignored).findings
  }

  private static func firstStrings(
    in resources: AppResources?, _ changes: [NativeFileChange]
  ) -> [(language: String, substitute: String)] {
    guard let resources, let ios = resources.ios else { return [] }
    return ios.tables.compactMap { table in
      guard changes.contains(where: { $0.path.hasSuffix("/\(table.name).lproj/Localizable.strings") }),
        let substitute = resources.substitute(for: table)
      else { return nil }
      return (table.name, substitute.name)
    }
  }

  private static func placed(_ finding: Finding, _ use: KeyUse, _ catalog: Catalog) -> Finding {
    var finding = finding
    finding.template = use.template
    finding.slot = use.slot
    finding.platform = use.platform
    finding.key = use.text.key
    finding.file = finding.file ?? catalog.file
    finding.line = finding.line ?? use.text.line
    return finding
  }

  /// The paths of the files that `write` changes.
  package var changedFiles: [String] { files.changes.map(\.path) }

  /// Whether a plural, or a file for its texts, cannot be read or written.
  package var isIncomplete: Bool {
    files.obstacle != nil || findings.contains { $0.rule == .pluralUnreadable }
  }

  /// The iOS files with texts that the app's target does not have, once they are written.
  package func unreachedFiles() -> UnreachedFiles? { files.unreached(at: location) }

  /// Writes all files that have to change, or none.
  package func write() throws(GeneratedTextError) { try files.write() }
}

extension GeneratedPlural {
  /// The texts with the slot that names the plural.
  fileprivate var texts: [NativeText] {
    entries.map { entry in
      NativeText(
        platform: entry.platform, locale: entry.locale, key: entry.key, text: entry.text, file: entry.file,
        origin: use.text.key, isTranslatable: entry.isTranslatable, existing: entry.existing,
        template: use.template, slot: use.slot)
    }
  }
}

/// The languages of a catalog's plurals are not known.
package struct PluralReportError: Error, Sendable {}
