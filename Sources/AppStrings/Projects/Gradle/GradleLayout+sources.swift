internal import JSON

/// The source sets of a module, and the strings that its build file makes.
extension GradleLayout {
  /// The source sets of a module that some variants have, those that win first: of the variant, of its build
  /// type, of its flavors, and `main`.
  mutating func sourceSets(
    of module: GradleProject.Module, in reach: VariantSet
  ) -> [AndroidLayout.SourceSet] {
    let build = project.build(of: module)
    var names: [(name: String, variants: VariantSet)] = []
    func add(_ name: String, _ index: Int) {
      let member = VariantSet(index: index).intersection(reach)
      guard !member.isEmpty else { return }
      if let place = names.firstIndex(where: { $0.name == name }) {
        names[place].variants.formUnion(member)
      } else {
        names.append((name, member))
      }
    }
    for (index, variant) in variants.enumerated() where !variant.flavors.isEmpty { add(variant.name, index) }
    for (index, variant) in variants.enumerated() { add(variant.buildType, index) }
    for (index, variant) in variants.enumerated() where variant.flavors.count > 1 {
      add(Variant.joined(variant.flavors), index)
    }
    for dimension in 0..<(variants.map(\.flavors.count).max() ?? 0) {
      for (index, variant) in variants.enumerated() where dimension < variant.flavors.count {
        add(variant.flavors[dimension], index)
      }
    }
    names += [("main", reach), ("androidMain", reach)]
    return names.flatMap { name, members in
      folders(of: name, module, build).map { sourceSet($0, module, members) }
    } + values(of: module, build, reach)
  }

  private func sourceSet(
    _ folder: String, _ module: GradleProject.Module, _ members: VariantSet, values: [AndroidDraft] = []
  ) -> AndroidLayout.SourceSet {
    AndroidLayout.SourceSet(
      folder: folder, module: module.name, variants: members == .first(variants.count) ? nil : members,
      values: values)
  }

  private func folders(
    of sourceSet: String, _ module: GradleProject.Module, _ build: GradleModule
  ) -> [String] {
    let named = build.folders.filter {
      $0.sourceSet == sourceSet || sourceSet == "main" && $0.sourceSet == nil
    }
    let usual = named.contains(where: \.isReplacement) ? [] : ["src/\(sourceSet)/res"]
    var paths: [String] = []
    for path in usual + named.map({ GradleProject.withoutRoot($0.path) }) {
      let path = ProjectFiles.path(module.folder, path)
      if !paths.contains(path), ResourceFile.isFolder(path) { paths.append(path) }
    }
    return paths
  }

  /// The strings of `resValue`: those of build types and flavors before those of all variants.
  private func values(
    of module: GradleProject.Module, _ build: GradleModule, _ reach: VariantSet
  ) -> [AndroidLayout.SourceSet] {
    let types = Set(variants.map(\.buildType))
    let scopes = build.values.map(\.scope).reduce(into: [String?]()) { if !$0.contains($1) { $0.append($1) } }
    let ordered = scopes.sorted { rank($0, types) < rank($1, types) }
    return ordered.compactMap { scope in
      var members = reach
      if let scope {
        members = []
        for (index, variant) in variants.enumerated() {
          let hasScope = variant.flavors.contains(scope) || variant.buildType == scope
          if hasScope { members.insert(VariantSet(index: index)) }
        }
        members.formIntersection(reach)
      }
      guard !members.isEmpty else { return nil }
      let drafts = build.values.filter { $0.scope == scope }.map { value in
        let entry = StringEntry(
          key: value.name, value: .string(value.text ?? "resValue"), file: value.file, line: value.line,
          isTranslatable: false, isUnresolved: value.text == nil, owner: module.name)
        return AndroidDraft(entry: entry, product: nil, references: [])
      }
      return sourceSet(module.folder, module, members, values: drafts)
    }
  }

  private func rank(_ scope: String?, _ types: Set<String>) -> Int {
    scope.map { types.contains($0) ? 0 : 1 } ?? 2
  }
}
