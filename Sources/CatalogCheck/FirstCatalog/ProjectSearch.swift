package import AppStrings
package import FCMMessage
internal import JSON

/// What a search below the root of a repository finds, for `dragoman init`: projects, folders with string
/// resources, and texts that phones cannot reach.
package struct ProjectSearch: Sendable {
  /// The bounds of the search. What lies beyond them is not found.
  struct Limits: Sendable {
    var foldersMax = 20_000
    var depthMax = 14
    var fileBytesMax = 16 << 20
  }

  /// A folder that `resources` of a catalog can name.
  private struct Candidate {
    let path: String
    /// What it has: the bytes of its string files. The app's own texts are most of a project's.
    var bytes: Int
    let depth: Int
    /// Android: whether its strings are translated. Some apps have one module for all strings.
    var isTranslated = false
    /// Whether it belongs to an application and not to a library.
    var isApplication = false
  }

  private var android: [Candidate] = []
  private var ios: [Candidate] = []
  /// The folders of Gradle projects, and the `.xcodeproj` folders, shallow ones first.
  private var gradleProjects: [String] = []
  private var xcodeProjects: [String] = []
  /// The folders of Swift packages below the root, whose texts are in bundles of their own.
  private var packages: [String] = []
  /// Tuist manifests by their folders.
  private var manifests: [(folder: String, manifest: TuistManifest)] = []
  private var unreachable = UnreachableTexts()
  private let root: String
  private let limits: Limits
  private var folderCount = 0

  /// The most projects whose applications are looked at.
  private static let projectsMax = 40

  /// Searches the folder and those below it, shallow ones first, but not those of builds and dependencies.
  package init(_ root: String) { self.init(root, limits: Limits()) }

  init(_ root: String, limits: Limits) {
    (self.root, self.limits) = (root, limits)
    search(root)
  }

  /// The folders of a platform, the most likely one first.
  package func folders(_ platform: AppPlatform) -> [String] {
    candidates(platform).sorted { left, right in
      if left.isTranslated != right.isTranslated { return left.isTranslated }
      if left.isApplication != right.isApplication { return left.isApplication }
      if left.bytes != right.bytes { return left.bytes > right.bytes }
      return left.depth == right.depth
        ? left.path.utf8.lexicographicallyPrecedes(right.path.utf8) : left.depth < right.depth
    }.map(\.path)
  }

  private func candidates(_ platform: AppPlatform) -> [Candidate] {
    guard platform == .ios else { return android }
    return ios.compactMap { candidate in
      var candidate = candidate
      if packages.contains(where: { candidate.path.hasPrefix("\($0)/") }) { return nil }
      candidate.isApplication = manifests.contains { folder, manifest in
        manifest.holds(
          folder == "." ? candidate.path : String(candidate.path.dropFirst(folder.utf8.count + 1)))
      }
      return candidate
    }
  }

  /// What to take as the app of a platform, the most likely one first: the applications of its projects.
  package func applications(_ platform: AppPlatform) -> [ProjectApplication] {
    let projects = platform == .android ? gradleProjects : xcodeProjects
    let found = ProjectApplication.all(platform, in: Array(projects.prefix(Self.projectsMax)))
    return found.enumerated().sorted { left, right in
      let areSamples = (isSample(left.element), isSample(right.element))
      if areSamples.0 != areSamples.1 { return areSamples.1 }
      let bytes = (left.element.bytes, right.element.bytes)
      return bytes.0 == bytes.1 ? left.offset < right.offset : bytes.0 > bytes.1
    }.map(\.element)
  }

  /// Whether the name of an application, or its place below the root, says that nobody installs it.
  private func isSample(_ application: ProjectApplication) -> Bool {
    let start = root == "." ? 0 : root.utf8.count
    let place = application.location.path.dropFirst(start)
    let words = "\(place)/\(application.name.prefix { $0 != " " })/".lowercased()
    let signs = ["sample", "demo", "example", "harness", "playground", "inspector", "tests/", "/test/"]
    return signs.contains(where: words.contains)
  }

  /// Texts that are no native strings, as a catalog names them.
  package var sources: [StringSourceLocation] { unreachable.sources }

  /// The folders for native strings of an Expo app whose native projects are made anew by each build; nil if
  /// there is none.
  package func expoFolder(_ platform: AppPlatform) -> String? {
    guard gradleProjects.isEmpty, xcodeProjects.isEmpty else { return nil }
    return unreachable.expoProjects.first.map { Self.path($0, "push/\(platform.rawValue)") }
  }

  /// What holds texts that no phone finds for a push message, a line each.
  package var notes: [String] {
    let ofPackages = packages.filter { package in ios.contains { $0.path.hasPrefix("\(package)/") } }
    let bundles =
      ofPackages.isEmpty
      ? []
      : [
        "\(FindingGroup.listed(ofPackages, most: 3)): the texts of Swift packages are in bundles of their own, in "
          + "which no phone looks for those of a push message."
      ]
    let computed = manifests.map { folder, _ in
      "\(folder == "." ? "" : "\(folder)/")Project.swift: a Tuist manifest is a program, which is not run. Generate the "
        + "project, and name it in resources."
    }
    return bundles + computed + unreachable.notes
  }

  private mutating func search(_ root: String) {
    var visited: Set<FolderListing.Identity> = []
    var level = [root]
    for depth in 0...limits.depthMax {
      var next: [String] = []
      for path in level {
        guard folderCount < limits.foldersMax else { return }
        folderCount += 1
        // A folder that may not be read is none of the app's.
        guard let listing = try? FolderListing(path: path), visited.insert(listing.identity).inserted else {
          continue
        }
        look(into: path, listing, depth: depth, next: &next)
      }
      level = next
    }
  }

  private mutating func look(
    into path: String, _ listing: FolderListing, depth: Int, next: inout [String]
  ) {
    unreachable.look(into: path, listing)
    let names = Set(listing.items.filter { !$0.isFolder }.map(\.name))
    if !names.isDisjoint(with: ["settings.gradle", "settings.gradle.kts"]) { gradleProjects.append(path) }
    if depth > 0, names.contains("Package.swift") { packages.append(path) }
    if names.contains("Project.swift"), let manifest = TuistManifest(Self.path(path, "Project.swift")) {
      manifests.append((path, manifest))
    }
    var apple = 0
    for item in listing.items where item.name.utf8.first != UInt8(ascii: ".") {
      let itemPath = Self.path(path, item.name)
      if item.name.hasSuffix(".xcodeproj") {
        if item.isFolder { xcodeProjects.append(itemPath) }
      } else if item.name.hasSuffix(".lproj") {
        apple += ["strings", "stringsdict"].reduce(0) {
          $0 + (ResourceFile.size(of: "\(itemPath)/Localizable.\($1)") ?? 0)
        }
      } else if item.name == "Localizable.xcstrings" {
        apple += ResourceFile.size(of: itemPath) ?? 0
      } else if item.isFolder, item.name == "res", let bytes = androidBytes(itemPath) {
        android.append(
          Candidate(
            path: itemPath, bytes: bytes, depth: depth, isTranslated: isTranslated(itemPath),
            isApplication: isApplication(itemPath)))
      } else if item.isFolder, !Self.isSkipped(item.name) {
        next.append(itemPath)
      }
    }
    if apple > 0 { ios.append(Candidate(path: path, bytes: apple, depth: depth)) }
  }

  /// The bytes of the XML files in `values`, if one of them has a string.
  private func androidBytes(_ res: String) -> Int? {
    let bytes = stringFiles(in: "\(res)/values").reduce(0, +)
    return bytes > 0 ? bytes : nil
  }

  /// The sizes of the XML files of a folder that have a string. Reads each only when it is asked for.
  private func stringFiles(in folder: String) -> some Sequence<Int> {
    let names = (try? FolderListing(path: folder))?.items.map(\.name).filter { $0.hasSuffix(".xml") } ?? []
    return names.lazy.compactMap { name in
      let text = try? RegularFile.read("\(folder)/\(name)", bytesMax: limits.fileBytesMax)
      return text.flatMap { $0.firstRange(of: Array("<string ".utf8)) == nil ? nil : $0.count }
    }
  }

  /// Whether a folder for a language, such as `values-fr`, has strings.
  private func isTranslated(_ res: String) -> Bool {
    let folders = (try? FolderListing(path: res))?.items.map(\.name) ?? []
    return folders.lazy.filter { name in
      guard name.hasPrefix("values-"), let first = name.dropFirst(7).split(separator: "-").first else {
        return false
      }
      let isCode = (2...3).contains(first.utf8.count) && first.utf8.allSatisfy { (0x61...0x7A).contains($0) }
      return first.hasPrefix("b+") || isCode && first != "any" && first != "car"
    }.contains { folder in stringFiles(in: "\(res)/\(folder)").contains { $0 > 0 } }
  }

  /// Whether the Gradle module of a `res` folder is an application, by the plugin of its build file.
  private func isApplication(_ res: String) -> Bool {
    ["build.gradle", "build.gradle.kts"].contains { name in
      let bytes = try? RegularFile.read("\(res)/../../../\(name)", bytesMax: limits.fileBytesMax)
      return bytes?.firstRange(of: Array("com.android.application".utf8)) != nil
        || bytes?.firstRange(of: Array("plugins.android.application".utf8)) != nil
    }
  }

  /// Builds, dependencies, tests, and bundles that have strings of their own.
  private static func isSkipped(_ name: String) -> Bool {
    let folders = [
      "build", "Pods", "Carthage", "DerivedData", "node_modules", "test", "androidTest", "Tests", "UITests",
    ]
    let bundles = [".xcassets", ".framework", ".xcframework", ".bundle", ".app", ".appex", ".xcarchive"]
    return folders.contains(name) || bundles.contains(where: name.hasSuffix)
  }

  private static func path(_ folder: String, _ name: String) -> String {
    folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }
}
