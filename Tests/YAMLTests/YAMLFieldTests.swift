import JSON
import Testing
import YAML

@Suite struct YAMLFieldTests {
  private enum Name: String, CaseIterable {
    case listen, port, rate, level, ttl, names, nested
    case isLoud = "is_loud"
  }
  private enum Level: String, CaseIterable { case debug, info }

  private let problems = ProblemCollector(file: "g.yaml")

  private func fields(_ text: String) throws -> YAMLFields<Name> {
    let node = try #require(YAML.parse(Array(text.utf8), problems: problems))
    return try #require(YAMLField(node: node, problems: problems).fields(Name.self))
  }

  @Test func readsEveryType() throws {
    let fields = try fields(
      """
      {listen: no, port: 80, rate: 1.5, level: info, ttl: 15m, names: [a, b], nested: , is_loud: true}
      """)
    #expect(fields[.listen]?.nonEmptyString() == "no")
    #expect(fields[.port]?.integer(in: 0...65535) == 80)
    #expect(fields[.rate]?.number() == 1.5)
    #expect(fields[.level]?.choice(Level.self) == .info)
    #expect(fields[.ttl]?.seconds() == 900)
    #expect(fields[.names]?.elements()?.compactMap { $0.string() } == ["a", "b"])
    #expect(fields[.nested]?.entries()?.isEmpty == true)
    #expect(fields[.isLoud]?.bool() == true)
    #expect(problems.problems.isEmpty)
  }

  @Test func reportsAllProblemsInTheOrderOfTheFile() throws {
    let fields = try fields(
      """
      lisen: x
      port: 99999
      rate: fast
      level: inof
      ttl: 5 minutes
      names: [a, 1, {}]
      is_loud: yes
      """)
    _ = fields[.names]?.elements()?.map { $0.string() }
    _ = fields.required(.listen)
    _ = fields[.port]?.integer(in: 0...65535)
    _ = fields[.rate]?.number()
    _ = fields[.level]?.choice(Level.self)
    _ = fields[.ttl]?.seconds()
    _ = fields[.isLoud]?.bool()
    #expect(
      problems.sorted.map(\.description) == [
        "g.yaml:1:1: lisen: unknown field; did you mean \"listen\"?",
        "g.yaml:1:1: listen: missing",
        "g.yaml:2:7: port: out of range: must be 0 to 65535",
        "g.yaml:3:7: rate: expected a number, not a string",
        "g.yaml:4:8: level: must be one of debug, info; did you mean \"info\"?",
        "g.yaml:5:6: ttl: must be a duration such as 90s, 15m, 24h or 7d",
        "g.yaml:6:12: names[1]: expected a string, not an integer; put it in quotes if you mean text",
        "g.yaml:6:15: names[2]: expected a string, not a mapping",
        "g.yaml:7:10: is_loud: expected true or false, not a string",
      ])
  }

  @Test func readsOverridesAsTheRequestedType() {
    let field = YAMLField(
      node: YAMLNode(untyped: "123", origin: "environment variable P"), problems: problems)
    #expect(field.string() == "123")
    #expect(field.integer() == 123)
    #expect(field.bool() == nil)
    #expect(
      problems.problems.map(\.description) == [
        "environment variable P: expected true or false, not an integer"
      ])
  }

  @Test(
    arguments: [
      ("90s", 90), ("15m", 900), ("24h", 86400), ("7d", 604800), ("0s", 0), ("s", nil), ("-1s", nil),
      ("1.5h", nil), ("1w", nil), ("", nil), ("5", nil), ("9223372036854775807d", nil), (" 1s", nil),
    ] as [(String, Int?)])
  func readsDurations(text: String, seconds: Int?) {
    #expect(DurationText.seconds(text) == seconds)
  }

  @Test(
    arguments: [
      ("titel", "title"), ("collapseKey", "collapse_key"), ("titel_loc_key", "title_loc_key"),
      ("bdy", "body"), ("quite_other", nil),
    ] as [(String, String?)])
  func findsTheNearestName(name: String, nearest: String?) {
    #expect(
      nearestName(to: name, among: ["body", "title", "title_loc_key", "collapse_key"]) == nearest)
  }
}
