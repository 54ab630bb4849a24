import FCMMessage
import Testing

@testable import AppStrings

/// Android values files that Dragoman writes, read as the build reads them.
@Suite struct GeneratedAndroidFileTests {
  private func read(_ texts: [String]) throws -> (texts: [String: String], problems: [ResourceProblem]) {
    let generated = texts.enumerated().map {
      GeneratedText(key: "k\($0)", text: $1, language: "default", origin: "k")
    }
    let bytes = GeneratedFile.android(generated)
    let resources = try readAndroid(documents: ["values/x.xml": String(decoding: bytes, as: UTF8.self)])
    return (resources.texts("default"), resources.problems)
  }

  @Test func everyTextIsReadAsItWasWritten() throws {
    let texts = [
      "plain", "it's \"quoted\" \\ back", " spaces  at   ends ", "\n\tbreaks\r\n", "@string/x", "?attr",
      "a@b?c", "<b>&amp;</b>",
      "%1$s %%", "\u{2003}em\u{3000}\u{2028}", "\u{A0}no-break", "\u{1}\u{1F}\u{7F}", "שלום 😀 \u{200F}",
      "\u{FEFF}x", "]]>",
      "\\u0041", "\\n", "x\\", "", "\u{FFFE}", "\"", "'", "--",
    ]
    let (read, problems) = try read(texts)
    for (index, text) in texts.enumerated() {
      #expect(Array((read["k\(index)"] ?? "-").unicodeScalars) == Array(text.unicodeScalars), "\(index)")
    }
    #expect(problems.filter { $0.kind != .remark } == [])
  }

  @Test func randomTextsAreReadAsTheyWereWritten() throws {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array(" \t\n\\'\"@?<>&%$su0041;]#\u{A0}\u{2003}\u{200B}é😀".unicodeScalars)
    let texts = (0..<300).map { _ in
      let count = Int.random(in: 0...12, using: &generator)
      let scalars = (0..<count).compactMap { _ in alphabet.randomElement(using: &generator) }
      return String(String.UnicodeScalarView(scalars))
    }
    let (read, _) = try read(texts)
    for (index, text) in texts.enumerated() {
      #expect(Array((read["k\(index)"] ?? "-").unicodeScalars) == Array(text.unicodeScalars), "\(text)")
    }
  }

  @Test func aKeyIsEscapedAndMayBeUntranslatable() {
    let text = GeneratedText(key: "a\"<b", text: "x", language: "", origin: "a", isTranslatable: false)
    let file = String(decoding: GeneratedFile.android([text]), as: UTF8.self)
    #expect(file.contains(#"  <string name="a&quot;&lt;b" translatable="false">x</string>"#))
  }
}
