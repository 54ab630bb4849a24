internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// The templates and languages that a run of `check` is about.
package struct FindingSelection: Sendable {
  private let templates: [Glob]
  private let tables: [AppPlatform: Set<String>]?
  /// The selected templates, by the platforms on which they look up keys; none if all findings are selected.
  private let users: [AppPlatform: [Template]]

  /// All templates without patterns, and all languages without locales. Throws if a pattern matches no
  /// template, or if the app has no such language.
  ///
  /// Selected templates cannot be checked against a file or a release that cannot be read, so findings about
  /// those on which they depend are selected, too.
  ///
  /// A locale is a BCP 47 tag or the name of a table; the development language includes `values/` and `Base`.
  package init(
    templates patterns: [String], locales: [String], of app: AppCatalog
  ) throws(FindingSelectionError) {
    let names = app.catalog.templates.map(\.name)
    for pattern in patterns where !names.contains(where: { Glob(pattern).matches($0) }) {
      throw FindingSelectionError(code: .unknownTemplate, name: pattern, known: names)
    }
    let templates = patterns.map(Glob.init)
    self.templates = templates
    let isAll = patterns.isEmpty && locales.isEmpty
    let selected = (isAll ? [] : app.catalog.templates).filter { template in
      templates.isEmpty || templates.contains { $0.matches(template.name) }
    }
    users = Dictionary(
      uniqueKeysWithValues: AppPlatform.allCases.map { platform in
        (platform, selected.filter { $0.keyUses.contains { $0.platform == platform } })
      })
    guard !locales.isEmpty else {
      tables = nil
      return
    }
    var tables: [AppPlatform: Set<String>] = [:]
    var known: Set<String> = []
    for platform in AppPlatform.allCases {
      guard let resources = app.resources, let strings = resources[platform] else { continue }
      for table in strings.tables {
        let language = resources.language(of: table)
        known.formUnion([table.name, language])
        if locales.contains(where: {
          table.isNamed($0) || LocaleTag($0).map { $0 == LocaleTag(language) } ?? false
        }) {
          tables[platform, default: []].insert(table.name)
        }
      }
      for name in resources.unshipped[platform] ?? [] {
        known.insert(name)
        if locales.contains(where: { $0.hasSameBytes(as: name) }) {
          tables[platform, default: []].insert(name)
        }
      }
    }
    for locale in locales {
      let tag = LocaleTag(locale)
      let isKnown = known.contains {
        $0.hasSameBytes(as: locale) || (tag != nil && LocaleTag($0) == tag)
      }
      guard !isKnown else { continue }
      throw FindingSelectionError(code: .unknownLocale, name: locale, known: known.sorted())
    }
    self.tables = tables
  }

  /// Whether it selects everything.
  var isAll: Bool { templates.isEmpty && tables == nil }

  func contains(template: String) -> Bool {
    templates.isEmpty || templates.contains { $0.matches(template) }
  }

  package func contains(_ finding: Finding) -> Bool {
    let isUnreadable = isUnreadableForSelection(finding)
    guard
      templates.isEmpty || isUnreadable || templates.contains(where: { $0.matches(finding.template ?? "") })
    else { return false }
    guard let tables else { return true }
    guard let platform = finding.platform, let locale = finding.locale else {
      return isUnreadable && finding.locale == nil
    }
    return tables[platform]?.contains(locale) ?? false
  }

  /// Whether a finding is about a file that cannot be read and that a selected template depends on.
  private func isUnreadableForSelection(_ finding: Finding) -> Bool {
    guard finding.isUnreadableFile, let platform = finding.platform else { return false }
    let version = finding.release.flatMap(ReleaseVersion.init)
    return (users[platform] ?? []).contains { template in
      version.map { template.since.allows($0, on: platform) } ?? true
    }
  }
}

extension StringTable {
  fileprivate func isNamed(_ name: String) -> Bool { self.name.hasSameBytes(as: name) }
}

/// A selection that cannot select anything.
package struct FindingSelectionError: Error, Sendable {
  package enum Code: Sendable { case unknownTemplate, unknownLocale }

  package let code: Code
  /// What was asked for.
  package let name: String
  /// What there is.
  package let known: [String]
}
