/// Writes compact JSON in UTF-8, with only the escapes that RFC 8259 §7 requires.
package struct JSONWriter {
  /// The JSON so far, to which callers may append JSON that they format themselves.
  package var bytes: [UInt8] = []

  package init(reserving capacity: Int = 256) { bytes.reserveCapacity(capacity) }

  /// Appends bytes that are already JSON.
  package mutating func appendRaw(_ raw: [UInt8]) { bytes.append(contentsOf: raw) }

  /// Appends text that is already JSON, or the content of a JSON string that needs no escapes.
  package mutating func appendRaw(text: String) { bytes.append(contentsOf: text.utf8) }
  /// Appends a constant that is already JSON.
  package mutating func appendRaw(_ raw: StaticString) {
    raw.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Appends `text` as a JSON string with its quotes.
  package mutating func append(_ text: String) { bytes.appendJSONString(text) }

  /// Appends `value`.
  package mutating func append(_ value: JSON) {
    switch value {
    case .null: appendRaw("null")
    case .bool(let value): value ? appendRaw("true") : appendRaw("false")
    case .number(let number): bytes.append(contentsOf: number.lexeme.utf8)
    case .string(let text): bytes.appendJSONString(text)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        append(element)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in object.members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.appendJSONString(member.key)
        bytes.append(UInt8(ascii: ":"))
        append(member.value)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}

extension JSON {
  /// The value as compact UTF-8 JSON.
  package var serialized: [UInt8] {
    var writer = JSONWriter()
    writer.append(self)
    return writer.bytes
  }

  /// The value as JSON indented by two spaces, for people; a short array of scalars stays on one line.
  package var prettyPrinted: String {
    var text = ""
    appendPretty(to: &text, indent: "")
    return text
  }

  private var isScalar: Bool {
    switch self {
    case .array, .object: false
    case .null, .bool, .number, .string: true
    }
  }

  private func appendPretty(to text: inout String, indent: String) {
    let deeper = indent + "  "
    switch self {
    case .array(let elements) where elements.allSatisfy(\.isScalar) && serialized.count <= 80:
      let parts = elements.map { String(decoding: $0.serialized, as: UTF8.self) }
      text += "[\(parts.joined(separator: ", "))]"
    case .array(let elements) where !elements.isEmpty:
      text += "[\n"
      for (index, element) in elements.enumerated() {
        text += deeper
        element.appendPretty(to: &text, indent: deeper)
        text += index == elements.count - 1 ? "\n" : ",\n"
      }
      text += indent + "]"
    case .object(let object) where !object.isEmpty:
      text += "{\n"
      for (index, member) in object.members.enumerated() {
        text += deeper + String(decoding: JSON.string(member.key).serialized, as: UTF8.self) + ": "
        member.value.appendPretty(to: &text, indent: deeper)
        text += index == object.count - 1 ? "\n" : ",\n"
      }
      text += indent + "}"
    default: text += String(decoding: serialized, as: UTF8.self)
    }
  }
}

extension [UInt8] {
  /// Appends `text` as a JSON string with its quotes.
  package mutating func appendJSONString(_ text: String) {
    append(UInt8(ascii: "\""))
    appendJSONEscaped(text)
    append(UInt8(ascii: "\""))
  }

  /// Appends `text` as the content of a JSON string, without the quotes.
  package mutating func appendJSONEscaped(_ text: String) {
    // Nearly all text is in one piece, which needs no copy whose references would be counted.
    let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { appendJSONEscaped($0) }
    guard isDone == nil else { return }
    var text = text
    text.withUTF8 { appendJSONEscaped($0) }
  }

  private mutating func appendJSONEscaped(_ utf8: UnsafeBufferPointer<UInt8>) {
    var start = 0
    while true {
      let escape = utf8.firstEscape(from: start)
      append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<escape]))
      guard escape < utf8.count else { return }
      appendEscape(of: utf8[escape])
      start = escape + 1
    }
  }

  private mutating func appendEscape(of byte: UInt8) {
    append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: append(UInt8(ascii: "b"))
    case 0x09: append(UInt8(ascii: "t"))
    case 0x0A: append(UInt8(ascii: "n"))
    case 0x0C: append(UInt8(ascii: "f"))
    case 0x0D: append(UInt8(ascii: "r"))
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
    default:
      append(contentsOf: "u00".utf8)
      for nibble in [byte >> 4, byte & 0x0F] {
        append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
      }
    }
  }
}
