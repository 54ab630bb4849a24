@testable import AppStrings
import Testing

/// The Gradle plugin's rules for the text of a string, one at a time.
@Suite struct AndroidTextTests {
  private static let texts: [(String, String)] = [
    // White space.
    ("  a  ", "a"), ("a \t\n b", "a b"), ("\n  two\n  lines\n", "two lines"),
    ("a\u{A0} \u{2028}b", "a\u{A0} b"), ("a\u{2003}\u{3000}b", "a b"), ("\u{2009}a\u{205F}", "a"),
    ("a\u{202F}\u{2007}b ", "a\u{202F}\u{2007}b"),
    ("", ""), ("   ", ""), ("a\\n b", "a\n b"), (" \\n a", "\n a"), ("a\\n ", "a\n"), ("&#32;a&#32;", "a"),
    ("&#160;a", "\u{A0}a"), ("\\u0020a\\u0020", " a "),
    // Quotes.
    ("\"  a  b  \"", "  a  b  "), (" \" a\" ", " a"), ("a\"b  c\"d", "ab  cd"), ("\"it's\"", "it's"),
    ("\"a\nb\"", "a\nb"), ("\"a\tb\"", "a\tb"), ("\"open  quote", "open  quote"), ("\"\"", ""),
    ("&quot;a  b&quot;", "a  b"), ("a \" \" b", "a   b"),
    ("   before \"  in  \" after   ", " before   in   after "), ("a\"b\" ", "ab"), (" \"a\" b ", "a b "),
    ("  a \"b\" ", " a b"), (" \"\" ", ""),
    // Escapes.
    ("\\t\\n\\#\\@\\?\\\"\\'\\\\", "\t\n#@?\"'\\"), ("\\q\\é\\ x", "qé x"), ("a\\", "a"), ("a\\ ", "a "),
    ("a\\uD83D\\uDE00b", "a😀b"),
    ("\\u00e9\\u4F60", "é你"), ("x\\u41", "xA"), ("\\\\n", "\\n"), ("\\&lt;", "<"),
    ("\\@string/x", "@string/x"), ("\\?x", "?x"),
    // CDATA, entities, comments.
    ("<![CDATA[<b>&amp;</b>]]>", "<b>&amp;</b>"), ("<![CDATA[ a\\n ]]>", "a\n"), ("x<![CDATA[ ]]>y", "x y"),
    ("&lt;b&gt;", "<b>"), ("&amp;amp;", "&amp;"), ("&#x1F600;&#65;", "😀A"), ("a<!-- c -->b", "ab"),
    ("a <!-- c --> b", "a b"), ("a<?pi x?>b", "ab"),
    // Markup: the tags are removed; the text and the white space at its ends stay.
    ("<b>a</b>", "a"), (" <b> a </b> ", "  a  "), ("a<a href=\"x\"><i>b</i></a>c", "abc"), ("a<br/>b", "ab"),
    ("\"a  <b>b  c</b>", "a  b c"), ("a <b> b</b>", "a  b"), ("a\\<b>n</b>", "an"),
    // xliff:g is not a span: white space collapses across it and ends are trimmed.
    (" <xliff:g id=\"n\">%1$s</xliff:g> new ", "%1$s new"), ("a <xliff:g> b</xliff:g>", "a b"),
    ("a <xliff:x> b</xliff:x>", "a b"), ("\"a <xliff:g>  b</xliff:g>\"", "a   b"),
    ("a\\<xliff:g>n</xliff:g>", "a\n"), ("<xliff:g> a </xliff:g> ", " a "),
    ("a\\<xliff:g> b</xliff:g>", "a b"),
    ("@foo", "@foo"), ("@", "@"), ("?", "?"), ("@foo/bar", "@foo/bar"), ("a@string/x", "a@string/x"),
    ("\"@string/x\"", "@string/x"), ("@+string/x", "@+string/x"), ("@null", ""), (" @empty ", ""),
  ]

  @Test(arguments: texts) func readsTheTextAsTheGradlePlugin(inner: String, text: String) throws {
    let result = try androidText(inner)
    #expect(result.text?.unicodeScalars.elementsEqual(text.unicodeScalars) == true, "\(result.text ?? "nil")")
    #expect(result.kinds == [])
  }

  @Test(arguments: [
    ("it's", "it's"), ("\"a\" it's", "a it's"), ("<b>\"</b>it's", "it's"), ("\\u12xyz", "xyz"),
    ("\\uD83Dx\\uXX", "?xXX"),
    ("<xliff:g>a<xliff:g>b</xliff:g></xliff:g>", "ab"), ("?text", "?text"), ("??", "??"),
    ("?attr/x", "?attr/x"),
    ("a & b", "a & b"), ("a&nbsp;b", "a&nbsp;b"), ("a ]]> b", "a ]]> b"), ("a\u{1}b", "ab"), ("a&#1;b", "ab"),
    ("a<nope:x>b</nope:x>", "ab"), ("a<!-- -- -->b", "ab"),
  ])
  func keepsAndReportsWhatAapt2Rejects(inner: String, text: String) throws {
    let result = try androidText(inner)
    #expect(result.text == text)
    #expect(result.kinds.contains(.unparsable))
  }

  @Test(arguments: [
    ("a\\uD83Db", "a?b"), ("a\\uDE00\\uD83Db", "a??b"), ("a\\uD83D\\uD83D\\uDE00", "a?😀"),
    ("@drawable/icon", "@drawable/icon"), ("@+id/x", "@+id/x"), ("a\\u", "a\0"),
  ])
  func reportsSuspiciousTexts(inner: String, text: String) throws {
    let result = try androidText(inner)
    #expect(result.text == text)
    #expect(result.kinds == [.suspicious])
  }

  @Test(arguments: [
    ("a<other:x>b</other:x>", "ab"), ("@android:string/ok", "@android:string/ok"),
    ("@string/missing", "@string/missing"), ("@@string/missing", "@@string/missing"),
    ("@*string/missing", "@*string/missing"), ("@com.x:string/missing", "@com.x:string/missing"),
  ])
  func remarksOnUnusualTexts(inner: String, text: String) throws {
    let result = try androidText(inner)
    #expect(result.text == text)
    #expect(result.kinds == [.remark])
  }

  @Test func reportsAProblemOfATextOnceAtItsLine() throws {
    let resources = try readAndroid(["values/s.xml": "\n\n<string\n name=\"k\">it's 'so'</string>"])
    let problem = try #require(resources.problems.first)
    #expect(resources.problems.count == 1)
    #expect(problem.line == 3)
    #expect(problem.key == "k")
    #expect(problem.table == "default")
    #expect(problem.message.contains("apostrophe"))
  }
}
