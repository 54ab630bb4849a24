internal import Clock

/// Writes structured log lines to stderr: constant messages with fields, as JSON or text. The caller never
/// blocks on the terminal or pipe; lines that exceed the buffer are dropped and counted.
package final class Log: Sendable {
  /// The severity of a line.
  package enum Level: Int, Sendable, Comparable, CaseIterable {
    case debug, info, warning, error

    package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

    package init?(name: String) {
      guard let level = Level.allCases.first(where: { $0.name == name }) else { return nil }
      self = level
    }

    package var name: String {
      switch self {
      case .debug: "debug"
      case .info: "info"
      case .warning: "warning"
      case .error: "error"
      }
    }
  }

  /// The form of the lines.
  package enum Format: Sendable { case json, text }

  /// A field's value. Never a registration token, key, credential or message text; see `Redaction` and
  /// `Redacted`.
  package enum Value: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByStringInterpolation
  {
    case string(String)
    case integer(Int)
    case number(Double)
    case bool(Bool)

    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
  }

  package typealias Fields = KeyValuePairs<String, Value>

  private let level: Level
  private let common: [Fields]
  private let formatter: LogFormatter
  private let writer: LogWriter

  /// `sink` receives one or more complete lines per call, in serial calls; the default is stderr. `isColored`
  /// applies to text; by default text is coloured if stderr is a terminal that supports it.
  package init(
    level: Level = .info, format: Format = .json, isColored: Bool? = nil,
    sink: (@Sendable ([UInt8]) -> Void)? = nil
  ) {
    self.level = level
    common = []
    formatter = LogFormatter(
      format: format, isColored: isColored ?? (sink == nil && StandardErrorStream.wantsColor))
    if let sink {
      writer = LogWriter(formatter: formatter) { lines in
        sink(lines)
        return true
      }
    } else {
      writer = LogWriter(formatter: formatter, sink: StandardErrorStream.write)
    }
  }

  private init(parent: Log, fields: Fields) {
    level = parent.level
    common = [fields] + parent.common
    formatter = parent.formatter
    writer = parent.writer
  }

  /// A log that discards all lines, for tests.
  package static let silent = Log(level: .error, sink: { _ in })

  /// A log to the same destination whose lines end in additional fields, such as a request's id. If a line
  /// has a field of the same name, the line's own is kept.
  package func with(_ fields: Fields) -> Log { Log(parent: self, fields: fields) }

  /// Whether lines of `level` are written, for callers that avoid the cost of computing fields.
  package func logs(_ level: Level) -> Bool { level >= self.level }

  package func debug(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
    write(.debug, message, fields)
  }
  package func info(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
    write(.info, message, fields)
  }
  package func warning(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
    write(.warning, message, fields)
  }
  package func error(_ message: StaticString, _ fields: @autoclosure () -> Fields = [:]) {
    write(.error, message, fields)
  }

  /// The number of lines lost so far, because the buffer was full or stderr could not be written.
  package var droppedLines: UInt64 { writer.droppedLines }

  /// Waits until all lines are written or `timeout` expires, before the process ends. Returns whether they
  /// are written.
  @discardableResult
  package func flush(timeout: Duration = .seconds(2)) -> Bool { writer.flush(timeout: timeout) }

  private func write(_ level: Level, _ message: StaticString, _ fields: () -> Fields) {
    write(level, message) { line in
      for (name, value) in fields() { line.add(name, value) }
    }
  }

  /// Writes a line with the fields that `body` adds, followed by the common ones.
  func write(_ level: Level, _ message: StaticString, _ body: (inout LogFormatter.Line) -> Void) {
    guard level >= self.level else { return }
    writer.append(
      formatter.line(time: .now, level: level, message: message.description, common: common, body))
  }
}
