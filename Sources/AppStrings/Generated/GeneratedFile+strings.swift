internal import JSON

/// A block of generated texts at the end of a `.strings` file, between two comments.
extension GeneratedFile {
  /// A `.strings` file with the texts in its block.
  package struct StringsUpdate {
    package let bytes: [UInt8]
    /// The entries of the texts that the file has outside its block. They are not in the block.
    package let ownEntries: [StringEntry]
  }

  /// Replaces the block of a file, or appends one; nothing else changes by a byte. Without texts, only an
  /// existing block is emptied. `old` is nil for a file that does not exist.
  package static func strings(
    _ old: [UInt8]?, path: String, _ texts: [GeneratedText], by generator: TextGenerator = .plurals
  ) throws(GeneratedTextError) -> StringsUpdate {
    let file = try StringsText(old ?? [])
    let block = try block(in: file.text, generator)
    var rest = file.text
    if let block { rest.removeSubrange(block) }
    let own = try entries(of: rest, path)
    let ownKeys = Set(own.map { ExactText($0.key) })
    let written = texts.filter { !ownKeys.contains(ExactText($0.key)) }
    let wantedKeys = Set(texts.map { ExactText($0.key) })
    let ownEntries = own.filter { wantedKeys.contains(ExactText($0.key)) }
    if written.isEmpty, block == nil { return StringsUpdate(bytes: old ?? [], ownEntries: ownEntries) }
    let newline = newline(of: file.text, block, generator)
    let lines =
      [generator.begin] + written.map { "\(quoted($0.key)) = \(quoted($0.text));" } + [generator.end]
    var text = file.text
    if let block {
      text.replaceSubrange(block, with: lines.joined(separator: newline).utf8)
    } else {
      if !text.isEmpty { text += (text.last == 0x0A || text.last == 0x0D ? newline : newline + newline).utf8 }
      text += (lines.joined(separator: newline) + newline).utf8
    }
    try verify(text, path, has: own, and: written)
    return StringsUpdate(bytes: file.encoded(text), ownEntries: ownEntries)
  }

  /// How lines of the block end: as they do, so that writing it again changes nothing, and otherwise as those
  /// of the file. The file's last carriage return and a line feed in front of the block look like both.
  private static func newline(of text: [UInt8], _ block: Range<Int>?, _ generator: TextGenerator) -> String {
    let inside = block.map { text[$0].dropFirst(generator.begin.utf8.count) }
    let styles = ["\r\n", "\n", "\r"]
    return styles.first { inside?.starts(with: $0.utf8) ?? false }
      ?? styles.first { text.contains($0.utf8) } ?? "\n"
  }

  /// The bytes from the first comment to the end of the second; nil if there is no block.
  private static func block(
    in text: [UInt8], _ generator: TextGenerator
  ) throws(GeneratedTextError) -> Range<Int>? {
    let begins = offsets(of: generator.begin, in: text)
    let ends = offsets(of: generator.end, in: text)
    if begins.isEmpty && ends.isEmpty { return nil }
    guard begins.count == 1, ends.count == 1, begins[0] < ends[0] else {
      let offset = (begins + ends).min() ?? 0
      throw GeneratedTextError(
        "The comments around the generated texts are incomplete, doubled or in the wrong order. Remove them and "
          + "the texts between them.", line: text[..<offset].count { $0 == 0x0A } + 1)
    }
    return begins[0]..<ends[0] + generator.end.utf8.count
  }

  private static func offsets(of mark: String, in text: [UInt8]) -> [Int] {
    let mark = Array(mark.utf8)
    var offsets: [Int] = []
    var offset = 0
    while let start = text[offset...].firstIndex(of: mark[0]) {
      if text[start...].starts(with: mark) { offsets.append(start) }
      offset = start + 1
    }
    return offsets
  }

  private static func entries(of text: [UInt8], _ path: String) throws(GeneratedTextError) -> [StringEntry] {
    // A file of comments only, or none, is an empty table, but only if there is something to read.
    guard !text.allSatisfy(\.isAndroidSpace) else { return [] }
    let file = AppleFolderSearch.TableFile(
      path: path, table: "Localizable", format: .strings, language: nil, bundle: "", depth: 0)
    let content = StringsFile(text, file: file, limits: AppleResourceLimits())
    if let problem = content.problems.first(where: { $0.kind == .unparsable }) {
      throw GeneratedTextError("The file cannot be read: \(problem.message).", line: problem.line)
    }
    return content.entries
  }

  /// Reads the new text as iOS would. An open comment or a brace at the end of the file would hide the block.
  private static func verify(
    _ text: [UInt8], _ path: String, has own: [StringEntry], and written: [GeneratedText]
  ) throws(GeneratedTextError) {
    let entries = try? entries(of: text, path)
    let found = Dictionary(
      (entries ?? []).map { (ExactText($0.key), $0.value) }, uniquingKeysWith: { _, last in last })
    let wanted =
      own.map { (ExactText($0.key), $0.value) }
      + written.map { (ExactText($0.key), StringEntry.Value.string($0.text)) }
    guard found.count == wanted.count, wanted.allSatisfy({ found[$0.0] == $0.1 }) else {
      throw GeneratedTextError(
        "No block can be added at the end of the file: iOS would not read it. Look for an open comment, braces "
          + "around the entries, or a missing semicolon.")
    }
  }

  /// A quoted text with the escapes of old-style property lists (OpenStepPlist.swift).
  private static func quoted(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "\"") { result, scalar in
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default:
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF:
          let digits = String(scalar.value, radix: 16)
          result += "\\U" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
      }
    } + "\""
  }
}

/// The text of an old-style `.strings` file as UTF-8, and how to write it back.
private struct StringsText {
  private enum Encoding {
    case utf8, utf16(bigEndian: Bool)
  }

  let text: [UInt8]
  private let mark: [UInt8]
  private let encoding: Encoding

  init(_ bytes: [UInt8]) throws(GeneratedTextError) {
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      mark = Array(bytes.prefix(2))
      encoding = .utf16(bigEndian: bytes[0] == 0xFE)
    } else {
      mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? [0xEF, 0xBB, 0xBF] : []
      encoding = .utf8
    }
    let rest = Array(bytes.dropFirst(mark.count))
    switch encoding {
    case .utf8: text = rest
    case .utf16(let bigEndian):
      let units = (0..<rest.count / 2).map { index in
        let pair = (UInt16(rest[2 * index]), UInt16(rest[2 * index + 1]))
        return bigEndian ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
      }
      text = Array(String(decoding: units, as: UTF16.self).utf8)
    }
    let isBinary = rest.starts(with: "bplist".utf8)
    let first = text.first { !$0.isAndroidSpace }
    guard !isBinary, first != UInt8(ascii: "<") else {
      throw GeneratedTextError(
        "The file is a\(isBinary ? " binary" : "n XML") property list, which cannot have a block between "
          + "comments. Convert it to text: lines of \"key\" = \"value\";.")
    }
    guard encoded(text) == bytes, String(validating: text, as: UTF8.self) != nil else {
      throw GeneratedTextError(
        "The file is not valid UTF-8, nor UTF-16 with a byte order mark. Save it as UTF-8.")
    }
  }

  func encoded(_ text: [UInt8]) -> [UInt8] {
    switch encoding {
    case .utf8: mark + text
    case .utf16(let bigEndian):
      mark
        + String(decoding: text, as: UTF8.self).utf16.flatMap { unit in
          let (high, low) = (UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit))
          return bigEndian ? [high, low] : [low, high]
        }
    }
  }
}
