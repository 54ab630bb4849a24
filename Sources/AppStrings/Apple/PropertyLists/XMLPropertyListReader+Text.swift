/// The text of strings and keys, with the references and CDATA sections that CFPropertyList.c resolves.
extension XMLPropertyListReader {
  /// The text up to the next tag, with entities and CDATA sections resolved.
  mutating func readText() throws(PropertyListError) -> String {
    var collected: [UInt8] = []
    var run = position
    while let byte = current {
      if byte == UInt8(ascii: "&") {
        collected.append(contentsOf: bytes[run..<position])
        collected.append(contentsOf: try readReference())
        run = position
      } else if byte == UInt8(ascii: "<") {
        guard position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "!") else { break }
        collected.append(contentsOf: bytes[run..<position])
        collected.append(contentsOf: try readCharacterData())
        run = position
      } else {
        position += 1
      }
    }
    let text: String?
    if collected.isEmpty {
      text = Self.text(UnsafeBufferPointer(rebasing: bytes[run..<position]))
    } else {
      collected.append(contentsOf: bytes[run..<position])
      text = collected.withUnsafeBufferPointer { Self.text($0) }
    }
    guard let text else { throw error(.textNoUTF8) }
    return text
  }

  /// CFString drops a byte order mark at the beginning of each text.
  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    return PropertyListText.decoded(UnsafeBufferPointer(rebasing: bytes[(isMarked ? 3 : 0)...]))
  }

  private mutating func readCharacterData() throws(PropertyListError) -> UnsafeBufferPointer<UInt8> {
    guard starts(with: "<![CDATA[") else { throw error(.noSection) }
    position += 9
    let start = position
    while position < bytes.count {
      if starts(with: "]]>") {
        position += 3
        return UnsafeBufferPointer(rebasing: bytes[start..<position - 3])
      }
      position += 1
    }
    position = start
    throw error(.sectionOpen)
  }

  private static let entities: [(name: StaticString, byte: UInt8)] = [
    ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")), ("&amp;", UInt8(ascii: "&")),
    ("&apos;", UInt8(ascii: "'")), ("&quot;", UInt8(ascii: "\"")),
  ]

  private mutating func readReference() throws(PropertyListError) -> [UInt8] {
    for entity in Self.entities where starts(with: entity.name) {
      position += entity.name.utf8CodeUnitCount
      return [entity.byte]
    }
    guard starts(with: "&#") else {
      throw error(.unknownEntity)
    }
    position += 2
    var radix: UInt32 = 10
    if current == UInt8(ascii: "x") {
      position += 1
      radix = 16
    }
    var number: UInt32 = 0
    for _ in 0...8 {
      guard let byte = current else { break }
      position += 1
      if byte == UInt8(ascii: ";") {
        guard let scalar = Unicode.Scalar(number) else {
          throw error(.referenceNoCharacter)
        }
        return Array(String(scalar).utf8)
      }
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, digit < radix else { break }
      number = number &* radix &+ UInt32(digit)
    }
    throw error(.referenceNoNumber)
  }
}
