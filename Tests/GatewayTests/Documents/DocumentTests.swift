import Foundation
import Testing
import YAML

@testable import API
@testable import Gateway

/// Compares docs/api.md with the routes and problems of the API.
@Suite struct APIDocumentTests {
  private let text: String

  init() throws {
    text = try String(contentsOfFile: "\(GatewayFixture.repository)/docs/api.md", encoding: .utf8)
  }

  @Test func documentsEveryRoute() {
    for route in APIRoute.table {
      let named = text.contains("`\(route.method) \(route.template)")
      #expect(named || text.contains(", \(route.template)`"), "\(route.method) \(route.template)")
    }
  }

  @Test func documentsEveryProblemWithItsStatus() throws {
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
    for kind in ProblemType.all {
      let row = rows.first { $0.split(separator: "|").first?.contains("`\(kind.slug)`") ?? false }
      #expect(try #require(row, "\(kind.slug)").contains("| \(kind.status) |"))
    }
  }
}

/// Compares docs/configuration.md with the configuration: fields, defaults and variables.
@Suite struct DocumentTests {
  private struct Row {
    let path: String
    /// Nil if the document describes the default in words.
    let defaultValue: String?
    let variable: String?
    let reload: String
  }

  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  /// The rows of the document's tables; a cell in backticks alone is a value.
  private func rows() throws -> [Row] {
    let file = "\(GatewayFixture.repository)/docs/configuration.md"
    let text = try String(contentsOfFile: file, encoding: .utf8).replacing(#"\|"#, with: "")
    return try text.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.trimmingCharacters(in: .whitespaces) }
      try #require(cells.count == 5, "\(line)")
      return Row(
        path: try #require(Self.value(of: cells[0])), defaultValue: Self.value(of: cells[2]),
        variable: Self.value(of: cells[3]), reload: cells[4])
    }
  }

  private static func value(of cell: String) -> String? {
    guard cell.count > 2, cell.hasPrefix("`"), cell.hasSuffix("`") else { return nil }
    return String(cell.dropFirst().dropLast())
  }

  /// A configuration with all parts that have defaults, and `fields` besides, by their paths.
  private func configuration(_ fields: [String: String] = [:]) -> String {
    var sections: [String: [String]] = [
      "app": ["catalog: /c.yaml", "credentials: /fcm.json", "project_id: p"],
      "feedback.webhook": ["url: \"https://example.com/\"", "secret: \(Self.secret)"],
    ]
    for (path, value) in fields {
      let parts = path.replacing("apps.NAME", with: "app").split(separator: ".")
      let section = parts.dropLast().joined(separator: ".")
      sections[section, default: []].append("\(parts.last ?? ""): \(value)")
    }
    func mapping(_ name: String) -> String { "{\((sections[name] ?? []).joined(separator: ", "))}" }
    return """
      server: \(mapping("server"))
      auth: \(mapping("auth"))
      apps: {name: \(mapping("app"))}
      queue: \(mapping("queue"))
      delivery: \(mapping("delivery"))
      feedback: {webhook: \(mapping("feedback.webhook"))}
      log: \(mapping("log"))
      """
  }

  private func parse(_ text: String, environment: [String: String] = [:]) throws -> GatewayConfiguration {
    try GatewayConfiguration.parse(Array(text.utf8), file: "gateway.yaml", environment: environment)
  }

  @Test func documentsEveryFieldOnce() throws {
    let documented = try rows().map(\.path)
    #expect(Set(documented) == Set(GatewayConfiguration.fieldPaths))
    #expect(documented.count == Set(documented).count)
    #expect(try rows().allSatisfy { ["yes", "no"].contains($0.reload) })
  }

  @Test func documentsTheActualDefaults() throws {
    // Without the field, the same is printed as with the documented default. A path in the default
    // counts from the working directory, one in the file from the file.
    let folder = FileManager.default.currentDirectoryPath
    func printed(_ fields: [String: String] = [:]) throws -> String {
      try parse(configuration(fields)).printed.replacing("\(folder)/", with: "").replacing("./", with: "")
    }
    let plain = try printed()
    let withDefaults = try rows().filter { $0.defaultValue != nil }
    #expect(withDefaults.count > 15)
    for row in withDefaults {
      let value = try #require(row.defaultValue)
      #expect(plain.contains(row.path.split(separator: ".").last ?? ""), "\(row.path) is not printed")
      #expect(try printed([row.path: value]) == plain, "\(row.path)")
    }
  }

  @Test func documentsEveryDefaultThatIsPrinted() throws {
    // Conversely, every field that `--print-config` prints without being set has a documented default.
    let given = [
      "apps.NAME.catalog", "apps.NAME.credentials", "apps.NAME.project_id", "feedback.webhook.url",
    ]
    let hidden = ["feedback.webhook.secret", "auth.clients"]
    let problems = ProblemCollector(file: "printed")
    let printed = try #require(YAML.parse(Array(parse(configuration()).printed.utf8), problems: problems))
    let documented = try Set(rows().filter { $0.defaultValue != nil }.map(\.path))
    #expect(Self.leaves(of: printed, under: "").subtracting(given).subtracting(hidden) == documented)
  }

  private static func leaves(of node: YAMLNode, under prefix: String) -> Set<String> {
    guard let entries = node.mapping else { return [prefix] }
    return entries.reduce(into: []) { paths, entry in
      let name = prefix == "apps" ? "NAME" : entry.key.scalar?.text ?? ""
      paths.formUnion(leaves(of: entry.value, under: prefix.isEmpty ? name : "\(prefix).\(name)"))
    }
  }

  @Test func documentsTheVariablesThatAreRead() throws {
    // An empty value is wrong for every field: the problem names the variable that it came from, if any does.
    for row in try rows() {
      let conventional =
        "DRAGOMAN_" + row.path.uppercased().map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
      let counts: Bool
      do {
        _ = try parse(configuration(), environment: [conventional: ""])
        counts = false
      } catch let error as ConfigurationError {
        counts = error.description.contains("environment variable \(conventional)")
      }
      #expect(row.variable == (counts ? conventional : nil), "\(row.path)")
    }
  }
}
