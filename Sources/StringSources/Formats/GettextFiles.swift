internal import AppStrings
internal import JSON

/// gettext's `.po` files, one for each language. A key is the `msgid`; one with a context is also
/// `CONTEXT|MSGID`, and as in `.mo` files, with U+0004 between.
struct GettextFiles: StringSource {
  private(set) var languages: [SourceStrings.Language] = []
  let sourceLanguage: LocaleTag?
  private(set) var problems: [ResourceProblem] = []

  /// `language` is that of the `msgid`s.
  init(_ pattern: String, language: LocaleTag?) {
    sourceLanguage = language
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
    let syntax = GettextPlaceholders(flags: message.flags, id: message.id)
    let parts: [SourceMessage.Part]
    if let plural = message.plural {
      let texts =
        isEmpty
        ? [message.id, plural].enumerated().map { (index: $0, text: $1) }
        : message.texts.filter { !$0.text.isEmpty }
      let forms = texts.map { SourcePlural.Form(name: "\($0.index)", parts: syntax.parts($0.text)) }
      let rule = isEmpty ? .germanic : content.expression
      guard rule.fitsClasses else {
        return (message, made(message, file, .failure(Self.rareRule)))
      }
      parts = [.plural(number: nil, SourcePlural(rule: .expression(rule), forms: forms))]
    } else {
      parts = syntax.parts(isEmpty ? message.id : message.texts.first?.text ?? "")
    }
    return (message, made(message, file, .success(SourceMessage(parts))))
  }

  private func made(
    _ message: GettextFile.Message, _ file: String, _ content: Result<SourceMessage, SourceTextError>
  ) -> SourceStrings.Entry {
    SourceStrings.Entry(key: message.id, file: file, line: message.line, content: content)
  }

  private static let rareRule = SourceTextError(
    "The Plural-Forms of the file tell numbers apart that CLDR's rules do not, so no key can stand for a form.",
    help: "Use the Plural-Forms that gettext has for the language.")
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
  func parts(_ text: String) -> [SourceMessage.Part] {
    var parts: [SourceMessage.Part] = []
    var literal = ""
    var next = 0
    func flush() {
      if !literal.isEmpty { parts.append(.text(literal)) }
      literal = ""
    }
    var rest = text[...]
    while let character = rest.first {
      if hasPercents, let match = rest.prefixMatch(of: /%%/) {
        literal += "%"
        rest = rest[match.range.upperBound...]
      } else if let match = rest.prefixMatch(of: /%\((\w+)\)[a-z]/) {
        flush()
        parts.append(.argument(String(match.1)))
        rest = rest[match.range.upperBound...]
      } else if hasPercents, let match = rest.prefixMatch(of: /%(?:(\d{1,3})\$)?(?:l{0,2}[diu]|s|@)/) {
        flush()
        let index = match.1.flatMap { Int($0) }.map { $0 - 1 }
        parts.append(.position(index ?? next))
        if index == nil { next += 1 }
        rest = rest[match.range.upperBound...]
      } else if hasBraces, let match = rest.prefixMatch(of: /\{\{|\}\}/) {
        literal += match.0.prefix(1)
        rest = rest[match.range.upperBound...]
      } else if hasBraces, let match = rest.prefixMatch(of: /\{(\w+)\}/) {
        flush()
        parts.append(.argument(String(match.1)))
        rest = rest[match.range.upperBound...]
      } else {
        literal.append(character)
        rest.removeFirst()
      }
    }
    flush()
    return parts
  }
}
