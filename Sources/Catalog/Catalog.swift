internal import FoundationEssentials
package import YAML

/// The templates of one app, compiled.
package struct Catalog: Sendable {
  /// Where the app's string resources are; paths as they can be opened.
  package struct Resources: Sendable, Equatable {
    package let android: String?
    package let ios: String?
    package let developmentLanguage: String?
    /// Whether an error that `check` finds keeps the catalog from being taken over at a start or reload.
    package let isStrict: Bool
  }

  /// A finding of `check` that is known and meant.
  package struct IgnoreRule: Sendable, Equatable {
    package let rule: CheckRule
    /// What it is limited to; nil: any.
    package let locale: String?
    package let key: String?
    package let template: String?
    package let reason: String
    package let line: Int
  }

  /// Bytes of a template's or a param's name.
  package static let nameBytesMax = 128

  /// The file that it was read from.
  package let file: String?
  package let resources: Resources?
  /// In the order of the file.
  package let templates: [Template]
  package let ignored: [IgnoreRule]
  private let indices: [String: Int]

  init(file: String?, resources: Resources?, templates: [Template], ignored: [IgnoreRule]) {
    self.file = file
    self.resources = resources
    self.templates = templates
    self.ignored = ignored
    // Names are ASCII, so that String's own equality is exact.
    indices = Dictionary(
      templates.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The template of that name. O(1).
  package func template(_ name: String) -> Template? { index(of: name).map { templates[$0] } }

  /// Where the template of that name stands in `templates`. O(1).
  func index(of name: String) -> Int? {
    // Canonical equivalence finds nothing else: a name that is not ASCII is none.
    guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    return indices[name]
  }

  /// The same catalog with one of its templates alone.
  package func only(_ template: Template) -> Catalog {
    Catalog(file: file, resources: resources, templates: [template], ignored: ignored)
  }

  /// Reads and compiles a catalog's file.
  /// - Throws: everything that is wrong in it at once, with file, line, column and field.
  package static func load(file path: String) throws(CatalogError) -> Catalog {
    try parse(read(path), file: path)
  }

  /// As `load`, for `check`: takes templates with `literals` too, which it tells as findings.
  package static func examine(file path: String) throws(CatalogError) -> Catalog {
    try examine(read(path), file: path)
  }

  private static func read(_ path: String) throws(CatalogError) -> [UInt8] {
    do {
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      let problem = ConfigurationProblem(
        file: path, line: 0, column: 0, message: "cannot be read: \(readFailure(error, of: path))")
      throw CatalogError(problems: [problem])
    }
  }

  /// Compiles a catalog; `file` is what its relative paths are relative to, and its name in problems.
  package static func parse(_ bytes: [UInt8], file: String?) throws(CatalogError) -> Catalog {
    try examine(bytes, file: file, takesLiterals: false)
  }

  /// As `parse`, for `check`: takes templates with `literals` too, which it tells as findings.
  package static func examine(_ bytes: [UInt8], file: String?) throws(CatalogError) -> Catalog {
    try examine(bytes, file: file, takesLiterals: true)
  }

  private static func examine(
    _ bytes: [UInt8], file: String?, takesLiterals: Bool
  ) throws(CatalogError) -> Catalog {
    let problems = ProblemCollector(file: file)
    let folder = file.map { path in
      path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
    }
    let root = YAML.parse(bytes, problems: problems)
    let reader = CatalogReader(problems: problems, folder: folder ?? "")
    let read = root.flatMap(reader.catalog)
    if !takesLiterals || !problems.problems.isEmpty {
      for literal in read?.templates.flatMap(\.literals) ?? [] { problems.report(literal.problem) }
    }
    guard let catalog = read, problems.problems.isEmpty else {
      throw CatalogError(problems: problems.sorted)
    }
    return catalog
  }

  private static func isFolder(_ path: String) -> Bool {
    var isDirectory: Bool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory
  }

  private static func readFailure(_ error: any Error, of path: String) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile?, .fileNoSuchFile?: "no such file"
    case .fileReadNoPermission?: "permission denied"
    default: isFolder(path) ? "it is a folder" : "the system refuses it"
    }
  }
}

/// Everything that is wrong in a catalog.
package typealias CatalogError = ConfigurationError
