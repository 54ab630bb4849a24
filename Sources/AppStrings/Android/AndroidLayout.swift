internal import JSON

/// The folders of resources that a build merges into an app, in the order in which they win.
struct AndroidLayout {
  /// The `res` folder of a source set.
  struct SourceSet {
    let folder: String
    /// The Gradle module; nil for a folder that was named by itself.
    var module: String?
    /// The variants of the app that have it; nil for all.
    var variants: VariantSet?
    /// Strings that the build file makes, in the place of files of `values/`.
    var values: [AndroidDraft] = []
  }

  /// Those that win come first.
  var sourceSets: [SourceSet]
  /// The names of the app's variants, as findings name them; empty if there is only one.
  var variants: [String] = []
  /// Libraries of the app whose strings are not known, because another build makes them.
  var unbuiltArchives: [String] = []
  /// Resources that do not reach the app.
  var elsewhere: [StringResources.Elsewhere] = []
  var problems: [ResourceProblem] = []
  /// The build files that say so.
  var buildFiles: [String] = []
  /// The `res` folder of the app's own module, where generated files belong.
  var ownFolder: String?
  /// Whether a folder or file may be read; links that lead out of a project are not followed.
  var files: ProjectFiles?

  /// Folders that were named by themselves, of which earlier ones win.
  init(folders: [String]) {
    sourceSets = folders.map { folder in
      var folder = folder
      while folder.utf8.count > 1, folder.utf8.last == UInt8(ascii: "/") { folder.removeLast() }
      return SourceSet(folder: folder)
    }
  }

  init(sourceSets: [SourceSet]) { self.sourceSets = sourceSets }

  /// What the strings' readers are told; nil for folders that were named by themselves.
  var project: StringResources.Project? {
    guard ownFolder != nil else { return nil }
    var project = StringResources.Project()
    (project.variants, project.ownFolder) = (variants, ownFolder)
    project.unbuiltArchives = unbuiltArchives
    project.root = files?.root ?? ""
    (project.sources, project.buildFiles) = (sourceSets.filter(\.values.isEmpty).map(\.folder), buildFiles)
    return project
  }
}

/// Some of an app's variants, by their index.
struct VariantSet: OptionSet, Hashable {
  let rawValue: UInt64

  /// The most variants that are told apart.
  static let countMax = 64

  static func first(_ count: Int) -> VariantSet {
    VariantSet(rawValue: count >= countMax ? .max : (1 << UInt64(count)) - 1)
  }

  init(rawValue: UInt64) { self.rawValue = rawValue }

  init(index: Int) { rawValue = index < Self.countMax ? 1 << UInt64(index) : 0 }

  /// The names of the members.
  func names(_ variants: [String]) -> [String] {
    variants.indices.filter { contains(VariantSet(index: $0)) && $0 < Self.countMax }.map { variants[$0] }
  }
}
