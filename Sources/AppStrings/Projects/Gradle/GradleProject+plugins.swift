internal import JSON

/// The plug-ins that a project has of its own.
struct GradlePlugins {
  /// The scripts of plug-ins by id, and the files of Kotlin with their classes.
  var files: [String: [String]] = [:]
  var kotlinFiles: [String] = []
  /// The plug-ins that are classes, by the id or its alias, as build files register them.
  fileprivate var classes: [(id: String, name: String)] = []

  /// `gradlePlugin { plugins { register("app") { id = "shop.app"; implementationClass = "AppPlugin" } } }`.
  fileprivate mutating func readRegistrations(_ script: GradleScript) {
    var ids: [String: String] = [:]
    script.visit { statement, path in
      guard path.contains("gradlePlugin") else { return }
      let place = path.joined(separator: "/")
      switch statement.word.prefix(while: { $0 != "." }) {
      case "id": ids[place] = statement.texts.first ?? statement.tokens.lazy.compactMap(\.pluginAlias).first
      case "implementationClass":
        guard let name = statement.texts.first?.lastPart else { return }
        classes.append((place, name))
      default: break
      }
    }
    classes = classes.map { (ids[$0.id] ?? $0.id, $0.name) }
  }
}

extension GradleProject {
  /// The files of a plug-in of the project's own, by its id or the alias of that.
  mutating func files(ofPlugin id: String) -> [String] {
    plugins().files[id] ?? plugins().files[plugin(of: id)] ?? []
  }

  mutating func plugins() -> GradlePlugins {
    if let ownPlugins { return ownPlugins }
    var plugins = GradlePlugins()
    var level = pluginBuilds
    for _ in 0...files.limits.depthMax {
      var next: [String] = []
      for folder in level {
        for item in files.list(folder)?.items ?? [] where !item.name.hasPrefix(".") {
          let path = ProjectFiles.path(folder, item.name)
          if item.isFolder {
            if item.name != "build" { next.append(path) }
          } else {
            add(path, named: item.name, to: &plugins)
          }
        }
      }
      level = next
    }
    for plugin in plugins.classes {
      let file = plugins.kotlinFiles.first { $0.hasSuffix("/\(plugin.name).kt") }
      plugins.files[self.plugin(of: plugin.id), default: []] += [file].compactMap(\.self)
    }
    ownPlugins = plugins
    return plugins
  }

  private mutating func add(_ path: String, named name: String, to plugins: inout GradlePlugins) {
    if name.hasSuffix(".kt") { plugins.kotlinFiles.append(path) }
    guard let id = name.dropping(suffix: ".gradle.kts") ?? name.dropping(suffix: ".gradle"), id != "settings"
    else { return }
    if id == "build" {
      files.read(path).map { plugins.readRegistrations(GradleScript($0)) }
    } else {
      plugins.files[id, default: []].append(path)
    }
  }
}
