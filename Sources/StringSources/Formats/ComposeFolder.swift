internal import AppStrings
internal import JSON

/// A `composeResources` folder of Compose Multiplatform. Its files look like Android's, but have escapes and
/// placeholders of their own (its Gradle plugin, handleSpecialCharacters; its library, replaceWithArgs).
struct ComposeFolder: StringSource {
  private(set) var languages: [SourceStrings.Language] = []
  let sourceLanguage: LocaleTag?
  private(set) var problems: [ResourceProblem] = []
  let places: [String]

  /// `language` is that of `values`.
  init(_ path: String, language: LocaleTag?) {
    (sourceLanguage, places) = (language, [path])
    let folders = (try? FolderListing(path: path))?.items.filter(\.isFolder).map(\.name) ?? []
    for name in folders.prefix(SourceLimits.languagesMax) {
      guard let locale = NativeFolder.android(name) else { continue }
      let tag = locale ?? language ?? LocaleTag(language: "en")
      let entries = entries(in: "\(path)/\(name)", tag)
      if let index = languages.firstIndex(where: { $0.locale == tag }) {
        // `values-en` wins over `values`, as in the app.
        languages[index].entries.merge(entries) { $1 }
      } else {
        languages.append(SourceStrings.Language(locale: tag, entries: entries))
      }
    }
    guard languages.isEmpty else { return }
    problems.append(SourceFiles.absence(path, SourceText.hasNoValuesFolder))
  }

  private mutating func entries(
    in folder: String, _ locale: LocaleTag
  ) -> [ExactText: SourceStrings.Entry] {
    let names = (try? FolderListing(path: folder))?.items.filter { !$0.isFolder }.map(\.name) ?? []
    var entries: [ExactText: SourceStrings.Entry] = [:]
    for name in names where name.hasSuffix(".xml") {
      let file = "\(folder)/\(name)"
      guard let bytes = SourceFiles.read(file, &problems) else { continue }
      let content = StringsXML(bytes)
      problems += content.problems.map {
        ResourceProblem(
          kind: .unparsable, file: file, line: $0.line, table: locale.description, $0.text)
      }
      for entry in content.entries {
        let key = ExactText(entry.name)
        if entries[key] != nil {
          problems.append(
            ResourceProblem(
              kind: .duplicateKey, file: file, line: entry.line, table: locale.description, key: entry.name,
              FindingText(.keyBeforeInLanguage)))
        }
        entries[key] = SourceStrings.Entry(
          key: entry.name, file: file, line: entry.line,
          content: Result { () throws(SourceTextError) in SourceMessage(try Self.parts(entry)) })
      }
    }
    return entries
  }

  private static func parts(_ entry: StringsXML.Entry) throws(SourceTextError) -> [SourceMessage.Part] {
    if let text = entry.text { return try parts(text) }
    var forms: [SourcePlural.Form] = []
    for form in entry.forms {
      forms.append(SourcePlural.Form(name: form.quantity.lowercased(), parts: try parts(form.text)))
    }
    return [.plural(number: nil, SourcePlural(rule: .category, forms: forms))]
  }

  /// The parts of a text: `%1$s` and `%1$d` are args, and every other percent sign is one.
  private static func parts(_ text: String) throws(SourceTextError) -> [SourceMessage.Part] {
    var scanner = try PlaceholderScanner(unescaped(text))
    while scanner.mark("%") != nil {
      _ = scanner.pass("%")
      if let syntax = scanner.printf(), case .explicit(let number) = syntax.numbering, !syntax.hasFormat,
        !syntax.hasLength, "ds".utf8.contains(syntax.letter)
      {
        _ = scanner.pass(syntax)
        // Position 0 is none.
        scanner.add(.position(number - 1))
      } else {
        scanner.add("%")
      }
    }
    return scanner.parts()
  }

  /// Resolves `\n`, `\t`, `\uXXXX` and `\\`; every other backslash is one.
  private static func unescaped(_ text: String) -> String {
    var units: [UInt16] = []
    var rest = Array(text.utf16)[...]
    while let unit = rest.popFirst() {
      guard unit == UInt16(UInt8(ascii: "\\")), let next = rest.first else {
        units.append(unit)
        continue
      }
      switch next {
      case UInt16(UInt8(ascii: "\\")): units.append(next)
      case UInt16(UInt8(ascii: "n")): units.append(0x0A)
      case UInt16(UInt8(ascii: "t")): units.append(0x09)
      case UInt16(UInt8(ascii: "u")):
        let digits = String(decoding: rest.dropFirst().prefix(4), as: UTF16.self)
        guard digits.utf8.count == 4, digits.utf8.allSatisfy(\.isHexDigit),
          let value = UInt16(digits, radix: 16)
        else {
          units.append(unit)
          continue
        }
        units.append(value)
        rest = rest.dropFirst(4)
      default:
        units.append(unit)
        continue
      }
      rest.removeFirst()
    }
    return String(decoding: units, as: UTF16.self)
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    (0x30...0x39).contains(self) || (0x41...0x46).contains(self & 0xDF)
  }
}
