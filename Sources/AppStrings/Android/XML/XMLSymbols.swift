internal import Glibc

/// The names and attributes of a document's tags, all in one buffer.
struct XMLSymbols {
  struct Attribute {
    let name: Range<Int>
    let value: Range<Int>
    /// Whether the name has a prefix or is `xmlns`.
    let isQualified: Bool
  }

  private(set) var bytes: [UInt8] = []
  private(set) var attributes: [Attribute] = []

  /// The text of a name or value.
  subscript(place: Range<Int>) -> String { String(decoding: bytes[place], as: UTF8.self) }

  /// Adds a name and returns its place.
  mutating func add(_ name: UnsafePointer<CChar>) -> Range<Int> {
    let start = bytes.count
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: name, count: strlen(name)))
    return start..<bytes.count
  }

  mutating func add(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>) {
    let isQualified = strchr(name, Int32(UInt8(ascii: ":"))) != nil || strcmp(name, "xmlns") == 0
    attributes.append(Attribute(name: add(name), value: add(value), isQualified: isQualified))
  }

  /// The value of an attribute without prefix, among those with these indices.
  func value(of name: StaticString, among indices: Range<Int>) -> String? {
    indices.first { holds(name, at: attributes[$0].name) }.map { self[attributes[$0].value] }
  }

  private func holds(_ name: StaticString, at place: Range<Int>) -> Bool {
    place.count == name.utf8CodeUnitCount
      && name.withUTF8Buffer { name in zip(name, place).allSatisfy { $0 == bytes[$1] } }
  }
}
