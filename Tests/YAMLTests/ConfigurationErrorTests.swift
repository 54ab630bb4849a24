import Testing

@testable import YAML

struct ConfigurationErrorTests {
  private func parse(_ text: String) throws -> YAMLNode { try YAML.parse(Array(text.utf8), file: "f.yaml") }

  private enum Field: String, CaseIterable { case url, port, flag, level, age, list, map }
  private enum Level: String, CaseIterable { case low, high }

  private static let secret = "hunter2-s3cret"

  /// Syntax errors in documents that hold the secret.
  @Test(arguments: [
    "url: *SECRET", "url: &a !tag SECRET", "url: \"SECRET", "url: [SECRET", "url: SECRET\n---\nb: 1",
    "url: SECRET\n\tb",
    "? [SECRET]\n: 1", "url: @SECRET", "url: SECRET\n  port: 1: 2", "url: \"SECRET\u{1}\"",
    "%SECRET\n---\na: 1",
  ])
  func descriptionOfASyntaxErrorHoldsNoValue(_ document: String) throws {
    let text = document.replacing("SECRET", with: Self.secret)
    let error = try #require(throws: ConfigurationError.self) {
      try YAML.parse(Array(text.utf8), file: "f.yaml")
    }
    #expect(!"\(error)".contains(Self.secret), "\(error)")
  }

  @Test func descriptionOfAWrongValueDoesNotHoldIt() throws {
    let text =
      Field.allCases.map { "\($0.rawValue): [\(Self.secret)]\n" }.joined() + "\(Field.url)x: \(Self.secret)"
    let problems = ProblemCollector(file: "f.yaml")
    let root = try #require(YAML.parse(Array(text.utf8), problems: problems))
    let fields = try #require(YAMLField(node: root, problems: problems).fields(Field.self))
    for name in Field.allCases {
      for field in [fields[name], fields[name]?.elements()?.first] {
        guard let field, !(name == .list && field.node.sequence != nil) else { continue }
        _ = (field.bool(), field.integer(), field.number(), field.seconds(), field.choice(Level.self))
        _ = field.node.sequence == nil ? field.elements()?.count : field.string()?.count
        _ = field.fields(Field.self)
      }
    }
    let description = "\(ConfigurationError(problems: problems.sorted))"
    #expect(problems.problems.count > 30)
    #expect(!description.contains(Self.secret), "\(description)")
  }

  @Test(arguments: ["dgm_", "whsec_", "-----BEGIN"])
  func descriptionHidesASecretInThePlaceOfAFieldName(_ prefix: String) throws {
    let text = "\"\(prefix)\(Self.secret)\": 1\n\"\(prefix)\(Self.secret)\": 2"
    let error = try #require(throws: ConfigurationError.self) {
      try YAML.parse(Array(text.utf8), file: "f.yaml")
    }
    #expect(!"\(error)".contains(Self.secret), "\(error)")
    #expect("\(error)".contains("\(prefix)…"))
  }

  /// A key may come from a file that somebody else wrote.
  @Test func descriptionShowsControlCharactersOfAKey() {
    let path = FieldPath.root.appending("a\u{1B}[31m\n::error::\u{202E}é")
    let problem = ConfigurationProblem(file: nil, line: 0, column: 0, path: path.description, message: "m")
    #expect(problem.description == #"["a\u{1B}[31m\u{A}::error::\u{202E}é"]: m"#)
  }

  @Test func descriptionIsBounded() {
    let path = String(repeating: "k", count: 100_000)
    let problem = ConfigurationProblem(
      file: "f.yaml", line: 1, column: 1, path: path, message: "unknown field")
    #expect(problem.description == "f.yaml:1:1: \(String(repeating: "k", count: 300))…: unknown field")
    let error = ConfigurationError(problems: Array(repeating: problem, count: 1_000))
    let lines = "\(error)".split(separator: "\n")
    #expect(lines.count == 101)
    #expect(lines.last == "and 900 more problems")
  }
}
