internal import JSON

/// Why the resources of a project cannot be read as the app's.
struct ProjectError: Error {
  /// What is wrong and what to write, as one or two sentences.
  let reason: FindingText

  init(_ reason: FindingText) { self.reason = reason }

  static func listed(_ names: [String]) -> any FindingValue {
    names.isEmpty ? FileText.none : names.joined(separator: ", ")
  }
}

extension AndroidLayout {
  /// The layout of an application of a Gradle project. `folder` is that of the project or of a module.
  static func gradle(
    _ folder: String, module name: String?, variant: String?
  ) throws(ProjectError) -> AndroidLayout {
    var project = GradleProject(folder)
    let application = try project.application(named: name, in: folder)
    var builder = GradleLayout(project: project, application: application)
    return try builder.layout(variant: variant)
  }
}

extension GradleProject {
  fileprivate mutating func application(
    named name: String?, in folder: String
  ) throws(ProjectError) -> Module {
    let applications = applications()
    let listed = applications.map(\.path).joined(separator: ", ")
    if let name {
      guard let module = module(named: name) else {
        let text = FindingText(.noModule, [name.firstScalars])
        throw ProjectError(listed.isEmpty ? text : text + FindingText(.applicationsAre, [listed]))
      }
      return module
    }
    if let own = module(at: folder), own.path != ":", applications.contains(where: { $0.path == own.path }) {
      return own
    }
    switch applications.count {
    case 1: return applications[0]
    case 0:
      throw ProjectError(FindingText(.noApplicationModule, [folder]))
    default:
      throw ProjectError(
        FindingText(.severalModules, [listed, folder, String(applications[0].path.dropFirst())]))
    }
  }
}
