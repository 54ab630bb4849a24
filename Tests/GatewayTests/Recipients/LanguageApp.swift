import JSON
import TestSupport

/// The catalog and the strings of an app with a topic by language.
struct LanguageApp {
  /// By path.
  let files: [String: String]
  /// Of the topic `news`.
  let languages: [String]
  /// Templates with args.
  let requests: [(template: String, args: JSON)]

  /// Three languages, two templates, and one that Android has in English only.
  static let plain = LanguageApp(
    files: [
      "res/values/strings.xml": """
      <resources><string name="k">%1$s wrote</string><string name="at">at %1$s</string></resources>
      """,
      "res/values-de/strings.xml": """
      <resources><string name="k">%1$s schrieb</string><string name="at">um %1$s</string></resources>
      """,
      "res/values-pt-rBR/strings.xml": #"<resources><string name="k">%1$s escreveu</string></resources>"#,
      "ios/en.lproj/Localizable.strings": #""ONLY" = "%@";"#,
      "ios/de.lproj/Localizable.strings": "", "ios/pt-BR.lproj/Localizable.strings": "",
      "catalog.yaml": """
      version: 1
      resources: {android: res, ios: ios, development_language: en}
      topics: {news: {by_language: [en, de, pt-BR]}}
      templates:
        plain: {params: {name: {type: string}}, body: {android: k, args: [name]}, fallback: {body: News.}}
        timed: {params: {at: {type: datetime, format: short}}, body: {android: at, args: [at]}}
        lacking: {params: {name: {type: string}}, body: {ios: ONLY, args: [name]}}
      """,
    ], languages: ["en", "de", "pt-BR"], requests: [])
}

extension LanguageApp {
  private static let folders = [
    "de": "values-de", "fr": "values-fr", "pl": "values-pl", "ar": "values-ar", "he": "values-iw",
    "ja": "values-ja", "pt-BR": "values-pt-rBR", "zh-Hant": "values-b+zh+Hant", "ru": "values-ru",
    "hi": "values-hi",
  ]

  /// Texts with two args, some of which phones cannot show.
  private static let texts = [
    "%1$s – %2$s", "%2$s: %1$s!", "%s, %s", "<b>%1$s</b> %2$s", "%2$s", "100 %% %1$s %2$s", "%1$d %2$s",
    "%1$s %3$s", "%y", "",
  ]

  /// A random app: texts that are missing or broken, plurals, variants and formats.
  init(seed: UInt64) {
    var random = Choices(seed: seed)
    languages = ["en"] + Self.folders.keys.sorted().shuffled(using: &random.generator).prefix(5)
    var files: [String: String] = [:]
    for language in languages {
      let (android, ios) = Self.strings(of: language, &random)
      let folder = Self.folders[language] ?? "values"
      files["res/\(folder)/strings.xml"] = "<resources>\n\(android)</resources>"
      files["ios/\(language).lproj/Localizable.strings"] = ios
    }
    var (templates, requests): (String, [(String, JSON)]) = ("", [])
    for number in 1...8 {
      templates += Self.template("t\(number)", &random)
      for count in [1, random.one(of: [0, 2, 5, 21, 12_345])] {
        let name = random.one(of: ["Bob", "Ωmega", "דנה", "%1$s", "\u{202E}x"])
        requests.append(
          ("t\(number)", ["name": .string(name), "count": JSON(count), "at": "2026-11-22T18:30:00Z"]))
      }
    }
    files["catalog.yaml"] = """
      version: 1
      resources: {android: res, ios: ios, development_language: en}
      topics: {news: {by_language: [\(languages.joined(separator: ", "))]}}
      templates:
      \(templates)
      """
    (self.files, self.requests) = (files, requests)
  }

  private static func strings(of language: String, _ random: inout Choices) -> (android: String, ios: String)
  {
    var (android, ios) = ("", "")
    for name in ["title", "body", "first"] {
      if language == "en" || random.happens(80) {
        let text = random.one(of: texts).replacing("<", with: "&lt;")
        android += "<string name=\"\(name)\">\(language) \(text)</string>\n"
      }
      if random.happens(80) {
        let text = random.one(of: texts).replacing("$s", with: "$@").replacing("%s", with: "%@")
        ios += "\"\(name.uppercased())\" = \"\(language) \(text)\";\n"
      }
    }
    if language == "en" || random.happens(80) {
      let forms = ["zero", "one", "two", "few", "many", "other"].filter {
        $0 == "other" || random.happens(70)
      }
      let items = forms.map { "<item quantity=\"\($0)\">\(language) \($0) %1$d</item>" }.joined()
      android += "<plurals name=\"count\">\(items)</plurals>\n"
    }
    return (android, ios)
  }

  private static func template(_ name: String, _ random: inout Choices) -> String {
    let format = random.one(of: ["format: number", "format: percent", "format: {currency: EUR}"])
    let isPlural = random.happens(40)
    let args = isPlural ? "[count]" : random.one(of: ["[name, count]", "[count, at]", "[name, at]"])
    let keys = isPlural ? "android: count, plural: count" : "android: body, ios: BODY"
    let variant = "{when: {count: 1}, android: first, ios: FIRST, args: [name, count]}"
    return """
        \(name):
          params:
            name: {type: string, bidi: \(random.one(of: ["none", "isolate"]))}
            count: {type: integer, \(format)}
            at: {type: datetime, format: \(random.one(of: ["short", "medium", "long"]))}
          \(random.happens(50) ? "title: {android: title, ios: TITLE, args: [name, count]}" : "")
          body: {\(keys), args: \(args)\(random.happens(50) ? ", variants: [\(variant)]" : "")}
          \(random.happens(80) ? "fallback: {title: News, body: Text}" : "")
          \(random.one(of: ["", "render: device", "render: gateway", "language: app"]))

      """
  }

  private struct Choices {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func one(of elements: [String]) -> String {
      elements.randomElement(using: &generator) ?? ""
    }

    mutating func one(of elements: [Int]) -> Int { elements.randomElement(using: &generator) ?? 0 }

    mutating func happens(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }
  }
}
