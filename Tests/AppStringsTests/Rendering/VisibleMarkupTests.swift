import Testing

@testable import AppStrings

/// What readers see that was meant for a program.
@Suite struct VisibleMarkupTests {
  @Test(arguments: [
    ("<b>%1$s</b> sent", "<b>"), ("a <a href=\"x\">file</a>", "<a href=\"x\">"), ("Hi<br/>%1$s", "<br/>"),
    ("Hi<br>you", "<br>"), ("see</a>", "</a>"), ("<font color='red'>x", "<font color='red'>"),
    ("<0>link</0>", "<0>"), ("<BR />", "<BR />"), ("<!-- note -->", "<!--"), ("<![CDATA[x]]>", "<![CDATA["),
    ("Hi [b]%1$s[/b]", "[b]"), ("[url=x]y[/url]", "[url=x]"),
  ])
  func findsTags(text: String, found: String) {
    let markup = VisibleMarkup(in: text)
    #expect(markup?.kind == .tag)
    #expect(markup?.text == found)
  }

  @Test(
    arguments: [
      ("Tom &amp; %1$s", "&amp;", "&"), ("&quot;x&quot;", "&quot;", "\""), ("It&#39;s", "&#39;", "'"),
      ("%1$s&nbsp;h", "&nbsp;", "\u{A0}"), ("&#x2019;", "&#x2019;", "’"), ("&Eacute;", "&Eacute;", nil),
    ] as [(String, String, Unicode.Scalar?)])
  func findsEntities(text: String, found: String, character: Unicode.Scalar?) {
    let markup = VisibleMarkup(in: text)
    #expect(markup?.kind == .entity(character))
    #expect(markup?.text == found)
  }

  @Test(arguments: [
    (#"Hi %1$s\nNew"#, #"\n"#), (#"%1$s\u2019s"#, #"\u2019"#), (#"\'%1$s\'"#, #"\'"#),
    (#"say \"x\""#, #"\""#),
    (#"a\tb"#, #"\t"#), (#"\U0001"#, #"\U0001"#),
  ])
  func findsEscapes(text: String, found: String) {
    let markup = VisibleMarkup(in: text)
    #expect(markup?.kind == .escape)
    #expect(markup?.text == found)
  }

  @Test(arguments: [
    ("Hi {name}, %1$s", "{name}"), ("Hi {{name}} x", "{{name}}"), ("Hi {{ user.name }}", "{{ user.name }}"),
    ("Hi ${name}", "${name}"), ("#{name} wrote", "#{name}"), ("{0} wrote", "{0}"),
    ("{n, plural, one {x} other {y}}", "{n, plural"), ("{who,select,other{x}}", "{who,select"),
  ])
  func findsPlaceholdersOfOtherSystems(text: String, found: String) {
    let markup = VisibleMarkup(in: text)
    #expect(markup?.kind == .placeholder)
    #expect(markup?.text == found)
  }

  @Test(arguments: [
    "a < b and b > a", "I <3 you", "</3", "<unknown>", "From <no subject>", "AT&T; R&D;", "Q&A", "a & b;",
    "Tom &Jerry", #"C:\new\table"#, #"\\server\new"#, #"¯\_(ツ)_/¯"#, #"a\b"#, "{}", "{ }", "{…}", "[1]",
    "[b]",
    "{a b}", "{\"a\": 1}", "https://a.b/?x=1&y=2", "%1$s <%2$s>", "[Draft] x", "", "{,}", "&;", "\\", "<",
    "{",
    "&#;", "[b", "5 > 3", "every <br> is a line",
  ])
  func seesNoneInOtherTexts(text: String) { #expect(VisibleMarkup(in: text) == nil) }

  @Test func quotesAtMostFortyCharacters() {
    let tag = "<a href=\"" + String(repeating: "x", count: 100) + "\">"
    #expect(VisibleMarkup(in: tag)?.text.count == 40)
  }
}
