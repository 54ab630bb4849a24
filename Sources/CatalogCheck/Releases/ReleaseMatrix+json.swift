internal import Catalog
package import FCMMessage
package import JSON

extension ReleaseMatrix {
  /// `{"templates":{T:{"android":{"safe_since","releases":{V:CELL}},"ios":{…}}}}`, where a cell is
  /// `{"state","keys","locales","verdicts","unreadable"?}`.
  package var json: JSON {
    ["templates": .object(.init(templates.map { ($0.name, Self.json($0.rows)) }))]
  }

  /// One template's rows, by platform.
  package static func json(_ rows: [AppPlatform: Row]) -> JSON {
    .object(.init(AppPlatform.allCases.map { ($0.rawValue, rows[$0]?.json ?? Row(cells: []).json) }))
  }
}

extension ReleaseMatrix.Row {
  fileprivate var json: JSON {
    let releases = cells.map { cell -> JSON.Object.Member in
      var object = JSON.Object([
        ("state", .string(cell.state.rawValue)), ("keys", .array(cell.keys.map(JSON.string))),
        ("locales", .array(cell.locales.map(JSON.string))),
        ("verdicts", VerdictTable.json(cell.verdicts)),
      ])
      if cell.isUnreadable { object.members.append(("unreadable", true)) }
      return (cell.version.text, .object(object))
    }
    return ["safe_since": safeSince.map { .string($0.text) } ?? .null, "releases": .object(.init(releases))]
  }
}
