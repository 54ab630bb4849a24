internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// Which keys the known releases of an app can show, in which languages: what decides between loc keys and
/// texts for a recipient whose release is known. Holds the texts of those keys, for previews.
package struct ReleaseSupport: Sendable {
  /// What a language of a release has under a key.
  enum KeyState: UInt8, Sendable {
    case absent, shown
    /// The app crashes on it, or shows it garbled.
    case broken
  }

  struct KeyQuestion: Hashable, Sendable {
    let key: ExactText
    let argCount: Int
  }

  struct Release: Sendable {
    let version: ReleaseVersion
    /// The strings of the templates' keys.
    let resources: StringResources
    /// As the catalog names it.
    private let developmentLanguage: String?
    /// For each key, the state in each table.
    let keys: [KeyQuestion: [KeyState]]
    /// Whether its strings cannot be read, so that nothing is known about its keys.
    let isUnreadable: Bool
    private let tables: [ExactText: Int]

    fileprivate init(
      _ release: AppReleases.Release, developmentLanguage: String?, uses: [KeyUse], faults: [KeyFault]
    ) {
      let resources = release.resources
      version = release.version
      isUnreadable = resources.isUnreadable
      self.developmentLanguage = developmentLanguage
      let names = Set(uses.filter { $0.platform == resources.platform }.map { ExactText($0.text.key) })
      self.resources = resources.keeping(names)
      tables = Dictionary(
        resources.tables.enumerated().map { (ExactText($1.name), $0) },
        uniquingKeysWith: { first, _ in first })
      let strings = DeviceStrings(resources, preferring: [], developmentLanguage: nil)
      let faults = Dictionary(
        faults.map { (KeyQuestion($0.use), $0) }, uniquingKeysWith: { first, _ in first })
      keys = Dictionary(
        uses.filter { $0.platform == resources.platform }.map { use in
          (KeyQuestion(use), Self.states(of: use, in: resources, strings, fault: faults[KeyQuestion(use)]))
        }, uniquingKeysWith: { first, _ in first })
    }

    private static func states(
      of use: KeyUse, in resources: StringResources, _ strings: DeviceStrings, fault: KeyFault?
    ) -> [KeyState] {
      var isAbsent = fault?.state == .missing
      if case .removed = strings.lookUp(use.text.key) { isAbsent = true }
      if isAbsent { return Array(repeating: .absent, count: resources.tables.count) }
      let isBrokenEverywhere = fault?.findings.contains { $0.locale == nil } ?? false
      let broken = Set((fault?.findings ?? []).compactMap(\.locale))
      return resources.tables.map { table in
        guard let entry = table[use.text.key], !entry.isConditional,
          resources.platform == .ios || entry.text != nil
        else { return .absent }
        return isBrokenEverywhere || broken.contains(table.name) ? .broken : .shown
      }
    }

    /// The indices of the tables in which a phone with these languages looks, best first.
    func ranking(for locales: [String]) -> [Int] {
      strings(for: locales).tables.compactMap { tables[ExactText($0.name)] }
    }

    /// The strings as a phone with these languages finds them.
    func strings(for locales: [String]) -> DeviceStrings {
      DeviceStrings(resources, preferring: locales, developmentLanguage: developmentLanguage)
    }

    /// Whether the release shows a key: in a language that is looked up in `ranking` or, without one, in any
    /// language at all, if it is broken in none.
    func shows(_ question: KeyQuestion, ranking: [Int]?) -> Bool {
      guard let states = keys[question] else { return false }
      guard let ranking else { return states.contains(.shown) && !states.contains(.broken) }
      return ranking.lazy.map { states[$0] }.first { $0 != .absent } == .shown
    }
  }

  /// Oldest first.
  private let android: [Release]
  /// Oldest first.
  private let ios: [Release]

  init(_ releases: [Release]) {
    let sorted = releases.sorted { $0.version < $1.version }
    android = sorted.filter { $0.resources.platform == .android }
    ios = sorted.filter { $0.resources.platform == .ios }
  }

  subscript(platform: AppPlatform) -> [Release] { platform == .android ? android : ios }

  /// What is known about a version of the app.
  enum Match {
    case unknown
    /// Every known release is newer.
    case olderThanAll
    /// The index of the newest release that is not newer than the version.
    case release(Int)
  }

  func match(_ version: ReleaseVersion, on platform: AppPlatform) -> Match {
    let releases = self[platform]
    guard releases.contains(where: { !$0.isUnreadable }) else { return .unknown }
    guard let index = releases.lastIndex(where: { $0.version <= version }) else { return .olderThanAll }
    return releases[index].isUnreadable ? .unknown : .release(index)
  }
}

extension ReleaseSupport.KeyQuestion {
  init(_ use: KeyUse) { self.init(key: ExactText(use.text.key), argCount: use.text.args.count) }

  init(_ slot: SlotContent) { self.init(key: ExactText(slot.key), argCount: slot.args.count) }
}

extension ReleaseChecks {
  /// What the releases can show. The next release counts too if its version is known and others that can be
  /// read are listed.
  var support: ReleaseSupport {
    let uses = catalog.templates.flatMap(\.releaseUses)
    let developmentLanguage = next?.developmentLanguage
    let listed = AppPlatform.allCases.flatMap { platform in
      releases[platform].enumerated().map { number, release in
        ReleaseSupport.Release(
          release, developmentLanguage: developmentLanguage, uses: uses,
          faults: catalog.templates.indices.flatMap { faults(platform, number, $0) })
      }
    }
    let nextOnes = AppPlatform.allCases.compactMap { platform -> ReleaseSupport.Release? in
      guard let resources = next?[platform], !resources.isUnreadable,
        let version = resources.shipped?.version.flatMap(ReleaseVersion.init),
        listed.contains(where: { $0.resources.platform == platform && !$0.isUnreadable }),
        !releases[platform].contains(where: { $0.version == version })
      else { return nil }
      let release = AppReleases.Release(version: version, line: 0, resources: resources)
      var keys = KeyChecks(release: resources, developmentLanguage: developmentLanguage)
      let faults = uses.filter { $0.platform == platform }.compactMap { KeyFault($0, release, &keys) }
      return ReleaseSupport.Release(
        release, developmentLanguage: developmentLanguage, uses: uses, faults: faults)
    }
    return ReleaseSupport(listed + nextOnes)
  }
}
