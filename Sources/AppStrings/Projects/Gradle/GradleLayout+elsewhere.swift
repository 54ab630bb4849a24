internal import JSON

/// What does not reach an application, and what cannot be known.
extension GradleLayout {
  mutating func elsewhere(
    than sourceSets: [AndroidLayout.SourceSet], reached: [String]
  ) -> [StringResources.Elsewhere] {
    let counted = Set(sourceSets.map(\.folder))
    var elsewhere: [StringResources.Elsewhere] = []
    for module in project.modules {
      let isReached = reached.contains(module.path)
      for name in sourceSetFolders(of: module) {
        for kind in ["res", "composeResources"] {
          let path = ProjectFiles.path(module.folder, "src/\(name)/\(kind)")
          guard !counted.contains(path), ResourceFile.isFolder("\(path)/values"), project.files.contains(path)
          else {
            continue
          }
          let reason =
            kind == "composeResources"
            ? "Compose Multiplatform packs these into its own files, where no phone looks for a push message"
            : isReached
              ? "the source set \(name) is in no variant of \(application.name) that counts"
              : "\(application.name) does not depend on \(module.name)"
          elsewhere.append(.init(path: path, owner: module.name, reason: reason))
        }
      }
    }
    return elsewhere
  }

  /// The libraries of some modules that are files and are not there, because another build makes them.
  mutating func unbuiltArchives(_ reached: [GradleProject.Module]) -> [String] {
    var names: [String] = []
    for module in reached {
      for archive in project.build(of: module).archives where !variants(of: archive.configuration).isEmpty {
        let path = ProjectFiles.path(module.folder, GradleProject.withoutRoot(archive.path))
        if ResourceFile.size(of: path) == nil, !names.contains(archive.path) { names.append(archive.path) }
      }
    }
    return names
  }

  /// What the build computes, once for the whole project, with the form that settles it.
  mutating func notes(_ reached: [GradleProject.Module]) -> [ResourceProblem] {
    var notes: [String] = []
    for module in reached {
      let build = project.build(of: module)
      let functions = Set(build.computedDependencies).sorted()
      if !functions.isEmpty {
        notes.append("\(module.path) computes dependencies (\(functions.joined(separator: ", ")))")
      }
      for what in Set(build.computed.map(\.what)).subtracting(["dependencies"]).sorted() {
        notes.append("\(module.path) computes \(what)")
      }
      for archive in build.archives where !variants(of: archive.configuration).isEmpty {
        notes.append("\(module.path) takes strings from \(archive.path), which is not read")
      }
    }
    guard !notes.isEmpty else { return [] }
    let isComputed = reached.contains { !project.build(of: $0).computedDependencies.isEmpty }
    let count = isComputed ? " All modules count where dependencies are computed." : ""
    let listed = notes.prefix(5).joined(separator: "; ") + (notes.count > 5 ? "; …" : "")
    return [
      ResourceProblem(
        kind: .remark, file: files(application),
        FindingText(
          english:
            "Build files are read as text, and \(listed).\(count) To say exactly which strings count, list "
            + "the res folders: android: [app/src/main/res, …]."))
    ]
  }

  private func files(_ module: GradleProject.Module) -> String {
    ["build.gradle.kts", "build.gradle"].map { ProjectFiles.path(module.folder, $0) }.first {
      ResourceFile.size(of: $0) != nil
    } ?? module.folder
  }
}
