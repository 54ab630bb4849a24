internal import AppStrings
internal import FCMMessage
internal import JSON

/// The files of a source, one for each language.
struct SourceFiles {
  struct File {
    let path: String
    let locale: LocaleTag
  }

  private(set) var files: [File] = []
  private(set) var problems: [ResourceProblem] = []

  /// The folder above the part of a pattern that has the language.
  static func folder(of pattern: String) -> String {
    let parts = pattern.split(separator: "/", omittingEmptySubsequences: false)
    let fixed = parts.prefix { !$0.contains(StringSourceLocation.localeMark) }.joined(separator: "/")
    return fixed.isEmpty ? (pattern.hasPrefix("/") ? "/" : ".") : fixed
  }

  /// The files that a pattern such as `po/{locale}.po` names.
  init(pattern: String) {
    let mark = StringSourceLocation.localeMark
    let parts = pattern.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let index = parts.firstIndex(where: { $0.contains(mark) }),
      let place = parts[index].firstRange(of: mark)
    else {
      problems = [Self.absence(pattern, FindingText(.patternWithoutLocale, [mark]))]
      return
    }
    let (prefix, suffix) = (parts[index][..<place.lowerBound], parts[index][place.upperBound...])
    for name in names(in: Self.folder(of: pattern)) {
      guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.count > prefix.count + suffix.count else {
        continue
      }
      let written = String(name.dropFirst(prefix.count).dropLast(suffix.count))
      guard let locale = Self.locale(written) else { continue }
      let rest = parts[index...].map { $0.replacing(mark, with: written) }
      let path = (parts[..<index] + rest).joined(separator: "/")
      if ResourceFile.exists(path) { add(path, locale) }
    }
    if files.isEmpty, problems.isEmpty {
      problems.append(Self.absence(pattern, SourceText.noFileOfName))
    }
  }

  /// The files of a folder for which `locale` knows a language.
  init(folder: String, suffix: String, locale: (String) -> LocaleTag?) {
    let found = names(in: folder).filter { $0.hasSuffix(suffix) }
    for name in found {
      let path = "\(folder)/\(name)"
      guard let locale = locale(name) else {
        problems.append(
          ResourceProblem(
            kind: .unparsable, file: path, FindingText(.untoldLanguage),
            help: FindingText(.nameWithTag, [suffix])))
        continue
      }
      add(path, locale)
    }
    if found.isEmpty, problems.isEmpty {
      problems.append(Self.absence(folder, FindingText(.noFileOfKind, [suffix])))
    }
  }

  private mutating func names(in folder: String) -> [String] {
    do throws(FileReadError) {
      return try FolderListing(path: folder).items.map(\.name)
    } catch {
      problems.append(Self.absence(folder, error.shortText))
      return []
    }
  }

  private mutating func add(_ path: String, _ locale: LocaleTag) {
    if let other = files.first(where: { $0.locale == locale }) {
      problems.append(
        ResourceProblem(
          kind: .unparsable, file: path, table: locale.description,
          FindingText(.sameLanguage, [other.path]), help: FindingText(.keepOneFile)))
    } else if files.count < SourceLimits.languagesMax {
      files.append(File(path: path, locale: locale))
    }
  }

  static func absence(_ path: String, _ reason: any FindingValue) -> ResourceProblem {
    ResourceProblem(
      kind: .noResources, file: path, FindingText(.noTexts, [reason]),
      help: FindingText(.correctSourcePath))
  }

  /// A language as file and folder names have it: `pt_BR`, `zh-Hans`, `sr@latin`, `de_DE.UTF-8`.
  static func locale(_ written: String) -> LocaleTag? {
    let parts = written.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let tag = parts.first.map { $0.prefix { $0 != "." } } ?? ""
    guard let locale = LocaleTag(String(tag)) else { return nil }
    let scripts = ["latin": "Latn", "cyrillic": "Cyrl", "arabic": "Arab", "devanagari": "Deva"]
    guard parts.count == 2, let script = scripts[parts[1].lowercased()] else { return locale }
    return LocaleTag(
      language: locale.language, script: script, region: locale.region, variants: locale.variants)
  }

  /// The bytes of a file without a byte order mark.
  static func read(_ file: String, _ problems: inout [ResourceProblem]) -> [UInt8]? {
    do throws(FileReadError) {
      let bytes = try RegularFile.read(file, bytesMax: SourceLimits.fileBytesMax)
      return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    } catch {
      problems.append(
        ResourceProblem(
          kind: .unparsable, file: file, FindingText(.fileUnreadable, [error.text])))
      return nil
    }
  }

  /// What `read` reads from a file that has a JSON object; nil if there is none.
  static func json<Content: Sendable>(
    _ file: String, _ locale: LocaleTag?, _ options: JSON.ParseOptions, _ problems: inout [ResourceProblem],
    read: (inout JSONCursor) throws(JSONParseError) -> Content
  ) -> Content? {
    guard let bytes = self.read(file, &problems) else { return nil }
    func problem(_ text: FindingText, line: Int? = nil) -> ResourceProblem {
      ResourceProblem(kind: .unparsable, file: file, line: line, table: locale?.description, text)
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      problems.append(problem(FindingText(.isUTF16)))
      return nil
    }
    do throws(JSONParseError) {
      let content = try JSONCursor.read(bytes, options: options) {
        cursor throws(JSONParseError) -> Content? in
        cursor.isAtObject ? try read(&cursor) : nil
      }
      if content == nil { problems.append(problem(FindingText(.noObject))) }
      return content
    } catch {
      problems.append(
        problem(FindingText(.invalidJSON, [error.reason, error.column]), line: error.line))
      return nil
    }
  }

  /// Keys that occur twice, of which the last counts.
  static func duplicates(
    _ duplicates: [JSONCursor.Duplicate], in file: String, _ locale: LocaleTag
  ) -> [ResourceProblem] {
    duplicates.prefix(SourceLimits.problemsPerFileMax).map { duplicate in
      ResourceProblem(
        kind: .duplicateKey, file: file, line: duplicate.line, table: locale.description,
        key: duplicate.key, FindingText(.keyBeforeInFile))
    }
  }
}
