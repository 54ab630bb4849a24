internal import Catalog
internal import CatalogCheck
internal import FCMMessage
internal import Telemetry

/// A catalog with the app's string resources and the findings of `check`.
struct CheckedCatalog: Sendable {
  let catalog: Catalog
  let resources: AppResources?
  let report: CheckReport
  /// Looks at messages that are given as a whole.
  let rawMessages: RawMessageCheck

  /// The maximum number of causes that one load logs: a summary comes first, and `check` shows them all.
  private static let loggedCausesMax = 10
  /// The maximum number of names in one field of a logged cause.
  private static let loggedNamesMax = 5

  /// Checks the catalog against its resources. Throws if the catalog is `strict` and has errors.
  init(_ app: AppCatalog) throws(GatewayError) {
    (catalog, resources) = (app.catalog, app.resources)
    report = Check(catalog, against: resources, releases: AppReleases(of: catalog)).report()
    rawMessages = RawMessageCheck(resources, ignoring: catalog)
    guard catalog.resources?.isStrict == true else { return }
    let errors = report.groups.filter { $0.severity == .error }
    guard !errors.isEmpty else { return }
    var lines = errors.prefix(Self.loggedCausesMax).map { group in
      let place = group.places.first.map { [$0.file, $0.line.map(String.init)].compactMap(\.self) } ?? []
      return "\(place.joined(separator: ":")): \(group.rule.rawValue): \(group.headline): \(group.message)"
    }
    if errors.count > lines.count { lines.append("and \(errors.count - lines.count) more causes") }
    throw GatewayError(
      .parts,
      "\(catalog.file ?? "the catalog"): resources.strict refuses a catalog with errors "
        + "(\(report.summary)):\n"
        + lines.joined(separator: "\n"))
  }

  func log(to log: Log, app: String) {
    let groups = report.groups.filter { $0.severity != .note }
    log.info(
      "catalog checked",
      [
        "app": .string(app), "templates": .integer(catalog.templates.count),
        "errors": .integer(report.count(of: .error)), "warnings": .integer(report.count(of: .warning)),
        "ignored": .integer(report.ignored.count), "causes": .integer(groups.count),
      ])
    for group in groups.prefix(Self.loggedCausesMax) {
      func names(_ names: [String]) -> Log.Value {
        .string(FindingGroup.listed(names, most: Self.loggedNamesMax))
      }
      let fields: Log.Fields = [
        "app": .string(app), "rule": .string(group.rule.rawValue),
        "severity": .string(group.severity.rawValue), "impact": .string(group.impact.rawValue),
        "templates": names(group.templates), "platform": .string(group.platform?.rawValue ?? ""),
        "locales": names(group.locales), "keys": names(group.keys),
        "file": .string(group.places.first?.file ?? ""), "line": .integer(group.places.first?.line ?? 0),
        "findings": .integer(group.findings.count), "reason": .string(group.message),
      ]
      if group.severity == .error {
        log.error("catalog finding", fields)
      } else {
        log.warning("catalog finding", fields)
      }
    }
  }
}
