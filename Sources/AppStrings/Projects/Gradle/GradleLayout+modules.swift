internal import JSON

/// The modules that reach an application.
extension GradleLayout {
  /// The application's module and those that it depends on, nearest first, with the variants that do.
  mutating func modulesReached() -> [(module: GradleProject.Module, variants: VariantSet)] {
    let all = VariantSet.first(variants.count)
    var reached: [(module: GradleProject.Module, variants: VariantSet)] = [(application, all)]
    var places = [application.path: 0]
    var index = 0
    var isComputed = false
    while index < reached.count, index < project.files.limits.buildFilesMax {
      let (module, reach) = reached[index]
      index += 1
      let build = project.build(of: module)
      isComputed = isComputed || !build.computedDependencies.isEmpty
      for dependency in build.dependencies {
        let added = variants(of: dependency.configuration).intersection(reach)
        guard !added.isEmpty, let target = self.module(dependency.target) else { continue }
        if let place = places[target.path] {
          reached[place].variants.formUnion(added)
        } else {
          places[target.path] = reached.count
          reached.append((target, added))
        }
      }
    }
    guard isComputed else { return reached }
    // Which ones are computed cannot be read, so all count, except what is certainly another app's.
    for module in project.modules where places[module.path] == nil && !isApart(module) {
      reached.append((module, all))
    }
    return reached
  }

  private mutating func isApart(_ module: GradleProject.Module) -> Bool {
    let build = project.build(of: module)
    let others = ["com.android.application", "com.android.test", "com.android.dynamic-feature"]
    return module.path == ":" || build.hasApplicationID || build.plugins.contains(where: others.contains)
      || module.path.split(separator: ":").contains { $0.hasPrefix("test") || $0.hasPrefix("sample") }
  }

  private func module(_ target: GradleModule.Dependency.Target) -> GradleProject.Module? {
    switch target {
    case .path(let path): return project.module(named: path.hasPrefix(":") ? path : ":\(path)")
    case .accessor(let accessor):
      let wanted = accessor.lowercased()
      return project.modules.first { Self.accessor($0.path) == wanted }
    }
  }

  /// `core.uikit` for `:core:ui-kit`, in lower case.
  private static func accessor(_ path: String) -> String {
    String(
      path.lowercased().dropFirst().compactMap { character in
        character == ":" ? "." : character == "-" || character == "_" || character == "." ? nil : character
      })
  }

  /// The variants whose apps have what a configuration names; none for tests, tools and debug builds.
  func variants(of configuration: String) -> VariantSet {
    let name = configuration.lowercased()
    if name.contains("test") || name.hasPrefix("compileonly") || name.hasSuffix("compileonly") { return [] }
    let ends = ["implementation", "api", "runtimeonly"]
    guard let end = ends.first(where: name.hasSuffix) else { return [] }
    let start = name.dropLast(end.utf8.count)
    if start.isEmpty || start.hasSuffix("main") { return .first(variants.count) }
    var members: VariantSet = []
    for (index, variant) in variants.enumerated() {
      let names = variant.flavors + [variant.buildType, Variant.joined(variant.flavors), variant.name]
      if names.contains(where: { $0.lowercased() == start }) { members.insert(VariantSet(index: index)) }
    }
    let others = build.flavors.map(\.name) + build.buildTypes + ["debug", "release"]
    let isOfOthers = others.contains { start.hasPrefix($0.lowercased()) }
    return members.isEmpty && !isOfOthers ? .first(variants.count) : members
  }
}
