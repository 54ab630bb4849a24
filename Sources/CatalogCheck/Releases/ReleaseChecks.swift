internal import AppStrings
internal import Catalog
internal import Dispatch
internal import FCMMessage
internal import JSON
internal import Synchronization

/// Checks a catalog's templates against the releases that users may still have.
struct ReleaseChecks {
  let catalog: Catalog
  /// The strings of the next release.
  let next: AppResources?
  let releases: AppReleases
  /// By release and template: what is wrong with each key.
  private let faults: [FaultKey: [KeyFault]]
  /// What its readers get.
  private let verdicts: [FaultKey: [Verdict: [String]]]

  private struct FaultKey: Hashable {
    let platform: AppPlatform
    let release: Int
    let template: Int
  }

  init(_ catalog: Catalog, next: AppResources?, releases: AppReleases) {
    (self.catalog, self.next, self.releases) = (catalog, next, releases)
    let uses = catalog.templates.map(\.releaseUses)
    let jobs = AppPlatform.allCases.flatMap { platform in
      releases[platform].indices.map { (platform: platform, release: $0) }
    }
    let found = Mutex<(faults: [FaultKey: [KeyFault]], verdicts: [FaultKey: [Verdict: [String]]])>(([:], [:]))
    DispatchQueue.concurrentPerform(iterations: jobs.count) { index in
      let (platform, number) = jobs[index]
      let release = releases[platform][number]
      var keys = KeyChecks(release: release.resources, developmentLanguage: next?.developmentLanguage)
      var ofRelease: [FaultKey: [KeyFault]] = [:]
      var verdicts: [FaultKey: [Verdict: [String]]] = [:]
      for (template, uses) in uses.enumerated() {
        let key = FaultKey(platform: platform, release: number, template: template)
        let faults = uses.filter { $0.platform == platform }.compactMap { use in
          KeyFault(use, release, &keys)
        }
        if !faults.isEmpty { ofRelease[key] = faults }
        verdicts[key] = keys.verdicts(of: uses)[platform]
      }
      let made = (ofRelease, verdicts)
      found.withLock { found in
        found.faults.merge(made.0) { first, _ in first }
        found.verdicts.merge(made.1) { first, _ in first }
      }
    }
    (faults, verdicts) = found.withLock { $0 }
  }

  var matrix: ReleaseMatrix {
    ReleaseMatrix(
      catalog.templates.enumerated().map { index, template in
        let rows = AppPlatform.allCases.map { platform in
          (platform, ReleaseMatrix.Row(cells: cells(of: index, on: platform)))
        }
        return (template.name, template.since, Dictionary(uniqueKeysWithValues: rows))
      })
  }

  private func cells(of template: Int, on platform: AppPlatform) -> [ReleaseMatrix.Cell] {
    releases[platform].enumerated().map { number, release in
      let faults = faults(platform, number, template)
      let state = faults.map(\.state).max { $0.rank < $1.rank } ?? .ok
      var keys: [String] = []
      for fault in faults where !keys.contains(where: { $0.hasSameBytes(as: fault.use.text.key) }) {
        keys.append(fault.use.text.key)
      }
      return ReleaseMatrix.Cell(
        version: release.version, state: state, keys: keys,
        locales: Set(faults.flatMap(\.locales)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) },
        verdicts: verdicts[FaultKey(platform: platform, release: number, template: template)] ?? [:],
        crashesWithoutKey: faults.contains(where: \.crashesWithoutKey),
        isUnreadable: !faults.isEmpty && release.unreadable != nil)
    }
  }

  func faults(_ platform: AppPlatform, _ release: Int, _ template: Int) -> [KeyFault] {
    faults[FaultKey(platform: platform, release: release, template: template)] ?? []
  }

  /// What is wrong with a template in the releases to which it may be sent.
  func findings(of template: Template, at index: Int) -> [Finding] {
    AppPlatform.allCases.flatMap { platform in
      releases[platform].enumerated().flatMap { number, release -> [Finding] in
        guard release.unreadable == nil, template.since.allows(release.version, on: platform) else {
          return []
        }
        return faults(platform, number, index).flatMap { fault in
          findings(fault, release, template).map { finding in
            var finding = finding
            finding.template = template.name
            finding.slot = fault.use.slot
            finding.platform = platform
            finding.key = fault.use.text.key
            finding.release = release.version.text
            if finding.rule == .keyNotInRelease || finding.rule == .keyRenamed {
              finding.verdict = fault.verdict
            }
            if platform == .ios, finding.rule == .keyNotInRelease {
              finding.ownImpact = fault.use.impactWithoutKey
            }
            if finding.file == nil { (finding.file, finding.line) = (catalog.file, fault.use.text.line) }
            return finding
          }
        }
      }
    }
  }

  /// The releases whose files cannot be read.
  var findings: [Finding] {
    AppPlatform.allCases.flatMap { platform in
      releases[platform].compactMap { release in
        guard let problem = release.unreadable else { return nil }
        var finding = Finding(
          .unparsableStrings,
          FindingText(
            .together, [FindingText(.releaseIsUnreadable, ["\(release.version)"]), problem.fault]),
          help: FindingText(.correctReleasePath))
        finding.platform = platform
        finding.file = catalog.file
        finding.line = release.line
        finding.release = release.version.text
        return finding
      }
    }
  }

  private func findings(
    _ fault: KeyFault, _ release: AppReleases.Release, _ template: Template
  ) -> [Finding] {
    if fault.state == .missing { return [absence(fault, release, template)] }
    let broken = fault.findings.map { finding in
      var copy = Finding(
        finding.rule, severity: finding.severity,
        FindingText(.inRelease, ["\(release.version)"]) + finding.fault,
        help: advice(template, fault.use.platform))
      (copy.locale, copy.file, copy.line) = (finding.locale, finding.file, finding.line)
      (copy.ownImpact, copy.verdict) = (finding.ownImpact, finding.verdict)
      return copy
    }
    return fault.gaps.isEmpty ? broken : broken + [gap(fault, release, template)]
  }

  private func absence(_ fault: KeyFault, _ release: AppReleases.Release, _ template: Template) -> Finding {
    let platform = fault.use.platform
    let renamed = RenamedKey(
      fault.use.text.key, in: release.resources, next: next?[platform],
      others: releases[platform].map(\.resources))
    if let renamed { return renamed.finding(in: FindingText(.buildOfRelease, ["\(release.version)"])) }
    let place = release.resources.outOfReach[ExactText(fault.use.text.key)].map { found in
      found.place.map { FindingText(.isOnly, [$0.clause]) } ?? FindingText(.isIn, [found.table])
    }
    let text = FindingText(
      platform == .android ? .releaseLacksKeyOnAndroid : .releaseLacksKeyOnIOS, ["\(release.version)"])
    return Finding(
      .keyNotInRelease, place.map { text + $0 } ?? text, help: advice(template, platform))
  }

  private func gap(_ fault: KeyFault, _ release: AppReleases.Release, _ template: Template) -> Finding {
    let locales = fault.gaps.prefix(10).joined(separator: ", ") + (fault.gaps.count > 10 ? ", …" : "")
    let isAndroid = fault.use.platform == .android
    return Finding(
      .keyNotInRelease, impact: fault.crashesWithoutKey ? .crash : nil,
      FindingText(
        !isAndroid
          ? .releaseLacksKeyIn
          : fault.crashesWithoutKey ? .releaseLacksDefaultAndCrashes : .releaseLacksDefault,
        ["\(release.version)"] + (isAndroid ? [] : [locales])),
      help: advice(template, fault.use.platform))
  }

  /// What to do, with the setting as it is written in the catalog.
  private func advice(_ template: Template, _ platform: AppPlatform) -> FindingText {
    let index = catalog.templates.firstIndex { $0.name == template.name }
    let row = index.map { ReleaseMatrix.Row(cells: cells(of: $0, on: platform)) }
    guard let version = row?.safeSince else { return FindingText(.sinceNextRelease) }
    return FindingText(.sinceSafeRelease, [platform.rawValue, "\(version)"])
  }
}

extension ReleaseMatrix.State {
  fileprivate var rank: Int {
    switch self {
    case .ok: 0
    case .partial: 1
    case .broken: 2
    case .missing: 3
    }
  }
}

/// What is wrong with one key in one release.
struct KeyFault: Sendable {
  let use: KeyUse
  let state: ReleaseMatrix.State
  /// The languages that lack the key, unless all do; on Android the default.
  let gaps: [String]
  /// The errors of `check` that make it broken.
  let findings: [Finding]
  /// Whether an Android app that lacks its default crashes. Otherwise the build has left it out, and the line
  /// is dropped.
  let crashesWithoutKey: Bool
  /// What readers get without the key, at worst.
  let verdict: Verdict?

  /// The languages that lack the key or in which it is broken.
  var locales: [String] { findings.compactMap(\.locale) + gaps }

  /// Nil if nothing is. A release that cannot be read lacks every key.
  init?(_ use: KeyUse, _ release: AppReleases.Release, _ keys: inout KeyChecks) {
    self.use = use
    let all = release.resources.isUnreadable ? [] : keys.findings(of: use)
    // A name that no string can have is one that the release lacks, unless the app crashes on it.
    let absent = all.contains { finding in
      finding.variants.isEmpty
        && [.missingKey, .wrongTable, .wrongBundle, .keyRenamed].contains(finding.rule)
        || finding.rule == .keySyntax && finding.ownImpact != .crash
    }
    let gaps = all.filter { finding in
      finding.rule == .missingDefaultKey || finding.rule == .missingTranslation && use.platform == .ios
    }
    let errors = all.filter { finding in
      finding.severity == .error && ![.missingDefaultKey, .missingTranslation].contains(finding.rule)
    }
    crashesWithoutKey = gaps.contains { $0.ownImpact == .crash }
    verdict = keys.faults(of: use).map(\.verdict).min()
    if absent || release.resources.isUnreadable {
      (state, self.gaps, findings) = (.missing, [], [])
    } else if errors.isEmpty, gaps.isEmpty {
      return nil
    } else {
      (state, self.gaps, findings) = (errors.isEmpty ? .partial : .broken, gaps.compactMap(\.locale), errors)
    }
  }
}

extension KeyChecks {
  /// The checks against the strings of one release. `developmentLanguage` is what the catalog names.
  init(release: StringResources, developmentLanguage: String?) {
    self.init(
      resources: AppResources(
        android: release.platform == .android ? release : nil, ios: release.platform == .ios ? release : nil,
        developmentLanguage: developmentLanguage))
    findsOnlyErrors = true
  }
}
