import Testing
import YAML

@Suite struct YAMLTests {
  private func parse(_ text: String) throws -> YAMLNode { try YAML.parse(Array(text.utf8), file: "f.yaml") }

  private func problems(_ bytes: [UInt8]) -> [String] {
    do {
      _ = try YAML.parse(bytes, file: "f.yaml")
      return []
    } catch {
      return error.problems.map(\.description)
    }
  }

  private func problems(_ text: String) -> [String] { problems(Array(text.utf8)) }

  @Test func keepsThePlaceOfEveryValue() throws {
    let root = try parse("a: 1\nb:\n  - x\n  - {c: \"é\", d: z}\n")
    #expect(root["a"]?.line == 1)
    #expect(root["a"]?.column == 4)
    let inner = root["b"]?.sequence?[1]["d"]
    #expect(inner?.line == 4)
    #expect(inner?.column == 17)
  }

  @Test(
    arguments: [
      ("no", .string), ("yes", .string), ("on", .string), ("y", .string), ("12:30", .string),
      ("1_000", .string), ("0b1", .string), ("-0x1", .string), ("TrUe", .string), ("=", .string),
      ("true", .bool(true)), ("TRUE", .bool(true)), ("False", .bool(false)),
      ("~", .null), ("null", .null), ("", .null),
      ("12", .integer("12")), ("-7", .integer("-7")), ("+7", .integer("7")), ("007", .integer("7")),
      ("-0", .integer("0")), ("0x1F", .integer("31")), ("0o17", .integer("15")),
      ("99999999999999999999", .integer("99999999999999999999")),
      ("1.50", .number("1.50")), (".5", .number("0.5")), ("5.", .number("5")), ("-1e+3", .number("-1e3")),
      ("01.5E-2", .number("1.5e-2")), (".inf", .notFinite), ("-.INF", .notFinite), (".nan", .notFinite),
      ("\"1\"", .string), ("'true'", .string), ("!!str 1", .string), ("! 1", .string), ("|\n  1", .string),
    ] as [(String, YAMLNode.Scalar.Value)])
  func resolvesScalarsByTheCoreSchema(text: String, value: YAMLNode.Scalar.Value) throws {
    #expect(try parse("a: \(text)")["a"]?.scalar?.value == value)
  }

  @Test func reportsDuplicateKeysByTheirBytes() throws {
    #expect(
      problems("a: 1\nb: {c: 1, c: 2}\na: 2\n") == [
        "f.yaml:2:11: b.c: duplicate key, first used in line 2",
        "f.yaml:3:1: a: duplicate key, first used in line 1",
      ])
    #expect(try parse("\"\u{e9}\": 1\n\"e\u{301}\": 2\n").mapping?.count == 2)
  }

  @Test func acceptsJSON() throws {
    let root = try parse("{\"a\":[1,true,null,\"x\\u00e9\\/\"],\n\t\"b\":{}}")
    #expect(root["a"]?.sequence?[3].scalar?.text == "xé/")
    #expect(root["b"]?.mapping?.isEmpty == true)
  }

  @Test func joinsEscapedSurrogatesOnlyInJSON() throws {
    let root = try parse(#"{"a": "\\ud83d \ud83d\ude00\u2028 \"\uD83D\uDE00", "b": [1e5, null]}"#)
    #expect(root["a"]?.scalar?.text == "\\ud83d 😀\u{2028} \"😀")
    #expect(try parse(#"{a: '\ud83d\ude00'}"#)["a"]?.scalar?.text == #"\ud83d\ude00"#)
    #expect(problems(#"{"a": "\ud83d"}"#).count == 1)
  }

  @Test func preservesAllOfUnicode() throws {
    let text = "a \u{2028} b \u{85} c \u{2029} d \u{FEFF}👩‍👩‍👧 שלום \u{100000}"
    #expect(try parse("a: \"\(text)\"")["a"]?.scalar?.text == text)
    #expect(try parse("a: \(text)\nb: 1")["a"]?.scalar?.text == text)
    #expect(try parse("\u{FEFF}a: x")["a"]?.scalar?.text == "x")
  }

  @Test func reportsSyntaxErrorsWithTheirPlace() {
    #expect(problems("a: b\n  c: d\n") == ["f.yaml:2:4: mapping values are not allowed in this context"])
    #expect(problems("a: [1\n").first?.hasPrefix("f.yaml:2:1: ") == true)
    #expect(problems("a:\n\t- b").first?.contains("a tab") == true)
    #expect(problems("") == ["f.yaml:1:1: the file is empty"])
    #expect(problems("# nothing\n") == ["f.yaml:1:1: the file is empty"])
    #expect(
      problems("a: 1\n---\nb: 2\n") == [
        "f.yaml:2:1: a second document begins here; the file must hold only one"
      ])
    #expect(problems("? [a]\n: 1\n") == ["f.yaml:1:3: a key must be a string, not a list"])
    #expect(problems("a: !!int 3") == ["f.yaml:1:4: a: tags other than !!str are not supported"])
  }

  @Test func rejectsWhatIsNotText() {
    #expect(problems([0x61, 0x3A, 0x20, 0x0A, 0x62, 0xFF]) == ["f.yaml:2:2: not valid UTF-8"])
    #expect(problems([0x61, 0x3A, 0x20, 0x22, 0x07, 0x22]).first?.contains("U+0007") == true)
    #expect(problems([0xFF, 0xFE, 0x61, 0x00]) == ["f.yaml:1:1: not valid UTF-8"])
  }

  @Test func boundsDepthSizeAndAliases() throws {
    let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
    #expect(problems(deep) == ["f.yaml:1:65: nested deeper than 64"])
    #expect(problems([UInt8](repeating: 0x20, count: YAML.byteCountMax + 1)).count == 1)
    var laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...9 {
      let alias = "*a\(level - 1)"
      laughs += "a\(level): &a\(level) [\(Array(repeating: alias, count: 10).joined(separator: ", "))]\n"
    }
    #expect(problems(laughs).first?.contains("aliases repeat") == true)
    let root = try parse("a: &x {b: 1}\nc: *x\n")
    #expect(root["c"]?["b"]?.scalar?.text == "1")
    #expect(problems("a: &x [*x]").first?.contains("an alias without a preceding anchor") == true)
  }

  @Test func mapsScalarsAndSetsPaths() throws {
    var root = try parse("a: {b: [x]}\n")
    root = root.mapScalars { scalar, node, path in
      path.description == "a.b[0]" ? YAMLNode(untyped: scalar.text + "!", origin: "here") : node
    }
    #expect(root["a"]?["b"]?.sequence?[0].scalar?.text == "x!")
    root.set(YAMLNode(untyped: "9", origin: "variable X"), at: ["a", "c", "d"])
    #expect(root["a"]?["c"]?["d"]?.scalar?.value == .integer("9"))
  }
}
