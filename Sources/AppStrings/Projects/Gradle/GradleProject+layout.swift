internal import JSON

/// Why the resources of a project cannot be read as the app's.
struct ProjectError: Error {
  /// What is wrong and what to write, as one or two sentences.
  let reason: String
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
        throw ProjectError(
          reason: "The project has no module \(name.firstScalars)."
            + (listed.isEmpty ? "" : " Its applications are \(listed)."))
      }
      return module
    }
    if let own = module(at: folder), own.path != ":", applications.contains(where: { $0.path == own.path }) {
      return own
    }
    switch applications.count {
    case 1: return applications[0]
    case 0:
      throw ProjectError(
        reason:
          "No module of this Gradle project has the plug-in com.android.application, as far as its build "
          + "files tell. Name the module, as in {project: \(folder), module: app}, or the app's res folders.")
    default:
      throw ProjectError(
        reason: "This Gradle project has several applications: \(listed). Choose one, as in "
          + "{project: \(folder), module: \(applications[0].path.dropFirst())}.")
    }
  }
}
