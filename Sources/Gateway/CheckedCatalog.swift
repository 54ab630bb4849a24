internal import Catalog
internal import CatalogCheck
internal import FCMMessage
internal import Telemetry

/// A catalog with the app's string resources and the findings of `check`.
struct CheckedCatalog: Sendable {
  let catalog: Catalog
  let resources: AppResources?
  let report: CheckReport

  /// The maximum number of findings that one load logs, so that a catalog without translations does not flood
  /// the log.
  private static let loggedFindingsMax = 100

  /// Checks the catalog against its resources. Throws if the catalog is `strict` and has errors.
  init(_ app: AppCatalog) throws(GatewayError) {
    (catalog, resources) = (app.catalog, app.resources)
    report = Check(catalog, against: resources, releases: AppReleases(of: catalog)).report()
    guard catalog.resources?.isStrict == true else { return }
    let errors = report.findings.filter { $0.severity == .error }
    guard !errors.isEmpty else { return }
    let lines = errors.prefix(Self.loggedFindingsMax).map { finding in
      let place = [finding.file, finding.line.map(String.init)].compactMap(\.self).joined(separator: ":")
      return "\(place): \(finding.rule.rawValue): \(finding.headline): \(finding.message)"
    }
    throw GatewayError(
      .parts,
      "\(catalog.file ?? "the catalog"): resources.strict refuses a catalog with errors "
        + "(\(report.summary)):\n"
        + lines.joined(separator: "\n"))
  }

  func log(to log: Log, app: String) {
    for finding in report.findings.lazy.filter({ $0.severity != .note }).prefix(Self.loggedFindingsMax) {
      log.warning(
        "catalog finding",
        [
          "app": .string(app), "rule": .string(finding.rule.rawValue),
          "severity": .string(finding.severity.rawValue), "template": .string(finding.template ?? ""),
          "platform": .string(finding.platform?.rawValue ?? ""), "locale": .string(finding.locale ?? ""),
          "key": .string(finding.key ?? ""), "file": .string(finding.file ?? ""),
          "line": .integer(finding.line ?? 0),
        ])
    }
    log.info(
      "catalog checked",
      [
        "app": .string(app), "templates": .integer(catalog.templates.count),
        "errors": .integer(report.count(of: .error)), "warnings": .integer(report.count(of: .warning)),
        "ignored": .integer(report.ignored.count),
      ])
  }
}
