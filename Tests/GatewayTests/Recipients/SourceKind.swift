/// The kinds of sources, with an app of each that has the same texts.
enum SourceKind: String, CaseIterable, Sendable {
  case arb, i18next, compose, gettext

  /// What the template `new` shows, by language and number.
  static let texts: [String: [Int: String]] = [
    "en": [1: "One from Bob", 3: "3 from Bob", 100: "100 from Bob"],
    "de": [1: "Eins von Bob", 3: "3 von Bob: 100%", 100: "100 von Bob: 100%"],
    "ar": [1: "واحدة من Bob", 3: "3 رسائل من Bob", 100: "100 رسالة من Bob"],
  ]

  /// The text for each category of each language, and one without args that Arabic lacks.
  private static let forms: [(language: String, forms: [(name: String, text: String)], plain: String?)] = [
    ("en", [("one", "One from WHO"), ("other", "COUNT from WHO")], "Some"),
    ("de", [("one", "Eins von WHO"), ("other", "COUNT von WHO: 100%")], "Etwas"),
    (
      "ar",
      [
        ("zero", "لا رسائل"), ("one", "واحدة من WHO"), ("two", "رسالتان"), ("few", "COUNT رسائل من WHO"),
        ("many", "COUNT رسالة من WHO"), ("other", "COUNT رسالة من WHO"),
      ], nil
    ),
  ]

  private static let pluralForms = [
    "en": "nplurals=2; plural=n!=1;", "de": "nplurals=2; plural=n!=1;",
    "ar":
      "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;",
  ]

  private var key: String { self == .gettext ? "One from %(who)s" : "new" }
  private var plainKey: String { self == .gettext ? "Some" : "some" }

  func catalog(top: String) -> String {
    let place =
      switch self {
      case .arb, .compose: "l10n"
      case .i18next: "l10n/{locale}.json"
      case .gettext: "l10n/{locale}.po"
      }
    let plural = self == .arb ? "" : ", plural: count"
    return """
      version: 1
      resources: {android: res, ios: ios, development_language: en, sources: [{\(rawValue): "\(place)"}]}
      \(top)templates:
        new:
          params: {count: {type: integer}, who: {type: string}}
          body: {key: "\(key)", args: [count, who]\(plural)}
          fallback: {body: News}
        some: {params: {count: {type: integer}, who: {type: string}}, body: {key: \(plainKey)}, fallback: {body: News}}

      """
  }

  var files: [String: String] {
    var files = ["res/values/strings.xml": "<resources><string name=\"app\">App</string></resources>"]
    for (language, forms, plain) in Self.forms {
      files["ios/\(language).lproj/InfoPlist.strings"] = "\"A\" = \"b\";"
      let (name, text) = file(language, forms, plain)
      files["l10n/\(name)"] = text
    }
    return files
  }

  private func file(
    _ language: String, _ forms: [(name: String, text: String)], _ plain: String?
  ) -> (name: String, text: String) {
    func written(_ text: String) -> String {
      switch self {
      case .arb: text.replacing("COUNT", with: "{count}").replacing("WHO", with: "{who}")
      case .i18next: text.replacing("COUNT", with: "{{count}}").replacing("WHO", with: "{{who}}")
      case .compose: text.replacing("COUNT", with: "%1$d").replacing("WHO", with: "%2$s")
      case .gettext:
        text.replacing("%", with: "%%").replacing("COUNT", with: "%(count)d").replacing(
          "WHO", with: "%(who)s")
      }
    }
    let texts = forms.map { (name: $0.name, text: written($0.text)) }
    switch self {
    case .arb:
      let cases = texts.map { "\($0.name){\($0.text)}" }.joined()
      let some = plain.map { ", \"some\": \"\($0)\"" } ?? ""
      return ("app_\(language).arb", "{\"new\": \"{count, plural, \(cases)}\"\(some)}")
    case .i18next:
      let members =
        texts.map { "\"new_\($0.name)\": \"\($0.text)\"" } + (plain.map { ["\"some\": \"\($0)\""] } ?? [])
      return ("\(language).json", "{\(members.joined(separator: ", "))}")
    case .compose:
      let items = texts.map { "<item quantity=\"\($0.name)\">\($0.text)</item>" }.joined()
      let some = plain.map { "<string name=\"some\">\($0)</string>" } ?? ""
      let folder = language == "en" ? "values" : "values-\(language)"
      return ("\(folder)/s.xml", "<resources><plurals name=\"new\">\(items)</plurals>\(some)</resources>")
    case .gettext:
      let forms = texts.enumerated().map { "msgstr[\($0)] \"\($1.text)\"\n" }.joined()
      let some = plain.map { "\nmsgid \"Some\"\nmsgstr \"\($0)\"\n" } ?? ""
      return (
        "\(language).po",
        """
        msgid ""
        msgstr "Plural-Forms: \(Self.pluralForms[language] ?? "")\\n"

        #, python-format
        msgid "One from %(who)s"
        msgid_plural "%(count)d from %(who)s"
        \(forms)\(some)
        """
      )
    }
  }
}
