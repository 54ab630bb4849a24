internal import JSON

/// The document type declaration, of which only general entities with a literal value matter (XML 1.0 §2.8, §4.2).
extension XMLPullParser {
  mutating func readDoctype() throws(Fault) {
    position += 9
    while let byte = byte(after: 0) {
      switch byte {
      case UInt8(ascii: ">"):
        position += 1
        return
      case UInt8(ascii: "["):
        position += 1
        try readInternalSubset()
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        try skipLiteral()
      default:
        position += 1
      }
    }
    throw fault("The document type declaration is never closed.")
  }

  private mutating func readInternalSubset() throws(Fault) {
    while true {
      skipSpace()
      guard let byte = byte(after: 0) else { break }
      if byte == UInt8(ascii: "]") {
        position += 1
        return
      } else if byte == UInt8(ascii: "%"), let end = find(";") {
        position = end + 1
      } else if isNext("<!--") {
        try skipComment()
      } else if isNext("<?") {
        try skipInstruction()
      } else if isNext("<!ENTITY") {
        position += 8
        try readEntity()
      } else if isNext("<!") {
        try skipDeclaration()
      } else {
        break
      }
    }
    throw fault("The document type declaration is malformed.")
  }

  private mutating func readEntity() throws(Fault) {
    skipSpace()
    guard let name = readName() else { return try skipDeclaration() }
    skipSpace()
    guard let quote = byte(after: 0), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      declare(name, .external)
      return try skipDeclaration()
    }
    position += 1
    let start = position
    while let byte = byte(after: 0), byte != quote { position += 1 }
    let literal = Array(bytes[start..<position])
    declare(name, .text(Self.replacement(of: literal)))
    position += 1
    try skipDeclaration()
  }

  /// The first declaration of a name is binding.
  private mutating func declare(_ name: String, _ entity: Entity) {
    if entities[ExactText(name)] == nil { entities[ExactText(name)] = entity }
  }

  /// Character references are replaced when an entity is declared, entity references when it is used (§4.4.5).
  private static func replacement(of literal: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var scanner = XMLReferenceScanner(bytes: literal)
    var start = 0
    while let piece = scanner.next() {
      switch piece {
      case .byte(let byte): output.append(byte)
      case .reference(.character(let scalar)) where literal[start..<scanner.position].contains(0x23):
        output.append(contentsOf: Array(String(scalar).utf8))
      case .reference:
        output.append(contentsOf: literal[start..<scanner.position])
      }
      start = scanner.position
    }
    return output
  }

  mutating func skipComment() throws(Fault) {
    position += 4
    guard let dashes = find("--") else { throw fault("A comment is never closed.") }
    guard dashes + 2 < bytes.count, bytes[dashes + 2] == UInt8(ascii: ">") else {
      record("\"--\" may not be in a comment.")
      guard let end = find("-->") else { throw fault("A comment is never closed.") }
      position = end + 3
      return
    }
    position = dashes + 3
  }

  mutating func skipInstruction() throws(Fault) {
    if isNext("<?xml "), position > 0 { record("The XML declaration has to be the file's first bytes.") }
    guard let end = find("?>") else { throw fault("A processing instruction is never closed.") }
    position = end + 2
  }

  private mutating func skipLiteral() throws(Fault) {
    let quote = byte(after: 0)
    position += 1
    while let byte = byte(after: 0), byte != quote { position += 1 }
    guard byte(after: 0) != nil else { throw fault("A literal is never closed.") }
    position += 1
  }

  private mutating func skipDeclaration() throws(Fault) {
    while let byte = byte(after: 0) {
      if byte == UInt8(ascii: ">") {
        position += 1
        return
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        try skipLiteral()
      } else {
        position += 1
      }
    }
    throw fault("A declaration is never closed.")
  }
}
