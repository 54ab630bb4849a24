internal import JSON

/// What the build file of a Gradle module says about its strings.
struct GradleModule {
  /// A module that this one depends on.
  struct Dependency {
    enum Target {
      /// `:core:ui`, as in `project(":core:ui")`.
      case path(String)
      /// `core.ui`, as in `projects.core.ui`.
      case accessor(String)
    }

    /// The configuration: `implementation`, `proImplementation`.
    let configuration: String
    let target: Target
  }

  /// A string that the build file makes: `resValue("string", "app_name", "Acme")`.
  struct Value {
    /// The name of the flavor or build type whose apps have it; nil for all.
    let scope: String?
    let name: String
    /// Nil if the build computes it.
    let text: String?
    let file: String
    let line: Int
  }

  /// A folder of resources that the build file names.
  struct ResourceFolder {
    /// The source set; nil if the build computes it.
    let sourceSet: String?
    let path: String
    /// Whether it takes the place of the source set's usual folder.
    let isReplacement: Bool
  }

  struct Flavor {
    let name: String
    var dimension: String?
    var isDefault = false
  }

  var plugins: [String] = []
  var hasApplicationID = false
  var dependencies: [Dependency] = []
  /// The libraries that are files: `implementation files('libs/engine.aar')`.
  var archives: [(configuration: String, path: String)] = []
  /// The functions that its dependencies are left to.
  var computedDependencies: [String] = []
  var dimensions: [String] = []
  var flavors: [Flavor] = []
  var buildTypes: [String] = []
  var values: [Value] = []
  var folders: [ResourceFolder] = []
  /// The scripts that it applies: `apply from: "x.gradle"`.
  var appliedScripts: [String] = []
  /// What the build computes and a reader of text cannot know, with its line.
  var computed: [(line: Int, what: String)] = []

  /// `file` is the path of the script, for the places of what it says.
  mutating func read(_ script: GradleScript, file: String) {
    script.visit { statement, path in
      readPlugins(statement, path)
      readDependency(statement, path)
      readFlavors(statement, path)
      readFolders(statement, path)
      if statement.word.lastPart == "resValue" { readValue(statement, path, file) }
      if statement.word.lastPart == "applicationId" { hasApplicationID = true }
    }
  }

  private mutating func readPlugins(_ statement: GradleScript.Statement, _ path: [String]) {
    if statement.word == "apply" {
      let isScript = statement.contains(word: "from")
      if isScript, let script = statement.tokens.compactMap(\.written).first { appliedScripts.append(script) }
      if !isScript { plugins += statement.texts + statement.tokens.compactMap(\.pluginAlias) }
      return
    }
    guard path.last == "plugins" || statement.word.hasSuffix(".apply") else { return }
    if statement.contains(word: "apply"), statement.contains(word: "false") { return }
    plugins += statement.texts.prefix(1)
    plugins += statement.tokens.compactMap(\.pluginAlias)
  }

  private mutating func readDependency(_ statement: GradleScript.Statement, _ path: [String]) {
    guard path.contains(where: { $0.lastPart == "dependencies" }) else { return }
    addDependencies(of: statement)
    let tokens = statement.tokens
    let isCall = tokens.count >= 2 && tokens[1] == .mark(UInt8(ascii: "("))
    // A call that names nothing by itself: the function knows what it adds.
    let namesSomething =
      !statement.texts.isEmpty || tokens.contains { $0.isTemplate }
      || tokens.dropFirst().contains(where: \.isDotted)
    let plain = ["if", "for", "when", "while", "constraints", "println", "listOf", "setOf"]
    let isPlain = plain.contains(statement.word)
    if isCall, !namesSomething, !isPlain, path.last?.lastPart == "dependencies" || path.contains("if"),
      !Self.isConfiguration(statement.word)
    {
      computedDependencies.append(statement.word)
    }
  }

  /// Adds what a statement depends on: `implementation(project(":x"))`, `api projects.x`.
  mutating func addDependencies(of statement: GradleScript.Statement) {
    let tokens = statement.tokens
    guard let first = tokens.first else { return }
    var configuration = first.written ?? statement.word
    if configuration == "add", let named = statement.texts.first { configuration = named }
    let texts = statement.texts
    if texts.last == "aar", statement.contains(word: "ext"), let name = texts.first, texts.count > 1 {
      archives.append((configuration, "\(name).aar"))
    }
    archives += texts.filter { $0.hasSuffix(".aar") && !$0.contains(":") && !$0.contains("*") }.map {
      (configuration, $0)
    }
    for (index, token) in tokens.enumerated() {
      guard case .word(let word) = token else { continue }
      if word == "project", index > 0 || tokens.count > 1 {
        let rest = tokens[(index + 1)...].prefix(5)
        if let target = rest.lazy.compactMap(\.literal).first {
          dependencies.append(Dependency(configuration: configuration, target: .path(target)))
        } else if rest.first == .mark(UInt8(ascii: "(")) {
          computedDependencies.append(configuration)
        }
      } else if word.hasPrefix("projects.") {
        let accessor = String(word.dropFirst("projects.".utf8.count))
        dependencies.append(Dependency(configuration: configuration, target: .accessor(accessor)))
      }
    }
  }

  /// Whether a name is that of a configuration, which takes what it is given.
  private static func isConfiguration(_ word: String) -> Bool {
    let ends = ["mplementation", "pi", "ompileOnly", "untimeOnly", "ksp", "kapt", "Processor", "Desugaring"]
    return ends.contains(where: word.hasSuffix)
  }

  private mutating func readFlavors(_ statement: GradleScript.Statement, _ path: [String]) {
    let word = statement.word.lastPart
    if word == "flavorDimensions" { dimensions += statement.texts.filter { !dimensions.contains($0) } }
    let makers = ["create", "register", "getByName", "named", "maybeCreate"]
    let isMade =
      makers.contains(word) && !statement.texts.isEmpty || statement.delegate != nil
      || statement.tokens.count == 1 && !statement.blocks.isEmpty
    switch path.last {
    case "productFlavors":
      guard isMade else { return }
      let name = statement.blockName
      if name != "all", name != "configureEach", name != "forEach",
        !flavors.contains(where: { $0.name == name })
      {
        flavors.append(Flavor(name: name))
      }
    case "buildTypes":
      guard isMade else { return }
      if !buildTypes.contains(statement.blockName) { buildTypes.append(statement.blockName) }
    default:
      guard path.dropLast().last == "productFlavors",
        let index = flavors.firstIndex(where: { $0.name == path.last })
      else { return }
      if word == "dimension" || word == "setDimension" { flavors[index].dimension = statement.texts.first }
      if word == "isDefault", statement.contains(word: "true") { flavors[index].isDefault = true }
    }
  }

  private mutating func readFolders(_ statement: GradleScript.Statement, _ path: [String]) {
    let words = statement.tokens.flatMap { token -> [String] in
      if case .word(let word) = token { word.split(separator: ".").map(String.init) } else { [] }
    }
    let setters = ["srcDirs", "srcDir", "setSrcDirs"]
    guard let setter = words.firstIndex(where: setters.contains) else { return }
    let ofResources = setter > 0 ? words[setter - 1] == "res" : path.last == "res"
    guard ofResources else { return }
    let around = path.filter { $0 != "res" }
    var named: String?
    var paths = statement.tokens.compactMap(\.written)
    let makers = ["getByName", "named", "maybeCreate", "create", "register", "sourceSets"]
    let opening = statement.tokens.dropFirst().first
    if opening == .mark(UInt8(ascii: "(")) || opening == .mark(UInt8(ascii: "[")),
      makers.contains(statement.word.lastPart), statement.tokens.dropFirst(2).first?.literal != nil
    {
      named = paths.isEmpty ? nil : paths.removeFirst()
    } else if setter > 1, !makers.contains(words[setter - 2]) {
      named = words[setter - 2]
    } else if setter <= 1 {
      named = around.last == "sourceSets" ? nil : around.last
    }
    let assignment = statement.tokens.firstIndex(of: .mark(UInt8(ascii: "=")))
    let isAddition = assignment.map { $0 > 0 && statement.tokens[$0 - 1] == .mark(UInt8(ascii: "+")) } ?? true
    if paths.isEmpty { computed.append((statement.line, "a folder of resources")) }
    for path in paths {
      folders.append(
        ResourceFolder(
          sourceSet: named, path: path, isReplacement: words[setter] == "setSrcDirs" || !isAddition))
    }
  }

  private mutating func readValue(_ statement: GradleScript.Statement, _ path: [String], _ file: String) {
    let arguments = statement.arguments
    guard arguments.count == 3, arguments[0].first?.literal == "string" else { return }
    guard arguments[1].count == 1, let name = arguments[1].first?.literal else {
      computed.append((statement.line, "the name of a resValue"))
      return
    }
    let isLiteral = arguments[2].count == 1
    let holders = ["productFlavors", "buildTypes"]
    let place = path.firstIndex(where: holders.contains).map { $0 + 1 }
    values.append(
      Value(
        scope: place.flatMap { path.indices.contains($0) ? path[$0] : nil }, name: name,
        text: isLiteral ? arguments[2].first?.literal : nil, file: file, line: statement.line))
  }
}

extension GradleScript.Token {
  /// The text of a plain literal.
  var literal: String? { if case .text(let text) = self { text } else { nil } }

  /// A literal as written, with what the build would put into it.
  var written: String? {
    switch self {
    case .text(let text), .template(let text): text
    case .word, .mark: nil
    }
  }

  var isTemplate: Bool { if case .template = self { true } else { false } }

  /// The alias that a version catalog has for a plug-in: `android.app` of `libs.plugins.android.app`.
  var pluginAlias: String? {
    guard case .word(let word) = self else { return nil }
    let parts = word.split(separator: ".").filter { !["get", "getPluginId", "pluginId"].contains($0) }
    guard let start = parts.firstIndex(of: "plugins"), start + 1 < parts.count else { return nil }
    return parts[(start + 1)...].joined(separator: ".")
  }

  /// Whether it is a name such as `libs.androidx.core`.
  var isDotted: Bool { if case .word(let word) = self { word.contains(".") } else { false } }
}
