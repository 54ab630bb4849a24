internal import AppStrings
internal import JSON
internal import LocaleRules

/// JSON files of i18next (JSON v4), one for each language.
struct I18nextFiles: StringSource {
  private(set) var languages: [SourceStrings.Language] = []
  let sourceLanguage: LocaleTag? = nil
  private(set) var problems: [ResourceProblem] = []
  let places: [String]

  /// How deep objects may nest in a file.
  private static let depthMax = 32

  private struct Text {
    let text: String
    let line: Int
  }

  init(_ pattern: String) {
    places = [SourceFiles.folder(of: pattern)]
    let files = SourceFiles(pattern: pattern)
    problems = files.problems
    let name = pattern.split(separator: "/").last.map(String.init) ?? ""
    let namespace = name.contains("{") || !name.hasSuffix(".json") ? nil : String(name.dropLast(5))
    let options = JSON.ParseOptions(depthMax: Self.depthMax, lastDuplicateWins: true)
    for file in files.files {
      let content = SourceFiles.json(file.path, file.locale, options, &problems) {
        cursor throws(JSONParseError) -> ([ExactText: Text], [JSONCursor.Duplicate]) in
        var texts: [ExactText: Text] = [:]
        try Self.add(&cursor, "", &texts)
        return (texts, cursor.duplicates)
      }
      guard let (texts, duplicates) = content else { continue }
      problems += SourceFiles.duplicates(duplicates, in: file.path, file.locale)
      languages.append(Self.language(texts, file, namespace: namespace))
    }
  }

  /// Adds the texts of an object, whose keys begin with `prefix`.
  private static func add(
    _ cursor: inout JSONCursor, _ prefix: String, _ texts: inout [ExactText: Text]
  ) throws(JSONParseError) {
    var found = texts
    try cursor.readObject { cursor, key, line throws(JSONParseError) in
      let path = prefix + key
      if cursor.isAtObject {
        try add(&cursor, "\(path).", &found)
      } else if let text = try cursor.readString() {
        found[ExactText(path)] = Text(text: text, line: line)
      }
    }
    texts = found
  }

  private static func language(
    _ texts: [ExactText: Text], _ file: SourceFiles.File, namespace: String?
  ) -> SourceStrings.Language {
    var entries: [ExactText: SourceStrings.Entry] = [:]
    var plurals: [ExactText: [(name: String, text: Text)]] = [:]
    func add(_ key: String, _ line: Int, _ content: Result<SourceMessage, SourceTextError>) {
      let entry = SourceStrings.Entry(key: key, file: file.path, line: line, content: content)
      entries[ExactText(key)] = entry
      // `push:title` is the key `title` of the namespace `push`.
      if let namespace { entries[ExactText("\(namespace):\(key)")] = entry }
    }
    for (key, text) in texts {
      add(key.text, text.line, parse(text.text).map { SourceMessage($0) })
      guard let end = key.text.lastIndex(of: "_") else { continue }
      let category = String(key.text[key.text.index(after: end)...])
      guard PluralCategory(rawValue: category) != nil else { continue }
      plurals[ExactText(String(key.text[..<end])), default: []].append((category, text))
    }
    for (key, forms) in plurals {
      let plain = texts[key].map { [(name: "", text: $0)] } ?? []
      let all = plain + forms.sorted { $0.text.line < $1.text.line }
      let content = Result { () throws(SourceTextError) -> SourceMessage in
        var made: [SourcePlural.Form] = []
        for form in all { made.append(.init(name: form.name, parts: try parse(form.text.text).get())) }
        return SourceMessage([.plural(number: nil, SourcePlural(rule: .i18next, forms: made))])
      }
      add(key.text, all.first?.text.line ?? 1, content)
    }
    return SourceStrings.Language(locale: file.locale, entries: entries)
  }

  /// The parts of a text with `{{name}}`.
  private static func parse(_ text: String) -> Result<[SourceMessage.Part], SourceTextError> {
    Result { () throws(SourceTextError) in
      if text.contains("$t(") {
        throw SourceTextError(FindingText(.insertsText), help: FindingText(.writeOut))
      }
      var scanner = try PlaceholderScanner(text)
      while scanner.mark("{") != nil {
        guard let written = scanner.pass(from: "{{", to: "}}") else {
          scanner.keep()
          continue
        }
        let name = written[...].trimming
        if let comma = name.firstIndex(of: ",") {
          throw SourceTextError(
            FindingText(.hasFormat, ["{{\(name)}}"]),
            help: FindingText(.writeWithFormat, ["{{\(name[..<comma])}}"]))
        }
        // `{{- name}}` is not escaped for HTML, and neither is anything else here.
        scanner.add(.argument(String(name.hasPrefix("-") ? name.dropFirst().trimming : name)))
      }
      return scanner.parts()
    }
  }
}

extension Substring {
  fileprivate var trimming: Substring {
    let start = drop(while: \.isWhitespace)
    return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? start.prefix(0)
  }
}
