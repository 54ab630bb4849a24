internal import FCMMessage
package import JSON

extension VerdictTable {
  /// `{"android": [LOCALE, …], "ios": […]}`.
  package var localesJSON: JSON { Self.byPlatform { platform in Self.list(locales[platform] ?? []) } }

  /// `{TEMPLATE: {"android": {VERDICT: [LOCALE, …]}, "ios": {…}}}`.
  package var verdictsJSON: JSON { .object(.init(templates.map { ($0.name, Self.json($0.row)) })) }

  /// One template's verdicts; those who get what was meant are left out.
  static func json(_ row: Row) -> JSON { byPlatform { platform in json(row[platform] ?? [:]) } }

  static func json(_ verdicts: [Verdict: [String]]) -> JSON {
    .object(
      .init(
        Verdict.allCases.compactMap { verdict in
          verdicts[verdict].map { (verdict.rawValue, list($0)) }
        }))
  }

  private static func byPlatform(_ value: (AppPlatform) -> JSON) -> JSON {
    .object(.init(AppPlatform.allCases.map { ($0.rawValue, value($0)) }))
  }

  private static func list(_ names: [String]) -> JSON { .array(names.map(JSON.string)) }
}
