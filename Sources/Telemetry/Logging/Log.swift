internal import Clock

/// Structured log lines on stderr: fixed messages with fields, JSON or text. Writing never blocks the caller on
/// the terminal or pipe; lines beyond what may wait are dropped and counted.
package final class Log: Sendable {
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

  package enum Format: Sendable { case json, text }

  /// A field's value. Never a registration token, key, credential or message text: see `Redaction`, `Redacted`.
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

  /// `sink` takes whole lines, one or more at a time, one call after the other; stderr when absent. Text is coloured
  /// where `isColored` says so, else where stderr is a terminal that wants it.
  package init(
    level: Level = .info, format: Format = .json, isColored: Bool? = nil,
    sink: (@Sendable ([UInt8]) -> Void)? = nil
  ) {
    self.level = level
    common = []
    formatter = LogFormatter(
      format: format, isColored: isColored ?? (sink == nil && StandardError.wantsColor))
    if let sink {
      writer = LogWriter(formatter: formatter) { lines in
        sink(lines)
        return true
      }
    } else {
      writer = LogWriter(formatter: formatter, sink: StandardError.write)
    }
  }

  private init(parent: Log, fields: Fields) {
    level = parent.level
    common = [fields] + parent.common
    formatter = parent.formatter
    writer = parent.writer
  }

  /// A log that says nothing, for tests.
  package static let silent = Log(level: .error, sink: { _ in })

  /// The same log with fields that each of its lines bears after its own, such as a request's id. Of fields with one
  /// name, the line's own counts.
  package func with(_ fields: Fields) -> Log { Log(parent: self, fields: fields) }

  /// Whether a line of `level` is written: for callers to whom even its fields cost something.
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

  /// Lines that were lost so far, as more than may wait were written or stderr took none.
  package var droppedLines: UInt64 { writer.droppedLines }

  /// Waits until all lines are written, or `timeout` is over: for the end of the process. Says whether they are.
  @discardableResult
  package func flush(timeout: Duration = .seconds(2)) -> Bool { writer.flush(timeout: timeout) }

  private func write(_ level: Level, _ message: StaticString, _ fields: () -> Fields) {
    write(level, message) { line in
      for (name, value) in fields() { line.add(name, value) }
    }
  }

  /// Writes a line with the fields that `body` adds and the common ones.
  func write(_ level: Level, _ message: StaticString, _ body: (inout LogFormatter.Line) -> Void) {
    guard level >= self.level else { return }
    writer.append(
      formatter.line(time: .now, level: level, message: message.description, common: common, body))
  }
}
