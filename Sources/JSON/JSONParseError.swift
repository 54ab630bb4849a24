/// Why bytes are not the JSON that was asked for, and where.
package struct JSONParseError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    case syntax, encoding, duplicateKey, tooDeep, loneSurrogate
  }

  package let code: Code
  /// The byte at which it shows, from 0.
  package let offset: Int
  /// From 1; the column counts bytes.
  package let line: Int
  package let column: Int
  /// Where in the document: the value that was being read.
  package let pointer: JSONPointer
  /// What is wrong. Never holds text of the document but an object's key.
  package let reason: String

  package var description: String { "\(reason) (line \(line), column \(column))" }
}
