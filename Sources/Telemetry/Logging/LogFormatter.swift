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
    var line = Line(formatter: self)
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
    private var isFull = false

    fileprivate init(formatter: LogFormatter) {
      self.formatter = formatter
      bytes.reserveCapacity(512)
      names.reserveCapacity(16)
    }

    /// Appends a field, unless the line already has a field of that name or is full.
    mutating func add(_ name: String, _ value: Log.Value) {
      guard !isFull, !names.contains(where: { $0.hasSameBytes(as: name) }) else { return }
      let before = bytes.count
      formatter.append(name, value, to: &bytes)
      if bytes.count > LogFormatter.lineBytesMax - 32 {
        bytes.removeSubrange(before...)
        formatter.append("truncated", true, to: &bytes)
        isFull = true
      }
      names.append(name)
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

  fileprivate func append(_ name: String, _ value: Log.Value, to line: inout [UInt8]) {
    switch format {
    case .json:
      line.append(UInt8(ascii: ","))
      line.appendQuoted(name)
      line.append(UInt8(ascii: ":"))
    case .text: line.append(isColored ? " \u{1B}[2m\(name)=\u{1B}[0m" : " \(name)=")
    }
    switch value {
    case .string(let text):
      let text = text.cut(toBytes: Self.valueBytesMax)
      format == .text && text.isBareWord ? line.append(text) : line.appendQuoted(text)
    case .integer(let value): line.append(String(value))
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

  /// Truncates to at most `count` bytes of complete Unicode characters, followed by an ellipsis.
  fileprivate func cut(toBytes count: Int) -> String {
    guard utf8.count > count else { return self }
    var end = utf8.index(utf8.startIndex, offsetBy: count)
    while end > utf8.startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return self[..<end] + "…"
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  /// Appends a JSON string in which terminal control characters and bidirectional controls are escaped, too.
  fileprivate mutating func appendQuoted(_ text: String) {
    guard text.utf8.contains(where: { $0 >= 0x7F }) else { return appendJSONString(text) }
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
