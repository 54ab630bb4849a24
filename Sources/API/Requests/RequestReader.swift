internal import Catalog
internal import JSON

/// Reads an object's fields by name and type, remembers which ones were read, and collects every mistake.
struct RequestReader {
  let object: JSON.Object
  let pointer: JSONPointer
  private(set) var known: [String] = []
  /// The members that were read, by their bits; those from the 65th on are not noted.
  private var readMembers: UInt64 = 0
  var errors: InputErrors = []

  init(object: JSON.Object, pointer: JSONPointer) {
    self.object = object
    self.pointer = pointer
    known.reserveCapacity(16)
  }

  mutating func string(_ name: String) -> String? {
    take(name, "a string") { $0.string }
  }

  mutating func bool(_ name: String) -> Bool? {
    take(name, "a boolean") { $0.bool }
  }

  mutating func number(_ name: String) -> JSON.Number? {
    take(name, "a number") { $0.number }
  }

  mutating func object(_ name: String) -> JSON.Object? {
    take(name, "an object") { $0.object }
  }

  mutating func array(_ name: String) -> [JSON]? {
    take(name, "an array") { $0.array }
  }

  /// The value as it is, of any type.
  mutating func any(_ name: String) -> JSON? {
    known.append(name)
    guard let index = object.index(of: name) else { return nil }
    if index < UInt64.bitWidth { readMembers |= 1 << UInt64(index) }
    return object.members[index].value
  }

  mutating func requiredString(_ name: String) -> String? {
    requirePresence(of: name)
    return string(name)
  }

  mutating func requiredObject(_ name: String) -> JSON.Object? {
    requirePresence(of: name)
    return object(name)
  }

  mutating func requiredArray(_ name: String) -> [JSON]? {
    requirePresence(of: name)
    return array(name)
  }

  mutating func report(_ name: String, _ code: InputError.Code, _ detail: @autoclosure () -> String) {
    errors.append(InputError(pointer: pointer.appending(name), code: code, detail: detail()))
  }

  /// Reports every field that has not been read.
  mutating func refuseUnknownFields() {
    if object.count < UInt64.bitWidth, readMembers == (1 << UInt64(object.count)) - 1 { return }
    let known = known
    for member in object where !known.contains(where: { $0.hasSameBytes(as: member.key) }) {
      report(member.key, .unknown, "No such field; the fields are: \(known.joined(separator: ", ")).")
    }
  }

  private mutating func requirePresence(of name: String) {
    if !object.has(name) { report(name, .missing, "It is required.") }
  }

  private mutating func take<Value>(_ name: String, _ kind: String, _ convert: (JSON) -> Value?) -> Value? {
    guard let value = any(name) else { return nil }
    if let converted = convert(value) { return converted }
    report(
      name, .wrongType, "\(kind.prefix(1).uppercased())\(kind.dropFirst()) is expected, not \(value.kind).")
    return nil
  }
}
