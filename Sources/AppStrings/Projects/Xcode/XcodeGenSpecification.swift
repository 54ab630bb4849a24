internal import JSON
internal import YAML

/// An XcodeGen specification, `project.yml` with what it includes: its targets and their sources.
struct XcodeGenSpecification {
  /// A part of a target, as one file has it.
  private typealias Part = (node: YAMLNode, folder: String)

  private var targets: [(name: String, parts: [Part])] = []
  private var templates: [String: Part] = [:]
  private var files: ProjectFiles
  private var problems: [ResourceProblem] = []
  private var developmentLanguage: String?
  private let file: String

  private static let includesMax = 16

  /// The specification of a folder; nil if it has none.
  static func file(in folder: String) -> String? {
    ["project.yml", "project.yaml"].map { ProjectFiles.path(folder, $0) }.first {
      ResourceFile.size(of: $0) != nil
    }
  }

  /// Throws if the file is no specification.
  init(file: String, folder: String) throws(ProjectError) {
    self.file = file
    files = ProjectFiles(root: folder)
    try read(file, in: folder, depth: 0)
  }

  /// Reads a file after those that it includes, which it changes.
  private mutating func read(_ path: String, in folder: String, depth: Int) throws(ProjectError) {
    let collector = ProblemCollector(file: path)
    guard let bytes = files.read(path), let root = YAML.parse(bytes, problems: collector) else {
      throw ProjectError(
        collector.problems.first.map { FindingText(.damagedSpecification, [path, "\($0)"]) }
          ?? FindingText(.noSpecification, [path]))
    }
    for include in root["include"]?.elements ?? [] where depth < Self.includesMax {
      guard let name = (include["path"] ?? include).scalar?.text else { continue }
      let included = ProjectFiles.path(folder, name)
      let isRelative = include["relativePaths"]?.scalar?.text != "false"
      try read(included, in: isRelative ? ProjectFiles.path(included, "..") : folder, depth: depth + 1)
    }
    developmentLanguage = root["options"]?["developmentLanguage"]?.scalar?.text ?? developmentLanguage
    for entry in root["targetTemplates"]?.mapping ?? [] {
      if let name = entry.key.scalar?.text { templates[name] = (entry.value, folder) }
    }
    for entry in root["targets"]?.mapping ?? [] {
      guard let name = entry.key.scalar?.text else { continue }
      if let index = targets.firstIndex(where: { $0.name == name }) {
        targets[index].parts.append((entry.value, folder))
      } else {
        targets.append((name, [(entry.value, folder)]))
      }
    }
  }

  /// The layout of an application.
  mutating func layout(target wanted: String?) throws(ProjectError) -> AppleLayout {
    let applications = targets.filter { isApplication($0.parts) }.map(\.name)
    let named = applications.filter { wanted == nil || $0 == wanted }
    guard let name = named.first, named.count == 1 else {
      throw ProjectError(
        FindingText(
          named.isEmpty ? .noSuchApplication : .severalApplications,
          [file, ProjectError.listed(applications), files.root]))
    }
    var layout = AppleLayout(root: files.root, target: name, bounds: files)
    var found: [String: [String]] = [:]
    for target in targets {
      for part in parts(of: target.parts) { add(part, of: target.name, to: &layout, &found) }
      layout.products[target.name] = value("type", of: target.parts).map {
        Self.product(target.name, type: $0)
      }
    }
    layout.files = found
    layout.developmentLanguage = developmentLanguage ?? "en"
    layout.problems = problems
    layout.buildFiles = files.buildFiles.sorted()
    return layout
  }

  private static func product(_ name: String, type: String) -> String {
    type.hasPrefix("framework") ? "\(name).framework" : type.contains("extension") ? "\(name).appex" : name
  }

  /// The target's templates and its own parts, later ones over earlier ones.
  private func parts(of own: [Part]) -> [Part] {
    own.flatMap { part in
      (part.node["templates"]?.elements ?? []).compactMap { $0.scalar.flatMap { templates[$0.text] } } + [
        part
      ]
    }
  }

  private func value(_ name: String, of own: [Part]) -> String? {
    parts(of: own).last { $0.node[name] != nil }?.node[name]?.scalar?.text
  }

  private func isApplication(_ own: [Part]) -> Bool {
    guard value("type", of: own) == "application" else { return false }
    let fields = parts(of: own).flatMap { [$0.node["platform"], $0.node["supportedDestinations"]] }
    let named = fields.flatMap { $0?.elements ?? [] }.compactMap { $0.scalar?.text }
    let platforms = named.filter { $0 != "auto" }
    return platforms.isEmpty || platforms.contains("iOS")
  }

  private mutating func add(
    _ part: Part, of target: String, to layout: inout AppleLayout, _ found: inout [String: [String]]
  ) {
    let sources = (part.node["sources"]?.elements ?? []) + (part.node["resources"]?.elements ?? [])
    for source in sources {
      guard let name = (source["path"] ?? source).scalar?.text,
        source["buildPhase"]?.scalar?.text != "none", source["type"]?.scalar?.text != "folder"
      else { continue }
      guard !name.contains("${") else {
        problems.append(
          ResourceProblem(
            kind: .remark, file: file, line: source.line,
            FindingText(
              english:
                "The path \(name.firstScalars) is computed, so it was not read. To say which strings count, "
                + "name the folder that holds the app's .lproj folders.")))
        continue
      }
      let path = ProjectFiles.path(part.folder, name)
      if ResourceFile.isFolder(path) {
        let excluded = (source["excludes"]?.elements ?? []).compactMap { $0.scalar?.text }.map { pattern in
          pattern.hasSuffix("/**") ? String(pattern.dropLast(3)) : pattern
        }
        layout.folders.append(
          .init(path: path, target: target, hasOnlyExceptions: false, exceptions: Set(excluded)))
      } else {
        found[path, default: []].append(target)
      }
    }
  }
}

extension YAMLNode {
  /// The elements of a list, or a single value as one.
  fileprivate var elements: [YAMLNode] { sequence ?? (isNull ? [] : [self]) }
}
