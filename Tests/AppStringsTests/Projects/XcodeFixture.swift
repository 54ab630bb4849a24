/// Writes a `project.pbxproj`.
struct XcodeFixture {
  struct Target {
    let name: String
    var type = "application"
    var product: String?
    /// The paths of variant groups and files in its resources, relative to the project's folder: each is the
    /// path of one file, or `GROUP: FILE FILE…` for a group of variants.
    var resources: [String] = []
    /// Synchronized folders.
    var folders: [String] = []
    var settings: [String: String] = [:]
  }

  /// What is left out of a synchronized folder, or added from it to another target.
  struct Exception {
    let folder: String
    let target: String
    let paths: [String]
  }

  var targets: [Target]
  var exceptions: [Exception] = []
  var developmentRegion = "en"

  var text: String {
    var objects: [String] = []
    var children: [String] = []
    var folders: [String: String] = [:]
    for folder in Set(targets.flatMap(\.folders)).sorted() {
      let id = "F\(folders.count)"
      folders[folder] = id
      children.append(id)
      let sets = exceptions.enumerated().filter { $0.element.folder == folder }
      objects += sets.map { index, set in
        """
        E\(index) /* exceptions */ = {isa = PBXFileSystemSynchronizedBuildFileExceptionSet; target = T\(place(set.target));
          membershipExceptions = (\(set.paths.map { "\"\($0)\", " }.joined())); };
        """
      }
      objects.append(
        """
        \(id) = {isa = PBXFileSystemSynchronizedRootGroup; exceptions = (\(sets.map { "E\($0.offset), " }.joined()));
          path = "\(folder)"; sourceTree = "<group>"; };
        """)
    }
    for (index, target) in targets.enumerated() {
      var files: [String] = []
      for (number, resource) in target.resources.enumerated() {
        let id = "R\(index)x\(number)"
        let parts = resource.split(separator: ": ", maxSplits: 1)
        let variants = parts.count == 2 ? parts[1].split(separator: " ") : []
        for (place, variant) in variants.enumerated() {
          objects.append(
            "\(id)v\(place) = {isa = PBXFileReference; path = \"\(variant)\"; sourceTree = \"<group>\"; };")
        }
        let isa = variants.isEmpty ? "PBXFileReference" : "PBXVariantGroup"
        let path = variants.isEmpty ? "path = \"\(resource)\"" : "name = \(parts[0])"
        let members = variants.indices.map { "\(id)v\($0), " }.joined()
        objects.append(
          "\(id) = {isa = \(isa); children = (\(members)); \(path); sourceTree = \"<group>\"; };")
        objects.append("B\(id) = {isa = PBXBuildFile; fileRef = \(id) /* \(parts[0]) in Resources */; };")
        children.append(id)
        files.append("B\(id)")
      }
      let settings = target.settings.map { "\($0.key) = \"\($0.value)\"; " }.sorted().joined()
      objects.append(
        """
        T\(index) /* \(target.name) */ = {isa = PBXNativeTarget; name = \(target.name); buildPhases = (P\(index));
          productType = "com.apple.product-type.\(target.type)"; buildConfigurationList = L\(index);
          productReference = D\(index);
          fileSystemSynchronizedGroups = (\(target.folders.compactMap { folders[$0] }.joined(separator: ", "))); };
        D\(index) = {isa = PBXFileReference; path = "\(target.product ?? "\(target.name).app")"; sourceTree = BUILT_PRODUCTS_DIR; };
        L\(index) = {isa = XCConfigurationList; buildConfigurations = (C\(index)); };
        C\(index) = {isa = XCBuildConfiguration; buildSettings = {\(settings)}; name = Release; };
        P\(index) = {isa = PBXResourcesBuildPhase; files = (\(files.joined(separator: ", "))); };
        """)
    }
    return """
      // !$*UTF8*$!
      {
        archiveVersion = 1;
        objects = {
      /* Begin PBXProject section */
      P = {isa = PBXProject; mainGroup = G; developmentRegion = \(developmentRegion);
        targets = (\(targets.indices.map { "T\($0)" }.joined(separator: ", "))); };
      G = {isa = PBXGroup; children = (\(children.joined(separator: ", "))); sourceTree = "<group>"; };
      \(objects.joined(separator: "\n"))
        };
        rootObject = P /* Project object */;
      }
      """
  }

  private func place(_ target: String) -> Int { targets.firstIndex { $0.name == target } ?? 0 }
}
