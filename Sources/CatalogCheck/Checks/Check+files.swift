internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

extension Catalog {
  /// The finding that there is nothing where `resources` says, at its line; nil if there is something.
  func absence(of resources: StringResources) -> Finding? {
    guard resources.problems.contains(where: { $0.kind == .noResources }), resources.isAbsent,
      let named = self.resources
    else { return nil }
    let platform = resources.platform
    var finding = Finding(
      .unparsableStrings,
      "resources.\(platform.rawValue) names \(resources.folder), which does not exist.",
      help: "Correct the path, which is relative to the catalog.")
    finding.platform = platform
    finding.file = file
    finding.line = platform == .android ? named.androidLine : named.iosLine
    return finding
  }
}

/// The findings from reading the resources.
struct ReadingFindings {
  private var byKey: [AppPlatform: [ExactText: [Finding]]] = [:]
  private let all: [(finding: Finding, countsUnused: Bool)]

  init(_ resources: AppResources?, of catalog: Catalog) {
    let platforms = [resources?.android, resources?.ios].compactMap(\.self)
    all = platforms.flatMap { platform in
      if let finding = catalog.absence(of: platform) { return [(finding, true)] }
      return platform.problems.compactMap { Self.finding($0, on: platform.platform) }
    }
    for (finding, _) in all {
      guard let key = finding.key, let platform = finding.platform else { continue }
      byKey[platform, default: [:]][ExactText(key), default: []].append(finding)
    }
  }

  /// The findings about the entries of a key that a template uses.
  func findings(of use: KeyUse) -> [Finding] { byKey[use.platform]?[ExactText(use.text.key)] ?? [] }

  /// The findings that concern no template: faults of files and folders, and faults of unused keys that
  /// prevent building the app.
  func others(than uses: [KeyUse]) -> [Finding] {
    let used = Dictionary(grouping: uses, by: \.platform).mapValues { Set($0.map { ExactText($0.text.key) }) }
    return all.compactMap { finding, countsUnused in
      guard let key = finding.key, let platform = finding.platform else { return finding }
      let isUsed = used[platform]?.contains(ExactText(key)) ?? false
      return isUsed || !countsUnused ? nil : finding
    }
  }

  private static func finding(
    _ problem: ResourceProblem, on platform: AppPlatform
  ) -> (finding: Finding, countsUnused: Bool)? {
    var finding: Finding
    var countsUnused = false
    switch problem.kind {
    case .unparsable, .noResources:
      finding = Finding(.unparsableStrings, problem.message, help: "Correct the file.")
      countsUnused = true
    case .suspicious:
      finding = Finding(
        .unparsableStrings, impact: .wrongText, problem.message,
        help: "Write the text as users should see it.")
    case .duplicateKey: finding = Finding(.duplicateKey, problem.message, help: "Keep one of them.")
    case .localeFolder: finding = Finding(.localeFolder, problem.message, help: "Rename the folder.")
    case .unreachable:
      finding = Finding(
        .unreachableLocale, problem.message,
        help: "Rename the folder to the one that phones look for, or remove it.")
    case .globalTable:
      finding = Finding(
        .unreachableLocale, severity: .error, impact: .wrongText, problem.message,
        help: "Move the file into the .lproj folder of its language, or leave it out of the app.")
    case .remark: return nil
    }
    finding.platform = platform
    finding.locale = problem.table
    finding.key = problem.key
    finding.file = problem.file
    finding.line = problem.line
    return (finding, countsUnused)
  }
}
