/// A reason why bytes are not valid JSON, with its position.
package struct JSONParseError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    case syntax, encoding, duplicateKey, tooDeep, loneSurrogate
  }

  package let code: Code
  /// The byte offset of the error, from 0.
  package let offset: Int
  /// The line, from 1.
  package let line: Int
  /// The column in bytes, from 1.
  package let column: Int
  /// The value that was being read. It holds the document's keys, so it belongs only in answers to the
  /// sender.
  package let pointer: JSONPointer
  /// What is wrong. Never holds text of the document.
  package let reason: String

  package var description: String { "\(reason) (line \(line), column \(column))" }
}
