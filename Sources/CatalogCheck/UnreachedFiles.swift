internal import AppStrings

/// The iOS files with texts that the target of an app does not have, and how they get into it.
package struct UnreachedFiles: Sendable {
  let paths: [String]
  private let project: StringResources.Project

  /// Nil if the target has all of them.
  init?(_ paths: [String], in project: StringResources.Project) {
    guard !paths.isEmpty else { return nil }
    (self.paths, self.project) = (paths, project)
  }

  /// What the target lacks, as a sentence's object.
  package var list: String { paths.joined(separator: ", ") }

  /// What to do, in English.
  package var help: String { advice.english }

  /// What to do, for the tools that make the project.
  var advice: FindingText {
    if let specification = project.buildFiles.first(where: { $0.hasSuffix(".yml") || $0.hasSuffix(".yaml") })
    {
      let folders = Set(paths.map(folder)).sorted().map { "`- \($0)`" }.joined(separator: " and ")
      return FindingText(.addToSpecification, [folders, specification])
    }
    var steps = FindingText(.addInXcode)
    let pods = "\(project.root)/Podfile"
    if ResourceFile.exists(pods) {
      steps = steps + FindingText(.addPod, [pods])
    }
    if let config = ExpoConfig.path(in: parent) {
      steps = steps + FindingText(.addConfigPlugin, [config])
    }
    return steps
  }

  /// The folder above the project, as a prefix of paths.
  private var parent: String {
    let end = project.root.utf8.lastIndex(of: UInt8(ascii: "/"))
    return end.map { String(project.root[...$0]) } ?? (project.root == "." ? "../" : "")
  }

  /// The folder with the `.lproj` folder of a file, as the specification of the project names it.
  private func folder(of path: String) -> String {
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(
      separator: "/")
    guard folder.hasPrefix("\(project.root)/") else { return folder }
    return String(folder.dropFirst(project.root.count + 1))
  }
}
