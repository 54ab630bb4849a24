package import FCMMessage
internal import JSON

extension StringResources {
  /// Reads an app's strings from its sources: those of a project, or of folders that are named by themselves.
  /// What cannot be read is a problem in the result.
  package static func read(_ platform: AppPlatform, sources location: ResourceLocation) -> StringResources {
    do throws(ProjectError) {
      switch platform {
      case .android: return AndroidResourceReader.read(try androidLayout(location), path: location.path)
      case .ios:
        guard let layout = try appleLayout(location) else {
          return AppleResourceReader.read(folders: location.paths)
        }
        return AppleResourceReader.read(layout, path: location.path)
      }
    } catch {
      return StringResources(
        platform: platform, folder: location.path, tables: [],
        problems: [ResourceProblem(kind: .noResources, file: location.path, error.reason)],
        isChoiceUnknown: true)
    }
  }

  private static func androidLayout(_ location: ResourceLocation) throws(ProjectError) -> AndroidLayout {
    let path = location.path
    let isChosen = location.isProject || location.module != nil || location.variant != nil
    if let owner = location.paths.lazy.compactMap(composeOwner).first {
      throw ProjectError(FindingText(.composeResources, [owner]))
    }
    guard location.paths.count == 1, ResourceFile.isFolder(path) else {
      return AndroidLayout(folders: location.paths)
    }
    if isChosen || GradleProject.isProject(path) && !ResourceFile.isFolder("\(path)/values") {
      guard GradleProject.isProject(path) else {
        throw ProjectError(FindingText(.notGradle, [path]))
      }
      return try .gradle(ProjectFiles.path(path, "."), module: location.module, variant: location.variant)
    }
    // The folder of an application's own resources stands for the application.
    if let module = moduleFolder(ofResources: path),
      let layout = try? AndroidLayout.gradle(
        module, module: nil, variant: nil), layout.ownFolder == ProjectFiles.path(path, ".")
    {
      return layout
    }
    return AndroidLayout(folders: location.paths)
  }

  /// The module of `MODULE/src/main/res`; nil if it has no build file.
  private static func moduleFolder(ofResources path: String) -> String? {
    let path = ProjectFiles.path(path, ".")
    let module = ProjectFiles.path(path, "../../..")
    guard ProjectFiles.path(module, "src/main/res") == path, GradleProject.isProject(module) else {
      return nil
    }
    return module
  }

  /// The `composeResources` folder that a path leads into.
  private static func composeOwner(_ path: String) -> String? {
    let parts = path.split(separator: "/")
    return parts.suffix(2).contains("composeResources") ? path : nil
  }

  private static func appleLayout(_ location: ResourceLocation) throws(ProjectError) -> AppleLayout? {
    guard location.paths.count == 1 else { return nil }
    let path = location.path
    let projects = AppleLayout.projects(at: path)
    if !projects.isEmpty { return try .xcode(projects, target: location.target) }
    if let file = XcodeGenSpecification.file(in: path) {
      var specification = try XcodeGenSpecification(file: file, folder: ProjectFiles.path(path, "."))
      return try specification.layout(target: location.target)
    }
    guard location.isProject || location.target != nil else { return nil }
    guard ResourceFile.exists(path) else { return nil }
    let isTuist = ResourceFile.size(of: "\(path)/Project.swift") != nil
    let text = FindingText(.noProject, [path])
    throw ProjectError(isTuist ? text + FindingText(.tuist) : text)
  }
}
