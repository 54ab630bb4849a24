internal import Dispatch
internal import Foundation
internal import JSON
internal import Synchronization

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

  /// A field's value. Never a registration token, key, credential or message text: see `Redaction`.
  package enum Value: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringInterpolation
  {
    case string(String)
    case integer(Int)
    case number(Double)
    case bool(Bool)

    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
  }

  package typealias Fields = KeyValuePairs<String, Value>

  /// Bytes of one line; a longer message or field is cut.
  static let lineBytesMax = 8192
  /// Lines that may wait to be written.
  static let waitingLinesMax = 10_000

  private let level: Level
  private let format: Format
  private let sink: @Sendable ([UInt8]) -> Void
  private let queue = DispatchQueue(label: "dragoman.log", qos: .utility)
  private let waiting = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)

  /// `sink` takes whole lines, one after the other; stderr when absent.
  package init(level: Level = .info, format: Format = .json, sink: (@Sendable ([UInt8]) -> Void)? = nil) {
    self.level = level
    self.format = format
    self.sink = sink ?? { FileHandle.standardError.write(Data($0)) }
  }

  /// A log that says nothing, for tests.
  package static let silent = Log(level: .error, sink: { _ in })

  package func debug(_ message: StaticString, _ fields: Fields = [:]) { write(.debug, message, fields) }
  package func info(_ message: StaticString, _ fields: Fields = [:]) { write(.info, message, fields) }
  package func warning(_ message: StaticString, _ fields: Fields = [:]) { write(.warning, message, fields) }
  package func error(_ message: StaticString, _ fields: Fields = [:]) { write(.error, message, fields) }

  /// Waits until all lines are written; for the end of the process.
  package func flush() { queue.sync {} }

  private func write(_ level: Level, _ message: StaticString, _ fields: Fields) {
    guard level >= self.level else { return }
    guard waiting.add(1, ordering: .relaxed).newValue <= Self.waitingLinesMax else {
      waiting.subtract(1, ordering: .relaxed)
      dropped.add(1, ordering: .relaxed)
      return
    }
    let line = LogLine(time: Date(), level: level, message: message.description, fields: fields)
    queue.async { [self] in
      waiting.subtract(1, ordering: .relaxed)
      let lost = dropped.exchange(0, ordering: .relaxed)
      if lost > 0 {
        sink(
          LogLine(
            time: Date(), level: .warning, message: "log lines dropped", fields: ["count": .integer(lost)]
          )
          .bytes(in: format))
      }
      sink(line.bytes(in: format))
    }
  }
}

/// One line, not yet written.
private struct LogLine: Sendable {
  let time: Date
  let level: Log.Level
  let message: String
  let fields: Log.Fields

  func bytes(in format: Log.Format) -> [UInt8] {
    let timestamp = time.formatted(
      .iso8601.year().month().day().time(includingFractionalSeconds: true).timeZone(separator: .omitted))
    var line: [UInt8]
    switch format {
    case .json:
      var object = JSON.Object([
        ("time", .string(timestamp)), ("level", .string(level.name)), ("message", .string(message)),
      ])
      for field in fields { object.members.append((field.key, field.value.json)) }
      line = JSON.object(object).serialized
      if line.count >= Log.lineBytesMax {
        object.members.removeSubrange(3...)
        object.members.append(("truncated", true))
        line = JSON.object(object).serialized
      }
    case .text:
      var text = "\(timestamp) \(level.name.uppercased()) \(message)"
      for field in fields { text += " \(field.key)=\(field.value.plainText)" }
      line = Array(text.utf8.prefix(Log.lineBytesMax - 1))
    }
    line.append(UInt8(ascii: "\n"))
    return line
  }
}

extension Log.Value {
  fileprivate var json: JSON {
    switch self {
    case .string(let value): .string(value)
    case .integer(let value): JSON(value)
    case .number(let value): JSON.Number(value).map(JSON.number) ?? .null
    case .bool(let value): .bool(value)
    }
  }

  /// As JSON, so that no control character or line break of a value reaches a terminal.
  fileprivate var plainText: String { String(decoding: json.serialized, as: UTF8.self) }
}
