package import Catalog
package import FCMMessage
internal import JSON

/// Which template each release can show: what `dragoman releases` prints and the API answers.
package struct ReleaseMatrix: Sendable {
  /// What a release does with a template, worst last.
  package enum State: String, Sendable, CaseIterable {
    /// Every key can be shown.
    case ok
    /// A language lacks a key: on Android the default, on iOS any.
    case partial
    /// A text makes the app crash or is garbled.
    case broken
    /// A key is in no language.
    case missing
  }

  /// A template in one release.
  package struct Cell: Sendable, Equatable {
    package let version: ReleaseVersion
    package let state: State
    /// The keys that are not as they should be.
    package let keys: [String]
    /// The languages that lack one of them, or in which it is broken.
    package let locales: [String]
    /// What readers get who do not get what was meant.
    let verdicts: [Verdict: [String]]
    /// Whether an Android app crashes in the languages that lack a key, rather than drop the line.
    let crashesWithoutKey: Bool
    /// Whether the strings of the release cannot be read, so that nobody knows what it shows. The state is
    /// `missing` then.
    let isUnreadable: Bool
  }

  /// A template on one platform.
  package struct Row: Sendable, Equatable {
    /// Oldest first.
    package let cells: [Cell]

    /// The oldest release from which on every one can show the template; nil if there is none.
    package var safeSince: ReleaseVersion? {
      cells.reversed().prefix { $0.state == .ok }.last?.version
    }
  }

  /// Templates in the order of the catalog.
  package let templates: [(name: String, since: ReleaseFloor, rows: [AppPlatform: Row])]
  private let indices: [ExactText: Int]

  /// What the releases of a catalog can show. `developmentLanguage` is what the catalog names.
  package init(of catalog: Catalog, _ releases: AppReleases, developmentLanguage: String?) {
    let next = AppResources(developmentLanguage: developmentLanguage)
    self = ReleaseChecks(catalog, next: next, releases: releases).matrix
  }

  init(_ templates: [(name: String, since: ReleaseFloor, rows: [AppPlatform: Row])]) {
    self.templates = templates
    indices = Dictionary(
      templates.enumerated().map { (ExactText($1.name), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether a template is not `ok` in a release to which it may be sent.
  package var hasFaults: Bool {
    templates.contains { template in
      template.rows.contains { platform, row in
        row.cells.contains { $0.state != .ok && template.since.allows($0.version, on: platform) }
      }
    }
  }

  /// One template's rows; nil for a template that the catalog lacks.
  package subscript(template: String) -> [AppPlatform: Row]? {
    indices[ExactText(template)].map { templates[$0].rows }
  }
}
