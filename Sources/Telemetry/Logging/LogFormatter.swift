internal import Clock
internal import JSON

/// Formats messages and fields as lines of bounded length: valid JSON with unique names, or text. No line
/// contains characters that control a terminal.
struct LogFormatter: Sendable {
  /// The maximum size of a line, in bytes; fields that do not fit are omitted.
  static let lineBytesMax = 8_192
  /// The maximum size of a value, in bytes; a longer one is truncated.
  static let valueBytesMax = 2_048

  let format: Log.Format
  let isColored: Bool

  /// Formats a line, including the line feed. Of several fields with the same name, the first is kept.
  func line(time: Timestamp, level: Log.Level, message: String, fields: [Log.Fields]) -> [UInt8] {
    line(time: time, level: level, message: message, common: fields) { _ in }
  }

  /// Formats a line with the fields that `body` adds, followed by the common ones.
  func line(
    time: Timestamp, level: Log.Level, message: String, common: [Log.Fields], _ body: (inout Line) -> Void
  ) -> [UInt8] {
    var line = Line(formatter: self, hasCommonFields: !common.isEmpty)
    appendStart(time, level, message, to: &line.bytes)
    body(&line)
    for group in common {
      for (name, value) in group { line.add(name, value) }
    }
    if format == .json { line.bytes.append(UInt8(ascii: "}")) }
    line.bytes.append(UInt8(ascii: "\n"))
    return line.bytes
  }

  /// A line to which fields are added.
  struct Line {
    private let formatter: LogFormatter
    fileprivate(set) var bytes: [UInt8] = []
    private var names = ["time", "level", "message", "truncated"]
    private let hasCommonFields: Bool
    private var isFull = false

    fileprivate init(formatter: LogFormatter, hasCommonFields: Bool) {
      self.formatter = formatter
      self.hasCommonFields = hasCommonFields
      bytes.reserveCapacity(512)
    }

    /// Appends a field, unless the line already has a field of that name or is full.
    mutating func add(_ name: String, _ value: Log.Value) {
      guard !isFull, !names.contains(where: { $0.hasSameBytes(as: name) }) else { return }
      append { [formatter] bytes in
        formatter.append(name, to: &bytes)
        formatter.append(value, to: &bytes)
      }
      names.append(name)
    }

    /// Appends a field that the line does not have yet, and whose name needs no escapes: for lines of which
    /// there are so many that comparing and escaping names would count.
    mutating func add(new name: StaticString, _ value: Log.Value) {
      add(new: name) { [formatter] in formatter.append(value, to: &$0) }
    }

    /// The same for a value that `write` appends: a number, or text that needs quotes only in JSON.
    mutating func add(new name: StaticString, isText: Bool = false, _ write: (inout [UInt8]) -> Void) {
      guard !isFull else { return }
      append { [formatter] bytes in
        formatter.append(name, to: &bytes)
        if isText, formatter.format == .json { bytes.append(UInt8(ascii: "\"")) }
        write(&bytes)
        if isText, formatter.format == .json { bytes.append(UInt8(ascii: "\"")) }
      }
      // Only a field that is added by its text can have the same name.
      if hasCommonFields { names.append(name.description) }
    }

    /// Appends a field, unless the line is too long with it.
    private mutating func append(_ field: (inout [UInt8]) -> Void) {
      let before = bytes.count
      field(&bytes)
      guard bytes.count > LogFormatter.lineBytesMax - 32 else { return }
      bytes.removeSubrange(before...)
      formatter.append("truncated" as StaticString, to: &bytes)
      formatter.append(.bool(true), to: &bytes)
      isFull = true
    }
  }

  private func appendStart(
    _ time: Timestamp, _ level: Log.Level, _ message: String, to line: inout [UInt8]
  ) {
    switch format {
    case .json:
      line.append("{\"time\":\"")
      time.appendRFC3339(to: &line)
      line.append("\",\"level\":\"")
      line.append(level.name)
      line.append("\",\"message\":")
      line.appendQuoted(message)
    case .text:
      time.appendRFC3339(to: &line)
      let name = level.name.uppercased()
      line.append(isColored ? " \u{1B}[\(level.color)m\(name)\u{1B}[0m " : " \(name) ")
      line.append(message)
    }
  }

  /// Appends the start of a field.
  fileprivate func append(_ name: String, to line: inout [UInt8]) {
    switch format {
    case .json:
      line.append(UInt8(ascii: ","))
      line.appendQuoted(name)
      line.append(UInt8(ascii: ":"))
    case .text: line.append(isColored ? " \u{1B}[2m\(name)=\u{1B}[0m" : " \(name)=")
    }
  }

  /// Appends the start of a field whose name needs no escapes.
  fileprivate func append(_ name: StaticString, to line: inout [UInt8]) {
    guard format == .json else { return append(name.description, to: &line) }
    line.append(",\"" as StaticString)
    line.append(name)
    line.append("\":" as StaticString)
  }

  fileprivate func append(_ value: Log.Value, to line: inout [UInt8]) {
    switch value {
    case .string(let text):
      let text = text.utf8.count > Self.valueBytesMax ? text.cut(toBytes: Self.valueBytesMax) : text
      format == .text && text.isBareWord ? line.append(text) : line.appendQuoted(text)
    case .integer(let value): line.append(decimal: value)
    case .number(let value): line.append(JSON.Number(value)?.lexeme ?? "null")
    case .bool(let value): line.append(value ? "true" : "false")
    }
  }
}

extension Log.Level {
  /// The level's ANSI graphic rendition code.
  fileprivate var color: Int {
    switch self {
    case .debug: 2
    case .info: 32
    case .warning: 33
    case .error: 31
    }
  }
}

extension String {
  /// Whether a text line can hold the value without quotes, unambiguously.
  fileprivate var isBareWord: Bool {
    !isEmpty
      && utf8.allSatisfy {
        (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
          && $0 != UInt8(ascii: "\\")
      }
  }

  /// The first `count` bytes at most of a longer text, as complete Unicode characters, and an ellipsis.
  fileprivate func cut(toBytes count: Int) -> String {
    var end = utf8.index(utf8.startIndex, offsetBy: count)
    while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return self[..<end] + "…"
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }
  fileprivate mutating func append(_ text: StaticString) { text.withUTF8Buffer { append(contentsOf: $0) } }

  /// Appends a JSON string in which terminal control characters and bidirectional controls are escaped, too.
  fileprivate mutating func appendQuoted(_ text: String) {
    let isPlain = text.utf8.withContiguousStorageIfAvailable { $0.isBelowDelete }
    if isPlain ?? text.utf8.allSatisfy({ $0 < 0x7F }) { return appendJSONString(text) }
    append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
        let digits = String(scalar.value, radix: 16)
        append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      default: appendJSONEscaped(String(scalar))
      }
    }
    append(UInt8(ascii: "\""))
  }
}
