internal import JSON

/// A Gradle project: its modules, and what their build files say.
struct GradleProject {
  struct Module {
    /// `:app`; `:` for the root.
    let path: String
    let folder: String

    /// The path as catalogs write it: `app`, `core:ui`.
    var name: String { path == ":" ? path : String(path.dropFirst()) }
  }

  var files: ProjectFiles
  private(set) var modules: [Module] = []
  /// Whether the settings compute the modules, so that every folder with a build file counts as one.
  private(set) var hasComputedModules = false
  private var read: [String: GradleModule] = [:]
  /// The folders of builds whose plug-ins this one uses: `buildSrc`, `includeBuild("build-logic")`.
  private(set) var pluginBuilds: [String] = []
  var ownPlugins: GradlePlugins?
  private var aliases: [String: String]?

  private static let ancestorsMax = 8
  private static let settingsNames = ["settings.gradle.kts", "settings.gradle"]
  private static let buildNames = ["build.gradle.kts", "build.gradle"]
  /// How deep scripts apply each other.
  private static let appliedMax = 3

  /// Whether a folder has a Gradle build file or settings file.
  static func isProject(_ folder: String) -> Bool {
    (settingsNames + buildNames).contains { ResourceFile.size(of: "\(folder)/\($0)") != nil }
  }

  /// The project of a folder that has a build file, or a settings file.
  init(_ folder: String) {
    files = ProjectFiles(root: folder)
    if Self.hasSettings(folder) {
      readSettings()
      return
    }
    // The folder of a module: its project is further up, if its settings know the folder.
    var ancestor = folder
    for _ in 0..<Self.ancestorsMax {
      ancestor = ProjectFiles.path(ancestor, "..")
      guard Self.hasSettings(ancestor) else { continue }
      files = ProjectFiles(root: ancestor)
      readSettings()
      if module(at: folder) != nil { return }
      break
    }
    files = ProjectFiles(root: folder)
    (modules, hasComputedModules) = ([Module(path: ":", folder: folder)], false)
  }

  private static func hasSettings(_ folder: String) -> Bool {
    settingsNames.contains { ResourceFile.size(of: "\(folder)/\($0)") != nil }
  }

  /// The module whose folder is at a path.
  func module(at folder: String) -> Module? {
    let folder = ProjectFiles.path(folder, ".")
    return modules.first { $0.folder == folder }
  }

  /// The module of a path such as `:core:ui`, or of a name such as `app`.
  func module(named name: String) -> Module? {
    let path = name.hasPrefix(":") ? name : ":\(name.replacing("/", with: ":"))"
    return modules.first { $0.path == path } ?? modules.first { $0.path.hasSuffix(path) }
  }

  private mutating func readSettings() {
    let root = files.root
    var folders: [String: String] = [:]
    var paths: [String] = []
    pluginBuilds = [ProjectFiles.path(root, "buildSrc")]
    for name in Self.settingsNames {
      guard let bytes = files.read(ProjectFiles.path(root, name)) else { continue }
      GradleScript(bytes).visit { statement, _ in
        switch statement.word.lastPart {
        case "include":
          paths += statement.texts.map { $0.hasPrefix(":") ? $0 : ":\($0)" }
          if statement.texts.isEmpty { hasComputedModules = true }
        case "includeBuild":
          if let folder = statement.texts.first { pluginBuilds.append(ProjectFiles.path(root, folder)) }
        case "project" where statement.tokens.contains { $0 == .word("projectDir") }:
          guard let module = statement.texts.first, let folder = statement.tokens.compactMap(\.written).last
          else { return }
          let plain = Self.withoutRoot(folder)
          folders[module.hasPrefix(":") ? module : ":\(module)"] = ProjectFiles.path(root, plain)
        default: break
        }
      }
      break
    }
    modules = [Module(path: ":", folder: ProjectFiles.path(root, "."))]
    for path in paths where !modules.contains(where: { $0.path == path }) {
      let folder = folders[path] ?? ProjectFiles.path(root, path.replacing(":", with: "/").dropFirstSlash)
      modules.append(Module(path: path, folder: folder))
    }
    if hasComputedModules { discoverModules() }
  }

  /// Adds the folders with a build file that the settings do not name.
  private mutating func discoverModules() {
    let known = Set(modules.map(\.folder)).union(pluginBuilds)
    let root = ProjectFiles.path(files.root, ".")
    var level = [root]
    for _ in 0...files.limits.depthMax {
      var next: [String] = []
      for folder in level {
        guard let listing = files.list(folder) else { continue }
        let isModule = listing.items.contains { !$0.isFolder && Self.buildNames.contains($0.name) }
        if isModule, !known.contains(folder) {
          let relative = root == "." ? folder : String(folder.dropFirst(root.utf8.count + 1))
          modules.append(Module(path: ":" + relative.replacing("/", with: ":"), folder: folder))
        }
        for item in listing.items where item.isFolder {
          let path = ProjectFiles.path(folder, item.name)
          let isSkipped = ["build", "src", "node_modules", "gradle"].contains(item.name)
          if !isSkipped, !item.name.hasPrefix("."), !pluginBuilds.contains(path) { next.append(path) }
        }
      }
      level = next
    }
  }

  /// A path that begins with the project's or the module's own folder, relative to it.
  static func withoutRoot(_ path: String) -> String {
    for name in ["rootProject.projectDir", "rootDir", "projectDir", "settingsDir", "rootProject.rootDir"] {
      for start in ["$\(name)/", "${\(name)}/"] where path.hasPrefix(start) {
        return String(path.dropFirst(start.utf8.count))
      }
    }
    return path
  }
}

extension GradleProject {
  /// What the build file of a module says, with the scripts and plug-ins that it applies.
  mutating func build(of module: Module) -> GradleModule {
    if let known = read[module.path] { return known }
    var build = GradleModule()
    for name in Self.buildNames {
      let path = ProjectFiles.path(module.folder, name)
      guard let bytes = files.read(path) else { continue }
      build.read(GradleScript(bytes), file: path)
      break
    }
    var seen: Set<String> = []
    for _ in 0..<Self.appliedMax {
      let applied = build.appliedScripts.map { script in
        let folder = script.hasPrefix("$root") || script.hasPrefix("${root") ? files.root : module.folder
        return ProjectFiles.path(folder, Self.withoutRoot(script))
      }
      let scripts = (applied + build.plugins.flatMap { files(ofPlugin: $0) }).filter {
        seen.insert($0).inserted
      }
      guard !scripts.isEmpty else { break }
      for path in scripts { files.read(path).map { build.read(GradleScript($0), file: path) } }
    }
    for function in build.computedDependencies { addDependencies(of: function, to: &build) }
    build.plugins = build.plugins.map { plugin(of: $0) }
    read[module.path] = build
    return build
  }

  /// The modules with the Android application plug-in.
  mutating func applications() -> [Module] {
    modules.filter { module in
      let build = build(of: module)
      return build.plugins.contains("com.android.application")
        || !build.plugins.contains("com.android.library")
          && (build.hasApplicationID || build.plugins.contains(where: Self.namesApplication))
    }
  }

  /// Whether a plug-in of the project's own is for Android applications, by its name.
  private static func namesApplication(_ plugin: String) -> Bool {
    let words = plugin.lowercased()
    return words.contains("android") && words.contains("application")
  }

  /// The id of a plug-in that a version catalog gives an alias.
  mutating func plugin(of alias: String) -> String {
    if aliases == nil {
      let bytes = files.read(ProjectFiles.path(files.root, "gradle/libs.versions.toml")) ?? []
      aliases = Self.pluginAliases(bytes)
    }
    return aliases?[alias] ?? alias
  }

  /// `android-application = { id = "com.android.application", … }`, by the alias as scripts write it.
  private static func pluginAliases(_ bytes: [UInt8]) -> [String: String] {
    var aliases: [String: String] = [:]
    var isInPlugins = false
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let line = String(decoding: line, as: UTF8.self)
      if line.hasPrefix("[") { isInPlugins = line.hasPrefix("[plugins]") }
      guard isInPlugins, let sign = line.firstIndex(of: "=") else { continue }
      let name = line[..<sign].filter { $0 != " " && $0 != "\"" }
      let texts = line[sign...].split(separator: "\"", omittingEmptySubsequences: false)
      guard texts.count > 1 else { continue }
      let id = texts[1].prefix { $0 != ":" }
      aliases[name.replacing("-", with: ".").replacing("_", with: ".")] = String(id)
    }
    return aliases
  }

  /// Adds what a function of the project's own plug-ins adds, and remembers what it computes.
  private mutating func addDependencies(of function: String, to build: inout GradleModule) {
    var isFound = false
    for path in plugins().kotlinFiles {
      guard let bytes = files.read(path), bytes.firstRange(of: Array("\(function)(".utf8)) != nil else {
        continue
      }
      for statement in GradleScript(bytes).statements
      where statement.contains(word: "fun")
        && statement.tokens.contains(where: { $0.word?.lastPart == function }) && !statement.blocks.isEmpty
      {
        isFound = true
        let before = build.computedDependencies.count
        for block in statement.blocks {
          GradleScript.visit(block, in: []) { inner, _ in build.addDependencies(of: inner) }
        }
        if build.computedDependencies.count == before {
          build.computedDependencies.removeAll { $0 == function }
        }
      }
    }
    if !isFound, !build.computed.contains(where: { $0.what == "dependencies" }) {
      build.computed.append((0, "dependencies"))
    }
  }
}

extension GradleScript.Token {
  fileprivate var word: String? { if case .word(let word) = self { word } else { nil } }
}

extension String {
  fileprivate var dropFirstSlash: String { hasPrefix("/") ? String(dropFirst()) : self }
}
