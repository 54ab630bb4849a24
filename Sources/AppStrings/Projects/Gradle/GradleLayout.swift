internal import JSON

/// Finds the source sets of an application, of the modules that it depends on, and of all others.
struct GradleLayout {
  var project: GradleProject
  let application: GradleProject.Module
  var build: GradleModule
  var variants: [Variant] = []

  struct Variant {
    /// By dimension.
    let flavors: [String]
    let buildType: String

    /// `freePro`, from `free` and `pro`.
    static func joined(_ parts: [String]) -> String {
      guard let first = parts.first else { return "" }
      return parts.dropFirst().reduce(first) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    var name: String { Self.joined(flavors + [buildType]) }
  }

  init(project: GradleProject, application: GradleProject.Module) {
    (self.project, self.application) = (project, application)
    build = self.project.build(of: application)
  }

  mutating func layout(variant: String?) throws(ProjectError) -> AndroidLayout {
    try findVariants(wanted: variant)
    var layout = AndroidLayout(sourceSets: [])
    layout.variants = variantNames
    let reached = modulesReached()
    for (module, reach) in reached { layout.sourceSets += sourceSets(of: module, in: reach) }
    layout.ownFolder = "\(application.folder)/src/main/res"
    layout.elsewhere = elsewhere(than: layout.sourceSets, reached: reached.map(\.module.path))
    layout.unbuiltArchives = unbuiltArchives(reached.map(\.module))
    layout.problems = notes(reached.map(\.module)) + project.files.problems
    layout.buildFiles = project.files.buildFiles.sorted()
    layout.files = project.files
    return layout
  }

  /// What findings call the variants: by their flavors, and by their build types where these matter.
  private var variantNames: [String] {
    guard variants.count > 1 else { return [] }
    let types = Set(variants.map(\.buildType))
    return variants.map { $0.flavors.isEmpty || types.count > 1 ? $0.name : Variant.joined($0.flavors) }
  }

  private mutating func findVariants(wanted: String?) throws(ProjectError) {
    var combinations: [[String]] = [[]]
    for flavors in flavorsByDimension() {
      combinations = combinations.flatMap { start in flavors.map { start + [$0] } }
      combinations = Array(combinations.prefix(VariantSet.countMax))
    }
    let declared = ["release", "debug"] + build.buildTypes.filter { $0 != "release" && $0 != "debug" }
    let types = wanted == nil ? buildTypesWithStrings() : declared
    variants = combinations.flatMap { flavors in
      types.map { Variant(flavors: flavors, buildType: $0) }
    }
    if let wanted {
      let name = wanted.lowercased()
      let exact = variants.filter { $0.name.lowercased() == name }
      // A flavor or a build type stands for the variants that have it, in the build that users get.
      let ofPart = variants.filter {
        $0.buildType.lowercased() == name
          || $0.buildType == "release"
            && ($0.flavors.contains { $0.lowercased() == name }
              || Variant.joined($0.flavors).lowercased() == name)
      }
      variants = exact.isEmpty ? ofPart : Array(exact.prefix(1))
      guard !variants.isEmpty else {
        let known = combinations.flatMap { flavors in
          declared.prefix(1).map { Variant(flavors: flavors, buildType: $0) }
        }
        throw ProjectError(
          FindingText(
            .noVariant,
            [application.path, wanted.firstScalars, known.prefix(20).map(\.name).joined(separator: ", ")]))
      }
    }
    variants = Array(variants.prefix(VariantSet.countMax))
  }

  /// The flavors by dimension, in the order of these. Without any in the build files, each folder of
  /// resources that only a flavor can have stands for one.
  private mutating func flavorsByDimension() -> [[String]] {
    if build.flavors.isEmpty {
      let implied = impliedFlavors()
      return implied.isEmpty ? [] : [implied]
    }
    var order = build.dimensions
    for flavor in build.flavors {
      if let dimension = flavor.dimension, !order.contains(dimension) { order.append(dimension) }
    }
    let first = order.first ?? ""
    if order.isEmpty { order = [first] }
    return order.compactMap { dimension in
      let flavors = build.flavors.filter { ($0.dimension ?? first) == dimension }
      // The build's default comes first: it is what people see in the editor.
      let sorted = flavors.filter(\.isDefault) + flavors.filter { !$0.isDefault }
      return sorted.isEmpty ? nil : sorted.map(\.name)
    }
  }

  private mutating func impliedFlavors() -> [String] {
    let folders = sourceSetFolders(of: application)
    return folders.filter { !Self.isKnownSet($0) && !build.buildTypes.contains($0) && hasStrings(in: $0) }
  }

  /// The source sets that every build knows, and those of tests and other platforms.
  private static func isKnownSet(_ name: String) -> Bool {
    ["main", "debug", "release", "profile"].contains(name) || name.lowercased().contains("test")
      || name.hasSuffix("Main") || name.hasSuffix("Debug") || name.hasSuffix("Release")
  }

  mutating func sourceSetFolders(of module: GradleProject.Module) -> [String] {
    project.files.list("\(module.folder)/src")?.items.filter(\.isFolder).map(\.name) ?? []
  }

  private mutating func hasStrings(in sourceSet: String) -> Bool {
    let path = "\(application.folder)/src/\(sourceSet)/res"
    return ResourceFile.isFolder(path)
      && project.files.list(path)?.items.contains { $0.name.hasPrefix("values") } ?? false
  }

  /// `release`, and others than `debug` that have strings of their own.
  private mutating func buildTypesWithStrings() -> [String] {
    var types = ["release"]
    for type in build.buildTypes where type != "debug" && type != "release" {
      if hasStrings(in: type) || build.values.contains(where: { $0.scope == type }) { types.append(type) }
    }
    return types
  }
}
