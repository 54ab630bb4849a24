import Catalog
import JSON
import Testing

@Suite struct ParamTests {
  private func arg(_ param: String, _ json: String) throws -> String {
    let template = "{params: {p: \(param)}, title: {android: k, args: [p]}}"
    let args = try JSON.parse("{\"p\":\(json)}")
    let errors = try Fixture.inputErrors(template: template, args: args)
    if let error = errors.first { return error }
    let message = try Fixture.message(template: template, args: args)
    return message["android"]?["notification"]?["title_loc_args"]?[0]?.string ?? "none"
  }

  @Test(arguments: [
    ("integer", "3", "3"), ("integer", "-0", "0"), ("integer", "3.0", "3"), ("integer", "1e2", "100"),
    ("integer", "120e-1", "12"), ("integer", "9223372036854775807", "9223372036854775807"),
    ("integer", "-9223372036854775808", "-9223372036854775808"), ("integer", "0e999999999999", "0"),
    ("number", "3", "3"), ("number", "11.80", "11.8"), ("number", "\"11.80\"", "11.80"),
    ("number", "1e3", "1000"), ("number", "1.5e-7", "1.5e-7"), ("number", "0.000001", "0.000001"),
    ("number", "-0.0", "0"), ("number", "123456789012345678", "123456789012345678"),
    ("number", "1e21", "1e+21"), ("number", "123456789012345678901.0", "123456789012345680000"),
    ("number", "0.1", "0.1"), ("number", "5e-324", "5e-324"), ("number", "-1234.5678", "-1234.5678"),
    ("number", "\"-1.50e3\"", "-1.50e3"),
    ("boolean", "true", "true"), ("boolean", "false", "false"),
    ("string", "\"\"", ""), ("string", "\"%1$s \\u0000 \\\"\"", "%1$s \u{0} \""),
  ])
  func writesArgsAsStrings(type: String, json: String, text: String) throws {
    #expect(try arg("{type: \(type)}", json) == text)
  }

  @Test(arguments: [
    ("{type: integer}", "\"3\"", "wrong_type"), ("{type: integer}", "3.5", "wrong_type"),
    ("{type: integer}", "true", "wrong_type"), ("{type: integer}", "null", "wrong_type"),
    ("{type: integer}", "9223372036854775808", "out_of_range"), ("{type: integer}", "1e999", "out_of_range"),
    ("{type: number}", "\"11,80\"", "wrong_type"), ("{type: number}", "\" 1\"", "wrong_type"),
    ("{type: number}", "\"NaN\"", "wrong_type"), ("{type: number}", "1e999", "out_of_range"),
    ("{type: string}", "3", "wrong_type"), ("{type: boolean}", "\"true\"", "wrong_type"),
    ("{type: string, max_length: 2}", "\"abc\"", "out_of_range"),
    ("{type: integer, min: 1}", "0", "out_of_range"), ("{type: integer, max: 9}", "10", "out_of_range"),
    ("{type: number, max: 1.5}", "\"1.50001\"", "out_of_range"),
    // Doubles do not distinguish these.
    ("{type: integer, max: 9007199254740995}", "9007199254740997", "out_of_range"),
    ("{type: integer, max: 9223372036854775806}", "9223372036854775807", "out_of_range"),
    ("{type: integer, min: -9007199254740995}", "-9007199254740997", "out_of_range"),
    ("{type: integer, min: 9223372036854775808}", "9223372036854775807", "out_of_range"),
    ("{type: integer, max: 2.5}", "3", "out_of_range"),
    ("{type: number, min: -5}", "\"-5.0000000000000000000001\"", "out_of_range"),
    ("{type: number, max: 0.1}", "\"0.1000000000000000000001\"", "out_of_range"),
    ("{type: number, min: 0}", "\"-1e-999\"", "out_of_range"),
    ("{type: number, max: 9007199254740993}", "\"9007199254740993.5\"", "out_of_range"),
    ("{type: string, enum: [a, b]}", "\"c\"", "invalid"),
    ("{type: string, enum: [\"é\"]}", "\"e\\u0301\"", "invalid"),
  ])
  func rejectsArgsThatDoNotMatchTheParam(param: String, json: String, code: String) throws {
    #expect(try arg(param, json).hasPrefix("/args/p \(code): "))
  }

  @Test(arguments: [
    ("{type: number, min: -5, max: 5}", "-5.000"), ("{type: number, min: -5, max: 5}", "50e-1"),
    ("{type: number, min: 0, max: 0}", "-0.0"), ("{type: number, min: 0.1, max: 0.1}", "0.10"),
    ("{type: number, min: 1e3, max: 1e21}", "999999999999999999999.9"), ("{type: number, max: 1}", "-2e300"),
    ("{type: number, min: -0.02}", "-0.0199999999999999999999"),
  ])
  func acceptsNumbersWithinTheirLimits(param: String, text: String) throws {
    #expect(try arg(param, "\"\(text)\"") == text)
  }

  @Test func countsLengthInUnicodeScalars() throws {
    #expect(try arg("{type: string, max_length: 2}", "\"👩🏽\"") == "👩🏽")
    #expect(try arg("{type: string, max_length: 2}", "\"e\\u0301\"") == "e\u{301}")
  }

  @Test func usesTheDefaultOfAMissingParam() throws {
    let template = """
      {params: {n: {type: number, default: "1.50"}, m: {type: number, default: 1.50}, e: {type: string,
      enum: [x, y], default: y}}, title: {ios: K, args: [n, m, e]}}
      """
    let message = try Fixture.message(template: template)
    #expect(
      message["apns"]?["payload"]?["aps"]?["alert"]?["title-loc-args"] == ["1.50", "1.5", "y"])
  }

  @Test(arguments: [
    "\u{2028}\u{2029}", "a\"b\\c/d", "שלום עולם", "👩‍👩‍👧‍👦🇧🇷", "e\u{301} \u{212A}", "%@ %1$s %d",
    "\u{FEFF}\u{1}\u{7F}",
  ])
  func preservesAllOfUnicode(text: String) throws {
    let json = String(decoding: JSON.string(text).serialized, as: UTF8.self)
    #expect(try arg("{type: string}", json).unicodeScalars.elementsEqual(text.unicodeScalars))
  }

  @Test func checksParamsAtLoad() {
    #expect(
      Fixture.problems(
        """
        version: 1
        templates:
          t:
            params:
              a: {type: int}
              b: {type: integer, default: x, max_length: 3}
              c: {type: string, enum: [x, 1, x], min: 1}
              d: {type: integer, min: 5, max: 3}
              e: {type: integer, enum: [1, 9], max: 5, default: 2}
              f: {}
              g: {type: string, max_length: 2, default: abc, defualt: 1}
              "h i": {type: string}
              j: {type: string, enum: []}
        """) == [
          "catalog.yaml:5:17: templates.t.params.a.type: must be one of string, integer, number, boolean, "
            + "date, time, datetime",
          "catalog.yaml:6:35: templates.t.params.b.default: must be an integer, not a string",
          "catalog.yaml:6:50: templates.t.params.b.max_length: only a string can have max_length",
          "catalog.yaml:7:35: templates.t.params.c.enum[1]: must be a string, not a number; put it in quotes",
          "catalog.yaml:7:47: templates.t.params.c.min: only an integer or a number can have min and max",
          "catalog.yaml:8:39: templates.t.params.d.max: must not be less than min",
          "catalog.yaml:9:36: templates.t.params.e.enum[1]: must be at most 5",
          "catalog.yaml:9:57: templates.t.params.e.default: must be one of 1, 9",
          "catalog.yaml:10:10: templates.t.params.f.type: missing",
          "catalog.yaml:11:49: templates.t.params.g.default: must have at most 2 characters "
            + "(Unicode scalars), has 3",
          "catalog.yaml:11:54: templates.t.params.g.defualt: unknown field; did you mean \"default\"?",
          "catalog.yaml:12:7: templates.t.params[\"h i\"]: a name must be 1 to 128 letters (a-z, A-Z), digits, "
            + "\"_\", \".\" or \"-\"",
          "catalog.yaml:13:31: templates.t.params.j.enum: must hold at least one value",
        ])
  }

  @Test func limitsKeepTheirDigits() throws {
    #expect(
      try arg("{type: integer, max: 9223372036854775806}", "9223372036854775806") == "9223372036854775806")
    #expect(
      try arg("{type: integer, max: 9223372036854775806}", "9223372036854775807")
        .hasSuffix("must be at most 9223372036854775806"))
    let params = "{a: {type: integer, min: 9223372036854775807, max: 9223372036854775806}}"
    #expect(
      Fixture.problems(template: "{params: \(params), data: {a: {$param: a}}}") == [
        "catalog.yaml:4:66: templates.t.params.a.max: must not be less than min"
      ])
    let param = try Fixture.catalog(
      template: "{params: {a: {type: integer, min: 1e3, max: 9007199254740993}}}"
    )
    .template("t")?.params.first
    #expect(param?.min?.json == 1000)
    #expect(param?.max?.json == 9_007_199_254_740_993)
  }

  /// A param with a mistake is not unknown where it is used, and its other mistakes are reported too.
  @Test(arguments: [
    ("{type: strng, max_length: -1}", ["type: must be one of", "max_length: out of range"]),
    ("{}", ["type: missing"]), ("", ["type: missing"]), ("string", ["a: expected"]),
    ("{type: strng, min: 3, max: 1}", ["type: must be one of", "max: must not be less than min"]),
  ])
  func aMistakeInAParamIsReportedOnce(param: String, problems: [String]) {
    let found = Fixture.problems(
      """
      version: 1
      templates:
        t:
          params:
            a: \(param)
            n: {type: integer}
          body: {android: k, ios: K, args: [a, n], variants: [{when: {a: x}, android: b}]}
          data: {d: {$param: a}}
      """)
    #expect(found.count == problems.count, "\(found)")
    for (found, expected) in zip(found, problems) { #expect(found.contains(expected), "\(found)") }
  }
}
