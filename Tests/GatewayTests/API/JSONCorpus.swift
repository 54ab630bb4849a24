/// JSON texts, and strings, that parsers get wrong.
enum JSONCorpus {
  typealias Case = (name: String, bytes: [UInt8])

  private static func texts(_ list: [(String, String)]) -> [Case] { list.map { ($0.0, Array($0.1.utf8)) } }

  /// Not a JSON text (RFC 8259), not UTF-8 (§8.1), or beyond the gateway's documented limits: duplicate
  /// names, and nesting deeper than 64.
  static let refused: [Case] =
    texts(refusedStructures + refusedNumbers + refusedStrings) + refusedBytes
    + texts([
      ("65 arrays", String(repeating: "[", count: 65) + String(repeating: "]", count: 65)),
      ("65 objects", String(repeating: #"{"a":"#, count: 65) + "1" + String(repeating: "}", count: 65)),
      ("100,000 open arrays", String(repeating: "[", count: 100_000)),
      ("100,000 open objects", String(repeating: #"{"a":"#, count: 100_000)),
      ("open arrays and objects", String(repeating: #"[{"a":"#, count: 50_000)),
    ])

  private static let refusedStructures = [
    ("nothing", ""), ("a space", " "), ("a line feed", "\n"), ("two values", "1 2"), ("two objects", "{}{}"),
    ("a closing brace more", "{}}"), ("a closing bracket more", "[]]"), ("an open array", "["),
    ("an open object", "{"), ("an array closed as an object", "[}"), ("an object closed as an array", "{]"),
    ("a comma alone", ","), ("a comma in an array", "[,]"), ("a comma first", "[,1]"),
    ("a comma last", "[1,]"),
    ("two commas", "[1,,2]"), ("no comma", "[1 2]"), ("a colon in an array", "[1:2]"),
    ("a comma in an object", "{,}"), ("a comma last in an object", #"{"a":1,}"#),
    ("two commas in an object", #"{"a":1,,"b":2}"#), ("a name alone", #"{"a"}"#), ("no value", #"{"a":}"#),
    ("no colon", #"{"a" 1}"#), ("two colons", #"{"a"::1}"#), ("a bare name", "{a:1}"),
    ("a name in single quotes", "{'a':1}"), ("a number as a name", "{1:1}"), ("null as a name", "{null:1}"),
    ("an array as a name", "{[]:1}"), ("a comma for a colon", #"{"a",1}"#),
    ("no comma in an object", #"{"a":1 "b":2}"#), ("a value cut off", #"{"a":"#), ("a name cut off", #"{"a"#),
    ("a line comment", "// c\n{}"), ("a block comment", "/* c */{}"), ("a comment after", "{} // c"),
    ("a hash comment", "# c\n{}"), ("true cut off", "tru"), ("true in capitals", "TRUE"), ("True", "True"),
    ("nul", "nul"), ("nulll", "nulll"), ("undefined", "undefined"), ("None", "None"), ("a word", "[abc]"),
    ("a form feed", "\u{0C}{}"), ("a vertical tab", "{\u{0B}}"), ("a no-break space", "[\u{A0}1]"),
    ("a word joiner", "[\u{2060}]"), ("a line separator", "\u{2028}{}"),
    ("a byte order mark inside", "[\u{FEFF}]"),
    ("a NUL between", "[\u{0}]"), ("a NUL after", "{}\u{0}"), ("an equals sign", #"{"a"=1}"#),
    ("a semicolon", "[1;2]"), ("parentheses", "(1)"), ("XML", "<a/>"),
    ("a prefix against hijacking", ")]}',\n{}"),
    ("two names", #"{"a":1,"a":2}"#), ("two equal names, one escaped", #"{"a":1,"\u0061":2}"#),
    ("two names deep inside", #"{"a":[{"b":{"":1,"":2}}]}"#),
  ]

  private static let refusedNumbers = [
    "-", "+1", "-+1", "--1", "01", "-01", "00", "1.", ".1", "-.1", "1.e1", "1e", "1e+", "1e-", "1E", "1e1.5",
    "1ee1",
    "0x1", "0b1", "0o7", "1_000", "1,000", "NaN", "-NaN", "Infinity", "-Infinity", "inf", "1f", "1a", "１",
    "-a",
    "1 .5", "1e 5", "- 1", "0e", "0.", "1/2", "٣", "½", "1.5.2", "1-2", "1+2",
  ].map { ("the number \($0)", "[\($0)]") }

  private static let refusedStrings =
    [
      ("an open string", #"["a"#), ("a string of a quote", "\""), ("a single quote", "['a']"),
      ("typographic quotes", "[“a”]"), ("text after", #""a"b"#), ("a backslash last", #"["\"#),
      ("a quote that is escaped last", #"["\"]"#), ("\\a", #"["\a"]"#), ("\\x", #"["\x41"]"#),
      ("\\0", #"["\0"]"#), ("\\'", #"["\'"]"#), ("\\u alone", #"["\u"]"#),
      ("\\u of three digits", #"["\u123"]"#),
      ("\\u of three digits and a letter", #"["\u123g"]"#), ("\\U", #"["\U0041"]"#),
      ("\\u{}", #"["\u{41}"]"#),
      ("\\u with a sign", #"["\u+041"]"#), ("\\u with a space", #"["\u 041"]"#),
      ("an emoji escaped", "[\"\\😀\"]"),
      ("a surrogate cut off", #"["\uD800\u"]"#), ("a surrogate and three digits", #"["\uD83D\uDE0"]"#),
    ]
    + (0..<0x20).map {
      ("the control character \($0)", "[\"\(Character(Unicode.Scalar(UInt8($0))))\"]")
    }

  private static let refusedBytes: [Case] = {
    let bad: [(String, [UInt8])] = [
      ("a lone continuation byte", [0x80]), ("an overlong slash", [0xC0, 0xAF]),
      ("an overlong NUL", [0xC0, 0x80]),
      ("an overlong euro", [0xF0, 0x82, 0x82, 0xAC]), ("two bytes cut off", [0xC3]),
      ("three bytes cut off", [0xE2, 0x82]), ("four bytes cut off", [0xF0, 0x9F, 0x98]),
      ("an encoded surrogate", [0xED, 0xA0, 0x80]),
      ("a pair of encoded surrogates", [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80]),
      ("beyond U+10FFFF", [0xF4, 0x90, 0x80, 0x80]), ("five bytes", [0xF8, 0x88, 0x80, 0x80, 0x80]),
      ("0xFF", [0xFF]), ("0xFE", [0xFE]), ("Latin-1", [0xE9]),
    ]
    let inside = bad.map { ($0.0, Array("[\"".utf8) + $0.1 + Array("\"]".utf8)) }
    let names = bad.map { ("\($0.0) in a name", Array("{\"".utf8) + $0.1 + Array("\":1}".utf8)) }
    let around: [Case] = [
      ("a stray byte after", Array("{}".utf8) + [0xE9]), ("UTF-16LE", [0x7B, 0, 0x7D, 0]),
      ("UTF-16BE", [0, 0x7B, 0, 0x7D]), ("UTF-16LE with its mark", [0xFF, 0xFE, 0x7B, 0, 0x7D, 0]),
      ("UTF-32", [0x7B, 0, 0, 0, 0x7D, 0, 0, 0]), ("gzip", [0x1F, 0x8B, 8, 0, 0, 0, 0, 0]),
      ("random bytes", (0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }),
    ]
    return inside + names + around
  }()

  /// Valid JSON texts, whatever the gateway thinks of their content.
  static let accepted: [Case] = texts(
    [
      ("null", "null"), ("true", "true"), ("false", " false "), ("a string", #""a""#),
      ("the empty string", #""""#),
      ("an array", "[]"), ("an object", "{}"), ("all white space", "\t\n\r [ \t\n\r ] \t\n\r "),
      ("an empty name", #"{"":0}"#), ("names that differ by case", #"{"a":1,"A":2}"#),
      ("names that differ in normalization", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
      ("a name of a NUL", #"{"\u0000":1}"#), ("names that begin alike", #"{"a":1,"a\u0000":2}"#),
      ("the simple escapes", #"["\"\\\/\b\f\n\r\t"]"#), ("an escaped NUL", #"["\u0000"]"#),
      ("escapes in both cases", #"["\u00e9\u00E9\uAbCd"]"#), ("an escaped pair", #"["\uD83D\uDE00"]"#),
      ("an escaped noncharacter", #"["\uFFFF\uFDD0"]"#), ("noncharacters", "[\"\u{FFFE}\u{10FFFF}\"]"),
      ("DEL", "[\"\u{7F}\"]"), ("C1 controls", "[\"\u{80}\u{9F}\"]"),
      ("a byte order mark in a string", "[\"\u{FEFF}\"]"),
      ("line separators in a string", "[\"\u{2028}\u{2029}\"]"),
      ("emoji", #"["👩‍👩‍👧‍👦🇩🇪"]"#),
      ("a slash", #"["/"]"#), ("backslashes", #"["\\u0041\\"]"#), ("a comment in a string", #"["/* */ //"]"#),
      ("64 arrays", String(repeating: "[", count: 64) + String(repeating: "]", count: 64)),
      ("10,000 elements", "[" + String(repeating: "0,", count: 9_999) + "0]"),
      ("1,000 names", "{" + (0..<1_000).map { "\"n\($0)\":\($0)" }.joined(separator: ",") + "}"),
      ("a long string", "\"" + String(repeating: "a", count: 200_000) + "\""),
      ("a name of 10,000 bytes", "{\"" + String(repeating: "a", count: 10_000) + "\":1}"),
    ]
      + [
        "0", "-0", "1", "-1", "10", "0.0", "-0.0", "1.5", "0.1", "1e0", "1E0", "1e+0", "1e-0", "0e1", "0E+1",
        "1.0e10",
        "123456789012345678901234567890", "-9223372036854775808", "9223372036854775808",
        "0.1234567890123456789",
        "1e-400", "2.2250738585072011e-308",
      ].map { ("the number \($0)", "[\($0)]") })

  /// Texts that RFC 8259 leaves to the parser.
  static let eitherWay: [Case] =
    texts([
      ("a byte order mark first", "\u{FEFF}{}"), ("a number beyond a double", "[1e400]"),
      ("a number far beyond", "[-1e9999999999999999999]"),
      ("a long number", "[" + String(repeating: "9", count: 100_000) + "]"),
      ("a long fraction", "[0." + String(repeating: "1", count: 100_000) + "]"),
      ("a long exponent", "[1e" + String(repeating: "9", count: 10_000) + "]"),
      ("a lone high surrogate", #"["\uD800"]"#), ("a lone low surrogate", #"["\uDC00"]"#),
      ("a pair the wrong way round", #"["\uDE00\uD83D"]"#), ("two high surrogates", #"["\uD800\uD800"]"#),
      ("a high surrogate and text", #"["\uD800abc"]"#), ("a high surrogate and an escape", #"["\uD800\n"]"#),
      ("a lone surrogate in a name", #"{"\uD800":1}"#),
    ]) + [("only a byte order mark", [0xEF, 0xBB, 0xBF]), ("half a byte order mark", [0xEF, 0xBB])]

  /// Strings that a push message may contain and that many programs mishandle.
  static let naughty: [String] = [
    " ", "\t\n\r", "\u{0}", "\u{1}\u{1F}\u{7F}\u{80}\u{9F}", "null", "undefined", "NaN", "true", "0", "-1",
    "1e999", "0x0",
    "١٢٣", "1;DROP TABLE users", "'; DROP TABLE notifications; --", "' OR '1'='1", "\"", "'", "\\", "\\\\",
    "\\\"", "\\n",
    "`", "%", "%s%s%s%n", "%d", "%@", "%1$s", "%%", "%(name)s", "{0}", "{{7*7}}", "${HOME}", "$(id)", "`id`",
    "#{1}", "<%= 1 %>",
    "<script>alert(1)</script>", "&lt;&#60;&amp;", "<![CDATA[ ]]>", "<!--", "-->", "../../etc/passwd",
    "..\\..\\", "file:///etc/passwd",
    "C:\\CON", "\r\nX-Injected: 1\r\n\r\n", "\u{1B}[31mred\u{1B}[0m", "\u{FEFF}", "\u{FFFE}", "\u{FFFF}",
    "\u{10FFFF}", "\u{200B}",
    "\u{200E}\u{200F}\u{202A}\u{202E}\u{2066}\u{2069}", "\u{2028}\u{2029}", "e\u{301}", "\u{E9}", "ﬀ", "ß",
    "İ", "ı", "ſ",
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢", "田中さん", "찦차를", "שָׁלוֹם", "مرحبا", "Ṱ̺̺̕o͞", "👾🙇💁", "👩‍👩‍👧‍👦",
    "🇺🇸🇷🇺", "🏳️‍⚧️", "1\u{20E3}",
    "𝕿𝖍𝖊", "\u{1D54}", "(╯°□°)╯︵ ┻━┻", String(repeating: "a", count: 100),
  ]
}
