internal import AppArchives
package import AppStrings
package import Catalog
internal import Dispatch
package import FCMMessage
internal import Synchronization

/// The strings of the releases that a catalog lists, as far as its templates need them.
package struct AppReleases: Sendable {
  /// A release with what it shipped.
  package struct Release: Sendable {
    package let version: ReleaseVersion
    /// The line of the catalog that names it.
    package let line: Int
    package let resources: StringResources
  }

  /// Oldest first.
  package let android: [Release]
  /// Oldest first.
  package let ios: [Release]

  package init(android: [Release] = [], ios: [Release] = []) { (self.android, self.ios) = (android, ios) }

  /// Reads the keys of the catalog's templates from each release, several at a time. Their `problems`
  /// describe what cannot be read.
  package init(of catalog: Catalog) {
    let keys = Dictionary(grouping: catalog.templates.flatMap(\.releaseUses), by: \.platform)
      .mapValues { Set($0.map(\.text.key)) }
    let listed = AppPlatform.allCases.flatMap { platform in
      catalog.releases[platform].map { (platform: platform, release: $0) }
    }
    let read = Mutex([Release?](repeating: nil, count: listed.count))
    DispatchQueue.concurrentPerform(iterations: listed.count) { index in
      let (platform, release) = listed[index]
      let resources = StringResources.read(platform, from: release.resources, keys: keys[platform] ?? [])
      let result = Release(version: release.version, line: release.line, resources: resources)
      read.withLock { $0[index] = result }
    }
    let releases = read.withLock { $0.compactMap(\.self) }
    self.init(
      android: releases.filter { $0.resources.platform == .android },
      ios: releases.filter { $0.resources.platform == .ios })
  }

  package subscript(platform: AppPlatform) -> [Release] { platform == .android ? android : ios }

  package var isEmpty: Bool { android.isEmpty && ios.isEmpty }
}

extension AppReleases.Release {
  /// What is wrong if nothing of the release could be read; nil otherwise.
  package var unreadable: ResourceProblem? {
    guard resources.isUnreadable else { return nil }
    return resources.problems.first { ($0.kind == .unparsable || $0.kind == .noResources) && $0.key == nil }
  }
}

extension Template {
  /// The keys that every release needs: each once for a platform, with the first slot that names it.
  var releaseUses: [KeyUse] {
    var seen: Set<String> = []
    return keyUses.flatMap(\.lookedUp).filter {
      seen.insert("\($0.platform) \($0.text.args.count) \($0.text.key)").inserted
    }
  }
}
