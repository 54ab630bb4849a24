internal import FoundationEssentials
package import YAML

/// The templates of one app, compiled.
package struct Catalog: Sendable {
  /// Where the app's string resources are; paths as they can be opened.
  package struct Resources: Sendable, Equatable {
    package let android: String?
    package let ios: String?
    package let developmentLanguage: String?
    /// Whether a warning of `check` counts as an error.
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

  package let resources: Resources?
  /// In the order of the file.
  package let templates: [Template]
  package let ignored: [IgnoreRule]
  private let indices: [String: Int]

  init(resources: Resources?, templates: [Template], ignored: [IgnoreRule]) {
    self.resources = resources
    self.templates = templates
    self.ignored = ignored
    // Names are ASCII, so that String's own equality is exact.
    indices = Dictionary(
      templates.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The template of that name. O(1).
  package func template(_ name: String) -> Template? {
    // Canonical equivalence finds nothing else: a name that is not ASCII is none.
    guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    return indices[name].map { templates[$0] }
  }

  /// Reads and compiles a catalog's file.
  /// - Throws: everything that is wrong in it at once, with file, line, column and field.
  package static func load(file path: String) throws(CatalogError) -> Catalog {
    let bytes: [UInt8]
    do {
      bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      let problem = ConfigurationProblem(
        file: path, line: 0, column: 0, message: "cannot be read: \(readFailure(error))")
      throw CatalogError(problems: [problem])
    }
    return try parse(bytes, file: path)
  }

  /// Compiles a catalog; `file` is what its relative paths are relative to, and its name in problems.
  package static func parse(_ bytes: [UInt8], file: String?) throws(CatalogError) -> Catalog {
    let problems = ProblemCollector(file: file)
    let folder = file.map { path in
      path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
    }
    let root = YAML.parse(bytes, problems: problems)
    let reader = CatalogReader(problems: problems, folder: folder ?? "")
    guard let catalog = root.flatMap(reader.catalog), problems.problems.isEmpty else {
      throw CatalogError(problems: problems.sorted)
    }
    return catalog
  }

  private static func readFailure(_ error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile?, .fileNoSuchFile?: "no such file"
    case .fileReadNoPermission?: "permission denied"
    default: "\(type(of: error))"
    }
  }
}

/// Everything that is wrong in a catalog.
package typealias CatalogError = ConfigurationError
