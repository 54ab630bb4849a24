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
        ? FindingText(.pathIsAbsent, [field, resources.folder])
        : FindingText(.pathHasFault, [field, problem.fault]),
      help: instead.map { FindingText(.nameInstead, [$0]) }
        ?? FindingText(resources.isAbsent ? .correctRelativePath : .correctPath))
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
    func found(
      _ rule: CheckRule, severity: Finding.Severity? = nil, impact: Finding.Impact? = nil, _ help: AdviceText
    ) -> Finding {
      Finding(
        rule, severity: severity, impact: impact, problem.fault, help: problem.advice ?? FindingText(help))
    }
    var finding: Finding
    var countsUnused = false
    switch problem.kind {
    case .unparsable, .noResources:
      finding = found(.unparsableStrings, .correctFile)
      countsUnused = true
    case .suspicious: finding = found(.unparsableStrings, impact: .wrongText, .correctEntry)
    case .duplicateKey: finding = found(.duplicateKey, .keepOne)
    case .duplicateResource:
      finding = found(.duplicateKey, severity: .error, .keepOne)
      countsUnused = true
    case .invalidName:
      finding = found(.invalidResourceName, .renameResource)
      countsUnused = true
    case .localeFolder: finding = found(.localeFolder, .renameFolder)
    case .unreachable: finding = found(.unreachableLocale, .renameOrRemoveFolder)
    case .globalTable:
      finding = found(.unreachableLocale, severity: .error, impact: .wrongText, .moveFile)
    case .unread: finding = found(.unreadFile, .rename)
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
