internal import JSON

extension AppleLayout {
  /// The `.xcodeproj` folders at a path: itself, or those directly in it.
  static func projects(at path: String) -> [String] {
    let path = ProjectFiles.path(path, ".")
    if path.hasSuffix(".xcodeproj") { return [path] }
    let items = (try? FolderListing(path: path))?.items ?? []
    return items.filter { $0.isFolder && $0.name.hasSuffix(".xcodeproj") }.map {
      ProjectFiles.path(path, $0.name)
    }.filter { ResourceFile.size(of: "\($0)/project.pbxproj") != nil }
  }

  /// The layout of an application in one of some Xcode projects.
  static func xcode(_ paths: [String], target name: String?) throws(ProjectError) -> AppleLayout {
    var candidates: [(project: XcodeProject, layout: AppleLayout)] = []
    var readProjects: [XcodeProject] = []
    for path in paths {
      let folder = ProjectFiles.path(path, "..")
      var bounds = ProjectFiles(root: folder)
      guard let bytes = bounds.read("\(path)/project.pbxproj") else {
        throw ProjectError(FindingText(.projectUnreadable, ["\(path)/project.pbxproj"]))
      }
      let project = try XcodeProject(bytes, file: path, folder: folder)
      readProjects.append(project)
      let wanted = project.applications.filter { name == nil || $0.name == name }
      candidates += wanted.map { (project, layout(of: $0, in: project, bounds)) }
    }
    guard let first = candidates.first else {
      let applications = readProjects.flatMap { $0.applications.map(\.name) }
      throw ProjectError(
        name.map { FindingText(.noTarget, [$0.firstScalars, ProjectError.listed(applications)]) }
          ?? FindingText(.noApplicationTarget))
    }
    let tables = candidates.map { $0.layout.ownTables }
    guard candidates.count == 1 || tables.allSatisfy({ $0 == tables[0] }) else {
      let listed = candidates.map {
        paths.count > 1 ? "\($0.layout.target) in \($0.project.file)" : $0.layout.target
      }
      throw ProjectError(
        FindingText(
          .severalTargets, [listed.joined(separator: ", "), first.project.file, first.layout.target]))
    }
    return first.layout
  }

  private static func layout(
    of application: XcodeProject.Target, in project: XcodeProject, _ bounds: ProjectFiles
  ) -> AppleLayout {
    var layout = AppleLayout(
      root: ProjectFiles.path(project.file, ".."), target: application.name, bounds: bounds)
    var files: [String: [String]] = [:]
    for target in project.targets {
      for file in project.resources(of: target) { files[file, default: []].append(target.name) }
      layout.folders += project.folders(of: target, id: \.name)
      layout.products[target.name] = target.product
    }
    layout.files = files
    layout.infoPlists = project.infoPlists(of: application)
    layout.settings = project.settings(of: application)
    layout.developmentLanguage = project.developmentLanguage
    layout.buildFiles = ["\(project.file)/project.pbxproj"]
    return layout
  }

  /// What tells the tables of two applications of a project apart.
  private var ownTables: Set<String> {
    let named = files.filter { $0.value.contains(target) }.map(\.key).filter {
      AppleFolderSearch.TableFile(path: $0)?.table == AppleResourceReader.mainTable
    }
    let owned = folders.filter { $0.target == target }.map {
      "\($0.path) \($0.hasOnlyExceptions) \($0.exceptions.sorted())"
    }
    return Set(named + owned)
  }
}
