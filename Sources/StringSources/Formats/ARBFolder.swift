internal import AppStrings
internal import JSON
internal import YAML

/// A folder of Flutter's ARB files, read as `flutter gen-l10n` does.
struct ARBFolder: StringSource {
  private(set) var languages: [SourceStrings.Language] = []
  private(set) var sourceLanguage: LocaleTag?
  private(set) var problems: [ResourceProblem] = []
  private var settings: FlutterLocalization

  var places: [String] { [settings.folder] + [settings.file].compactMap(\.self) }

  init(_ path: String) {
    settings = FlutterLocalization(of: path)
    problems = settings.problems
    let folder = settings.folder
    var declared: [String: LocaleTag] = [:]
    var contents: [String: ARBContent] = [:]
    var own: [ResourceProblem] = []
    let files = SourceFiles(folder: folder, suffix: ".arb") { name in
      let path = "\(folder)/\(name)"
      let content = ARBContent(path, &own)
      contents[path] = content
      let locale = content.locale.flatMap { SourceFiles.locale($0) } ?? Self.locale(inName: name)
      declared[name] = locale
      return locale
    }
    problems += files.problems + own
    for file in files.files {
      guard let content = contents[file.path] else { continue }
      problems += SourceFiles.duplicates(content.duplicates, in: file.path, file.locale)
      languages.append(language(content, file))
    }
    sourceLanguage = declared[settings.templateFile]
  }

  private func language(_ content: ARBContent, _ file: SourceFiles.File) -> SourceStrings.Language {
    var entries: [ExactText: SourceStrings.Entry] = [:]
    for text in content.texts {
      entries[ExactText(text.key)] = SourceStrings.Entry(
        key: text.key, file: file.path, line: text.line,
        content: ICUMessageParser.parse(text.text, usesEscaping: settings.usesEscaping))
    }
    return SourceStrings.Language(locale: file.locale, entries: entries)
  }

  /// The language at the end of a name such as `app_pt_BR.arb`, or the whole name. A first subtag of two
  /// letters is a language; of three, only what Flutter has translations for.
  private static func locale(inName name: String) -> LocaleTag? {
    let stem = String(name.dropLast(".arb".count))
    var rest = stem[...]
    while true {
      let first = rest.prefix { $0 != "_" && $0 != "-" }
      if first.utf8.count == 2 || ["fil", "gsw"].contains(first), let tag = LocaleTag(String(rest)) {
        return tag
      }
      guard let next = rest.firstIndex(of: "_") else { return nil }
      rest = rest[rest.index(after: next)...]
    }
  }
}

/// The members of an ARB file that are texts.
private struct ARBContent {
  /// `@@locale`.
  private(set) var locale: String?
  private(set) var texts: [(key: String, text: String, line: Int)] = []
  private(set) var duplicates: [JSONCursor.Duplicate] = []

  init(_ file: String, _ problems: inout [ResourceProblem]) {
    let options = JSON.ParseOptions(lastDuplicateWins: true)
    let content = SourceFiles.json(file, nil, options, &problems) { cursor throws(JSONParseError) in
      var content = ARBContent()
      try cursor.readObject { cursor, key, line throws(JSONParseError) in
        if key == "@@locale" { content.locale = try cursor.readString() }
        // What describes a text, or the file.
        guard !key.hasPrefix("@") else { return }
        if let text = try cursor.readString() { content.texts.append((key, text, line)) }
      }
      content.duplicates = cursor.duplicates.filter { !$0.key.hasPrefix("@") }
      return content
    }
    self = content ?? ARBContent()
  }

  private init() {}
}

/// What a project's `l10n.yaml` says about its ARB files.
private struct FlutterLocalization {
  private(set) var folder: String
  /// The file from which the others are translated.
  private(set) var templateFile = "app_en.arb"
  private(set) var usesEscaping = false
  private(set) var problems: [ResourceProblem] = []
  private(set) var file: String?

  /// The folders above one of ARB files in which `l10n.yaml` can be.
  private static let levelsMax = 4

  init(of path: String) {
    folder = path
    var place = path
    for level in 0...Self.levelsMax {
      let file = "\(place)/l10n.yaml"
      if ResourceFile.size(of: file) != nil {
        self.file = file
        read(file, in: place, isNamed: level == 0)
        return
      }
      place += "/.."
    }
  }

  private mutating func read(_ file: String, in root: String, isNamed: Bool) {
    guard let bytes = SourceFiles.read(file, &problems) else { return }
    let collector = ProblemCollector(file: file)
    let node = YAML.parse(bytes, problems: collector)
    problems += collector.problems.map {
      ResourceProblem(kind: .unparsable, file: file, line: $0.line, FindingText(.yaml, [$0.message]))
    }
    templateFile = node?["template-arb-file"]?.scalar?.text ?? templateFile
    usesEscaping = node?["use-escaping"]?.scalar?.text == "true"
    // The folder of the project stands for that of its texts.
    if isNamed { folder = "\(root)/\(node?["arb-dir"]?.scalar?.text ?? "lib/l10n")" }
  }
}
