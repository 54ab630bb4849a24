internal import AppStrings
internal import JSON

/// gettext's `.po` files, one for each language. A key is the `msgid`; one with a context is also
/// `CONTEXT|MSGID`, and as in `.mo` files, with U+0004 between.
struct GettextFiles: StringSource {
  private(set) var languages: [SourceStrings.Language] = []
  let sourceLanguage: LocaleTag?
  private(set) var problems: [ResourceProblem] = []
  let places: [String]

  /// `language` is that of the `msgid`s.
  init(_ pattern: String, language: LocaleTag?) {
    sourceLanguage = language
    places = [SourceFiles.folder(of: pattern)]
    let files = SourceFiles(pattern: pattern)
    problems = files.problems
    var read: [(file: SourceFiles.File, content: GettextFile)] = []
    for file in files.files {
      guard let bytes = SourceFiles.read(file.path, &problems) else { continue }
      let content = GettextFile(bytes, file: file.path, table: file.locale.description)
      problems += content.problems
      read.append((file, content))
    }
    for (file, content) in read {
      let entries = content.messages.compactMap { message in
        entry(message, content, file.path, isSource: file.locale == language)
      }
      languages.append(.init(locale: file.locale, entries: Self.byKey(entries)))
    }
    // Without a file of its own, the source language has the texts in the code.
    if let language, !read.isEmpty, !languages.contains(where: { $0.locale == language }) {
      let own = read.flatMap { file, content in
        content.messages.compactMap { message in
          entry(message.withoutTranslation, content, file.path, isSource: true)
        }
      }
      languages.append(.init(locale: language, entries: Self.byKey(own)))
    }
  }

  private static func byKey(
    _ entries: [(message: GettextFile.Message, entry: SourceStrings.Entry)]
  ) -> [ExactText: SourceStrings.Entry] {
    var known: [ExactText: SourceStrings.Entry] = [:]
    for (message, entry) in entries where message.context == nil { known[ExactText(message.id)] = entry }
    for (message, entry) in entries {
      guard let context = message.context else { continue }
      for key in ["\(context)\u{4}\(message.id)", "\(context)|\(message.id)", message.id]
      where known[ExactText(key)] == nil {
        known[ExactText(key)] = entry
      }
    }
    return known
  }

  /// Nil for a message without a translation.
  private func entry(
    _ message: GettextFile.Message, _ content: GettextFile, _ file: String, isSource: Bool
  ) -> (message: GettextFile.Message, entry: SourceStrings.Entry)? {
    let isEmpty = message.isFuzzy || message.texts.first?.text.isEmpty ?? true
    guard !isEmpty || isSource else { return nil }
    let rule = isEmpty ? .germanic : content.expression
    let made = Result { () throws(SourceTextError) in
      SourceMessage(try Self.parts(isEmpty ? message.withoutTranslation : message, rule))
    }
    return (message, SourceStrings.Entry(key: message.id, file: file, line: message.line, content: made))
  }

  /// The parts of a message's translation, or of its own texts if it has none.
  private static func parts(
    _ message: GettextFile.Message, _ rule: PluralExpression
  ) throws(SourceTextError) -> [SourceMessage.Part] {
    let syntax = GettextPlaceholders(flags: message.flags, id: message.id)
    guard let plural = message.plural else {
      return try syntax.parts(message.texts.first?.text ?? message.id)
    }
    let texts =
      message.texts.isEmpty
      ? [message.id, plural].enumerated().map { (index: $0, text: $1) }
      : message.texts.filter { !$0.text.isEmpty }
    var forms: [SourcePlural.Form] = []
    for (index, text) in texts {
      forms.append(SourcePlural.Form(name: "\(index)", parts: try syntax.parts(text)))
    }
    guard rule.fitsClasses else { throw rareRule }
    return [.plural(number: nil, SourcePlural(rule: .expression(rule), forms: forms))]
  }

  private static let rareRule = SourceTextError(
    FindingText(.rareRule), help: FindingText(.usualRule))
}

/// How a message names its args, by the flags that xgettext gives it.
private struct GettextPlaceholders {
  private let hasPercents: Bool
  private let hasBraces: Bool

  init(flags: Set<String>, id: String) {
    let formats = flags.filter { $0.hasSuffix("-format") && !$0.hasPrefix("no-") }
    hasBraces = formats.contains("python-brace-format")
    hasPercents = formats.contains { !$0.contains("brace") } || id.contains(/%\(\w+\)[a-z]/)
  }

  /// The parts of a text: `%(name)s`, in a format of C's kind also `%s`, `%1$s` and `%%`, in Python's other
  /// format `{name}` and `{{`.
  func parts(_ text: String) throws(SourceTextError) -> [SourceMessage.Part] {
    var scanner = try PlaceholderScanner(text)
    var next = 0
    func position(_ number: Int?) -> SourceMessage.Part {
      if let number { return .position(number) }
      next += 1
      return .position(next - 1)
    }
    while let mark = scanner.mark(hasBraces ? "%{}" : "%") {
      if mark == "%" {
        if hasPercents, scanner.pass("%%") { scanner.add("%") } else { try percent(&scanner, position) }
      } else if scanner.pass("{{") || scanner.pass("}}") {
        scanner.add("\(mark)")
      } else if let name = scanner.pass(from: "{", to: "}") {
        guard name.utf8.allSatisfy(\.isWord) else {
          throw Self.format("{\(name)}", instead: "{\(name.prefix { $0.utf8.first?.isWord ?? false })}")
        }
        let number = name.utf8.count <= 3 ? Int(name) : nil
        scanner.add(name.isEmpty ? position(nil) : number.map { position($0) } ?? .argument(name))
      } else {
        scanner.keep()
      }
    }
    return scanner.parts()
  }

  private func percent(
    _ scanner: inout PlaceholderScanner, _ position: (Int?) -> SourceMessage.Part
  ) throws(SourceTextError) {
    let name = scanner.pass(from: "%(", to: ")")
    if name == nil { _ = scanner.pass("%") }
    let start = name.map { "%(\($0))" } ?? "%"
    guard name != nil || hasPercents, let syntax = scanner.printf() else {
      // Python's `%(name)r`.
      if name != nil, let letter = scanner.letter {
        throw Self.format("\(start)\(letter)", instead: "\(start)s")
      }
      return scanner.add(start)
    }
    let written = scanner.pass(syntax)
    guard !syntax.hasFormat, "diusS@".utf8.contains(syntax.letter) else {
      throw Self.format("\(start)\(written)", instead: "\(start)s")
    }
    if let name { return scanner.add(.argument(name)) }
    if case .explicit(let number) = syntax.numbering { return scanner.add(position(number - 1)) }
    scanner.add(position(nil))
  }

  private static func format(_ written: String, instead: String) -> SourceTextError {
    SourceTextError(
      FindingText(.hasFormat, [written]), help: FindingText(.writeWithFormat, [instead]))
  }
}

extension UInt8 {
  /// Whether it is a letter, a digit or `_`, or part of another character than ASCII's.
  fileprivate var isWord: Bool { self >= 0x80 || isASCIIAlphanumeric || self == UInt8(ascii: "_") }
}
