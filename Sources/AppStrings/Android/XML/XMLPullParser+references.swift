internal import JSON

/// References to entities and characters (XML 1.0 §4.4).
extension XMLPullParser {
  mutating func readReference() throws(Fault) {
    let reference = readReferenceName()
    guard case .entity(let name) = reference, case .text(let replacement)? = entities[ExactText(name)] else {
      var expanded: [UInt8] = []
      try expand(reference, into: &expanded, within: [])
      text.append(contentsOf: expanded)
      return
    }
    try countExpansion(of: name, bytes: replacement.count, within: outer.map(\.entity))
    outer.append(Frame(bytes: bytes, position: position, entity: name, openCount: open.count))
    bytes = replacement
    position = 0
  }

  /// Back to what the entity was referred from; false in the document itself.
  mutating func leaveEntity() throws(Fault) -> Bool {
    guard let frame = outer.last else { return false }
    guard open.count == frame.openCount else {
      throw fault("The entity &\(frame.entity.firstScalars); begins an element that it does not end.")
    }
    outer.removeLast()
    bytes = frame.bytes
    position = frame.position
    return true
  }

  /// Appends what a reference stands for. O(expansion); the depth is bounded by the limits.
  mutating func expand(
    _ reference: XMLReference, into output: inout [UInt8], within entities: [String]
  ) throws(Fault) {
    switch reference {
    case .character(let scalar): output.append(contentsOf: Array(String(scalar).utf8))
    case .bareAmpersand:
      record("\"&\" has to be written \"&amp;\".")
      output.append(UInt8(ascii: "&"))
    case .noCharacter(let digits):
      record("&#\(digits.firstScalars); is no character that XML may hold.")
    case .entity(let name):
      switch self.entities[ExactText(name)] {
      case .external?: record("&\(name.firstScalars); is an external entity, which is not read.")
      case nil:
        record("&\(name.firstScalars); is not declared.")
        output.append(contentsOf: Array("&\(name);".utf8))
      case .text(let replacement)?:
        try countExpansion(of: name, bytes: replacement.count, within: entities)
        var inner = XMLReferenceScanner(bytes: replacement)
        while let piece = inner.next() {
          switch piece {
          case .byte(UInt8(ascii: "<")): throw fault("&\(name.firstScalars); puts \"<\" into an attribute.")
          case .byte(let byte): output.append(byte.isXMLSpace ? 0x20 : byte)
          case .reference(let reference): try expand(reference, into: &output, within: entities + [name])
          }
        }
      }
    }
  }

  private mutating func countExpansion(of name: String, bytes: Int, within: [String]) throws(Fault) {
    if within.contains(where: { $0.hasSameBytes(as: name) }) {
      throw fault("The entity &\(name.firstScalars); refers to itself.")
    }
    guard within.count < limits.entityDepthMax else {
      throw fault("Entities nest deeper than \(limits.entityDepthMax).")
    }
    expansionBytes += bytes + 1
    guard expansionBytes <= limits.expansionBytesMax else {
      throw fault("Entities expand to more than \(limits.expansionBytesMax) bytes.")
    }
  }

  mutating func readReferenceName() -> XMLReference {
    var scanner = XMLReferenceScanner(bytes: bytes, position: position)
    guard case .reference(let reference)? = scanner.next() else { return .bareAmpersand }
    position = scanner.position
    return reference
  }
}
