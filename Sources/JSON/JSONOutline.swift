/// A JSON text in two parts: its values, which are the numbers and the strings in it that are not empty, and
/// its outline, which is everything else, with a control character in place of each value.
///
/// The values are checked, and the outline is not. If two texts have the same outline and one is JSON, so is
/// the other, with the same members of the same kinds.
package struct JSONOutline: Sendable {
  package struct Value: Sendable {
    package enum Form: Sendable {
      case number
      /// ASCII without escapes.
      case plainString
      case string
    }

    /// Where it is in the text; a string without its quotes.
    package let range: Range<Int>
    package let form: Form
  }

  package private(set) var bytes: [UInt8] = []
  package private(set) var values: [Value] = []
  /// The text itself.
  package let text: [UInt8]

  /// Nil for a text that cannot be JSON.
  package init?(_ text: [UInt8]) {
    self.text = text
    bytes.reserveCapacity(text.count)
    values.reserveCapacity(32)
    // The pointer is valid in this closure; the reader does not outlive it.
    let isRead = text.withUnsafeBufferPointer { buffer in
      var reader = JSONReader(bytes: buffer, options: .init())
      do throws(JSONParseError) {
        try read(from: &reader)
        return true
      } catch {
        return false
      }
    }
    guard isRead else { return nil }
  }

  private mutating func read(from reader: inout JSONReader) throws(JSONParseError) {
    var rest = 0
    while let byte = reader.current {
      let start = reader.position
      var range = start..<start
      var form = Value.Form.number
      switch byte {
      case UInt8(ascii: "\""):
        form = try reader.skipString() ? .plainString : .string
        range = (start + 1)..<(reader.position - 1)
        if range.isEmpty || reader.isBeforeColon { continue }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        try reader.skipNumber()
        range = start..<reader.position
      case 0x20...0xFF, 0x09, 0x0A, 0x0D:
        reader.position += 1
        continue
      default: throw reader.error(.syntax, "a control character outside a string")
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: reader.bytes[rest..<start]))
      bytes.append(form == .number ? 0x02 : 0x01)
      values.append(Value(range: range, form: form))
      rest = reader.position
    }
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: reader.bytes[rest...]))
  }

  /// The content of a string.
  package func string(_ value: Value) -> String? {
    switch value.form {
    case .number: nil
    case .plainString: String(decoding: text[value.range], as: UTF8.self)
    case .string:
      try? JSON.parse(Array(text[(value.range.lowerBound - 1)...value.range.upperBound])).string
    }
  }
}

extension JSON {
  /// A place for a value, which is written as `gapByte`.
  package static let gap = JSON.number(Number(uncheckedLexeme: "\u{1}"))
  /// A control character, which no JSON contains.
  package static let gapByte: UInt8 = 1
}

extension [UInt8] {
  /// Appends a value of an outline as JSON that has only the necessary escapes.
  package mutating func append(_ value: JSONOutline.Value, of outline: JSONOutline) {
    switch value.form {
    case .number: append(contentsOf: outline.text[value.range])
    case .plainString:
      // With its quotes.
      append(contentsOf: outline.text[(value.range.lowerBound - 1)...value.range.upperBound])
    case .string: appendJSONString(outline.string(value) ?? "")
    }
  }
}
