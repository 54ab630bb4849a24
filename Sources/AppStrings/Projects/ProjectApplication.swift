package import FCMMessage
internal import JSON

/// An application of a project, as a search for one finds it.
package struct ProjectApplication: Sendable {
  /// How a catalog names it.
  package let location: ResourceLocation
  /// Its module or target, with its project: `:app of android`.
  package let name: String
  /// The size of its string files in all languages. An app has more than its samples.
  package let bytes: Int
  /// The modules or bundles whose strings it does not have.
  package let others: [String]

  /// The applications of a platform in some projects: the folders of Gradle projects, and `.xcodeproj`.
  package static func all(_ platform: AppPlatform, in projects: [String]) -> [ProjectApplication] {
    projects.flatMap { platform == .android ? gradle($0) : xcode($0) }
  }

  private static func gradle(_ folder: String) -> [ProjectApplication] {
    var project = GradleProject(folder)
    let applications = project.applications()
    return applications.compactMap { module in
      guard let layout = try? AndroidLayout.gradle(folder, module: module.path, variant: nil) else {
        return nil
      }
      let name = String(module.path.dropFirst())
      let needsModule = applications.count > 1
      return ProjectApplication(
        location: ResourceLocation(
          [folder], isProject: needsModule, module: needsModule ? name : nil),
        name: module.path == ":" ? folder : "\(module.path) of \(folder)",
        bytes: layout.sourceSets.filter(\.values.isEmpty).reduce(0) { $0 + bytes(ofResources: $1.folder) },
        others: Set(layout.elsewhere.compactMap(\.owner))
          .subtracting(layout.sourceSets.compactMap(\.module) + applications.map(\.name)).sorted())
    }
  }

  /// The size of the XML files in the `values` folders.
  private static func bytes(ofResources folder: String) -> Int {
    let folders = (try? FolderListing(path: folder))?.items.filter { $0.name.hasPrefix("values") } ?? []
    return folders.reduce(0) { sum, item in
      let files = (try? FolderListing(path: "\(folder)/\(item.name)"))?.items ?? []
      return files.filter { $0.name.hasPrefix("strings") || $0.name.contains("string") }.reduce(sum) {
        $0 + (ResourceFile.size(of: "\(folder)/\(item.name)/\($1.name)") ?? 0)
      }
    }
  }

  private static func xcode(_ path: String) -> [ProjectApplication] {
    let folder = ProjectFiles.path(path, "..")
    var bounds = ProjectFiles(root: folder)
    guard let bytes = bounds.read("\(path)/project.pbxproj"),
      let project = try? XcodeProject(bytes, file: path, folder: folder)
    else { return [] }
    let applications = project.applications
    let names = Set(applications.map(\.name))
    let files =
      applications.isEmpty ? [] : AppleFolderSearch(folder: folder, limits: .init(), within: bounds).files
    return applications.compactMap { target in
      guard let layout = try? AppleLayout.xcode([path], target: target.name) else { return nil }
      let tables = files.filter { $0.table.hasSameBytes(as: AppleResourceReader.mainTable) }
      let own = tables.filter { layout.targets(of: $0.path).contains(target.name) }
      return ProjectApplication(
        location: ResourceLocation(
          [path], isProject: applications.count > 1, target: applications.count > 1 ? target.name : nil),
        name: "\(target.name) of \(path)",
        bytes: own.reduce(0) { $0 + (ResourceFile.size(of: $1.path) ?? 0) },
        others: Set(
          tables.flatMap { layout.targets(of: $0.path) }.filter { !names.contains($0) }.map {
            layout.products[$0] ?? $0
          }
        ).sorted())
    }
  }
}
