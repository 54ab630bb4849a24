internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

extension Catalog {
  /// The finding that there are no strings where `resources` says, at its line, with where they are instead;
  /// nil if there are some.
  func absence(of resources: StringResources) -> Finding? {
    guard let named = self.resources?[resources.platform],
      let problem = resources.problems.first(where: { $0.kind == .noResources }),
      // Texts of sources stand in for strings that are not there.
      resources.isUnreadable || resources.isAbsent
    else { return nil }
    let platform = resources.platform
    let field = "resources.\(platform.rawValue)"
    let instead = ResourcePaths.instead(of: named.path, on: platform)
    var finding = Finding(
      .unparsableStrings,
      resources.isAbsent
        ? "\(field) names \(resources.folder), which does not exist." : "\(field): \(problem.message)",
      help: instead.map { "Name \($0), which has strings." }
        ?? (resources.isAbsent ? "Correct the path, which is relative to the catalog." : "Correct the path."))
    finding.platform = platform
    finding.file = file
    finding.line = named.line
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
        help: "Correct the entry, so that users see what is meant.")
    case .duplicateKey: finding = Finding(.duplicateKey, problem.message, help: "Keep one of them.")
    case .duplicateResource:
      finding = Finding(.duplicateKey, severity: .error, problem.message, help: "Keep one of them.")
      countsUnused = true
    case .invalidName:
      finding = Finding(
        .invalidResourceName, problem.message,
        help: "Rename it to letters, digits, _ and . that begin with a letter or _, here and in the catalog.")
      countsUnused = true
    case .localeFolder: finding = Finding(.localeFolder, problem.message, help: "Rename the folder.")
    case .unreachable:
      finding = Finding(
        .unreachableLocale, problem.message,
        help: "Rename the folder to the one that phones look for, or remove it.")
    case .globalTable:
      finding = Finding(
        .unreachableLocale, severity: .error, impact: .wrongText, problem.message,
        help: "Move the file into the .lproj folder of its language, or leave it out of the app.")
    case .unread:
      finding = Finding(.unreadFile, problem.message, help: problem.help ?? "Rename it.")
    // Whoever looks for the key reports it.
    case .remark, .misplacedKey: return nil
    }
    finding.platform = platform
    finding.locale = problem.table
    finding.key = problem.key
    finding.file = problem.file
    finding.line = problem.line
    return (finding, countsUnused)
  }
}
