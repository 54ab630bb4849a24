internal import JSON

/// An Xcode project, as its `project.pbxproj` says: its targets and the files that these pack.
struct XcodeProject {
  struct Target {
    let name: String
    /// `com.apple.product-type.application`.
    let productType: String
    let product: String
    fileprivate let object: PropertyListDictionary
  }

  private(set) var targets: [Target] = []
  let developmentLanguage: String?
  let file: String
  private let objects: PropertyListDictionary
  private let project: PropertyListDictionary
  /// The folder that holds the project, to which its paths are relative.
  private let folder: String
  /// By id, as far as they are below the project's folder or beside it.
  private var paths: [String: String] = [:]

  private static let depthMax = 64

  /// Throws if the file is no project.
  init(_ bytes: [UInt8], file: String, folder: String) throws(ProjectError) {
    self.file = file
    let root: PropertyListDictionary
    do throws(PropertyListError) {
      root = try PropertyListDocument.read(bytes).root
    } catch {
      throw ProjectError(FindingText(.damagedProject, [file, error.reason]))
    }
    guard let objects = root["objects"]?.dictionary,
      let project = root["rootObject"]?.string.flatMap({ objects[$0]?.dictionary })
    else { throw ProjectError(FindingText(.noRootObject, [file])) }
    (self.objects, self.project) = (objects, project)
    developmentLanguage = project["developmentRegion"]?.string
    self.folder = ProjectFiles.path(folder, project["projectDirPath"]?.string ?? "")
    if let group = project["mainGroup"]?.string { findPaths(of: group, in: self.folder, depth: 0) }
    targets = Self.ids(project["targets"]).compactMap { id in
      guard let object = objects[id]?.dictionary, let name = object["name"]?.string else { return nil }
      let product = object["productReference"]?.string.flatMap { objects[$0]?.dictionary?["path"]?.string }
      return Target(
        name: name, productType: object["productType"]?.string ?? "", product: product ?? name, object: object
      )
    }
  }

  /// The targets that are applications for iPhones. App Clips, watch apps, extensions and those of other
  /// systems have types or systems of their own.
  var applications: [Target] {
    targets.filter { target in
      guard target.productType == "com.apple.product-type.application" else { return false }
      let systems = setting("SUPPORTED_PLATFORMS", of: target) + setting("SDKROOT", of: target)
      let named = systems.flatMap { $0.split(separator: " ") }.filter { !$0.contains("$") && $0 != "auto" }
      return named.isEmpty || named.contains { $0.hasPrefix("iphone") }
    }
  }

  /// The tables and other localized files in the target's resources, as paths.
  func resources(of target: Target) -> [String] {
    let phases = Self.ids(target.object["buildPhases"]).compactMap { objects[$0]?.dictionary }
    return phases.filter { $0["isa"]?.string == "PBXResourcesBuildPhase" }.flatMap { phase in
      Self.ids(phase["files"]).compactMap { objects[$0]?.dictionary?["fileRef"]?.string }.flatMap(files)
    }
  }

  /// The files of a reference: those of a group of variants, one for each language.
  private func files(_ id: String) -> [String] {
    guard let object = objects[id]?.dictionary else { return [] }
    if object["isa"]?.string == "PBXVariantGroup" {
      return Self.ids(object["children"]).compactMap { paths[$0] }
    }
    return [paths[id]].compactMap(\.self)
  }

  /// The synchronized groups of the target, and what it has of those of other targets.
  func folders(of target: Target, id: (Target) -> String) -> [AppleLayout.Folder] {
    let own = Set(Self.ids(target.object["fileSystemSynchronizedGroups"]))
    let owners = targets.flatMap { Self.ids($0.object["fileSystemSynchronizedGroups"]) }
    return Set(owners).sorted().compactMap { group -> AppleLayout.Folder? in
      guard let object = objects[group]?.dictionary, let path = paths[group] else { return nil }
      var exceptions: Set<String> = []
      for set in Self.ids(object["exceptions"]).compactMap({ objects[$0]?.dictionary }) {
        guard let holder = set["target"]?.string.flatMap({ objects[$0]?.dictionary?["name"]?.string }),
          holder == target.name
        else { continue }
        exceptions.formUnion(Self.ids(set["membershipExceptions"]).map(Self.withoutLocalized))
      }
      let isOwn = own.contains(group)
      if isOwn { exceptions.formUnion(Self.ids(object["explicitFolders"])) }
      guard isOwn || !exceptions.isEmpty else { return nil }
      return AppleLayout.Folder(
        path: path, target: id(target), hasOnlyExceptions: !isOwn, exceptions: exceptions)
    }
  }

  /// Xcode names a localized file without its `.lproj` folder: `/Localized: Localizable.strings`.
  private static func withoutLocalized(_ path: String) -> String {
    for start in ["/Localized: ", "/Localized/"] where path.hasPrefix(start) {
      return String(path.dropFirst(start.utf8.count))
    }
    return path
  }

  /// The target's Info.plist files.
  func infoPlists(of target: Target) -> [String] {
    Set(setting("INFOPLIST_FILE", of: target)).sorted().compactMap { file in
      let plain = ["$(SRCROOT)/", "$(PROJECT_DIR)/", "${SRCROOT}/"].reduce(file) { file, start in
        file.hasPrefix(start) ? String(file.dropFirst(start.utf8.count)) : file
      }
      return plain.contains("$") ? nil : ProjectFiles.path(folder, plain)
    }
  }

  /// The settings with which a target is released.
  func settings(of target: Target) -> BuildSettings {
    var values: [String: String] = [:]
    for owner in [project, target.object] {
      let all = configurations(of: owner)
      let released = all.first { $0["name"]?.string == "Release" } ?? all.last
      for setting in released?["buildSettings"]?.dictionary?.members ?? [] {
        if let text = setting.value.string { values[setting.key] = text }
      }
    }
    return BuildSettings(target: target.name, values)
  }

  private func configurations(of owner: PropertyListDictionary) -> [PropertyListDictionary] {
    let list = owner["buildConfigurationList"]?.string.flatMap { objects[$0]?.dictionary }
    return Self.ids(list?["buildConfigurations"]).compactMap { objects[$0]?.dictionary }
  }

  /// The values of a build setting: the target's, or those of the project.
  private func setting(_ name: String, of target: Target) -> [String] {
    for owner in [target.object, project] {
      let values = configurations(of: owner).compactMap { $0["buildSettings"]?.dictionary?[name]?.string }
      if !values.isEmpty { return values }
    }
    return []
  }

  private mutating func findPaths(of id: String, in folder: String, depth: Int) {
    guard depth < Self.depthMax, paths[id] == nil, let object = objects[id]?.dictionary else { return }
    let name = object["path"]?.string
    let path: String
    switch object["sourceTree"]?.string {
    case "<group>", nil: path = name.map { ProjectFiles.path(folder, $0) } ?? folder
    case "SOURCE_ROOT": path = ProjectFiles.path(self.folder, name ?? "")
    default: return
    }
    paths[id] = path
    for child in Self.ids(object["children"]) { findPaths(of: child, in: path, depth: depth + 1) }
  }

  private static func ids(_ value: PropertyListValue?) -> [String] {
    guard case .array(let elements)? = value else { return [] }
    return elements.compactMap(\.string)
  }
}
