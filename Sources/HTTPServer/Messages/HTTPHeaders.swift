/// Header fields in order: one byte buffer with ranges into it, so that a received head is stored unchanged
/// and only the fields that are read become strings.
package struct HTTPHeaders: Sendable, Equatable {
  /// The ranges of a field's name and value in `bytes`.
  struct Field: Sendable, Equatable {
    var nameStart: UInt32
    var nameCount: UInt32
    var valueStart: UInt32
    var valueCount: UInt32

    var nameRange: Range<Int> { Int(nameStart)..<Int(nameStart + nameCount) }
    var valueRange: Range<Int> { Int(valueStart)..<Int(valueStart + valueCount) }
  }

  private(set) var bytes: [UInt8]
  private(set) var fields: [Field]

  /// No fields.
  package init() {
    bytes = []
    fields = []
  }

  /// No fields yet, with room for those that the API and the server add.
  package static var withRoom: HTTPHeaders {
    var headers = HTTPHeaders()
    headers.bytes.reserveCapacity(192)
    headers.fields.reserveCapacity(4)
    return headers
  }

  /// The fields in the given order; a name may occur several times.
  package init(_ list: [(name: String, value: String)]) {
    self.init()
    for (name, value) in list { add(name, value) }
  }

  /// Fields as a parser found them; the ranges lie inside `bytes`.
  init(bytes: [UInt8], fields: [Field]) {
    self.bytes = bytes
    self.fields = fields
  }

  /// The number of field lines.
  package var count: Int { fields.count }

  /// The first value of `name` (compared without case, RFC 9110 §5.1); setting replaces all fields of that
  /// name.
  package subscript(name: String) -> String? {
    get {
      first(named: name).map { text($0.valueRange) }
    }
    set {
      fields = fields.filter { !isNamed($0, name) }
      if let newValue { add(name, newValue) }
    }
  }

  /// The bytes of the first value of a field whose name is `name`, in lower case.
  func firstValue(lowercase name: StaticString) -> ArraySlice<UInt8>? {
    fields.first { ASCII.equalsIgnoringCase(bytes[$0.nameRange], lowercase: name) }.map {
      bytes[$0.valueRange]
    }
  }

  /// Whether the first value of `name` spells `value`, letters compared without case.
  package func has(_ name: String, _ value: String) -> Bool {
    guard let field = first(named: name) else { return false }
    return ASCII.equalsIgnoringCase(bytes[field.valueRange], value)
  }

  /// All values of `name`, one for each field line.
  package func values(of name: String) -> [String] {
    guard first(named: name) != nil else { return [] }
    return fields.filter { isNamed($0, name) }.map { text($0.valueRange) }
  }

  private func first(named name: String) -> Field? {
    let count = name.utf8.count
    for field in fields where Int(field.nameCount) == count && isNamed(field, name) { return field }
    return nil
  }

  /// Appends a field, whether or not there is one of that name.
  package mutating func add(_ name: String, _ value: String) {
    add(name) { $0.append(contentsOf: value.utf8) }
  }

  /// Appends a field, whose value `write` appends.
  package mutating func add(_ name: String, write: (inout [UInt8]) -> Void) {
    let nameStart = bytes.count
    bytes.append(contentsOf: name.utf8)
    let valueStart = bytes.count
    write(&bytes)
    fields.append(
      Field(
        nameStart: UInt32(nameStart), nameCount: UInt32(valueStart - nameStart),
        valueStart: UInt32(valueStart), valueCount: UInt32(bytes.count - valueStart)))
  }

  private func isNamed(_ field: Field, _ name: String) -> Bool {
    guard Int(field.nameCount) == name.utf8.count else { return false }
    return ASCII.equalsIgnoringCase(bytes[field.nameRange], name)
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, String)...) {
    self = .withRoom
    for (name, value) in elements { add(name, value) }
  }
}

extension HTTPHeaders: Sequence {
  /// Iterates over the fields in order, as text.
  package struct Iterator: IteratorProtocol {
    fileprivate let headers: HTTPHeaders
    fileprivate var position = 0

    package mutating func next() -> (name: String, value: String)? {
      guard position < headers.fields.count else { return nil }
      let field = headers.fields[position]
      position += 1
      return (headers.text(field.nameRange), headers.text(field.valueRange))
    }
  }

  package func makeIterator() -> Iterator { Iterator(headers: self) }
}
