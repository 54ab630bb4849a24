internal import Catalog
internal import Clock
internal import JSON

/// Reads an object's fields by name and type, each once, and collects every mistake.
struct RequestReader {
  let object: JSON.Object
  private let place: Place
  /// The names of all fields that it may have, in the order in which messages name them.
  private let fields: [String]
  /// The members that were read, by their bits; those from the 65th on are not noted.
  private var readMembers: UInt64 = 0
  var errors = InputErrors()

  /// Reads the object at `base`, or in its member of a name. The pointer is only put together for a mistake.
  init(object: JSON.Object, pointer base: JSONPointer, member: String? = nil, fields: [String]) {
    self.object = object
    place = Place(base: base, member: member)
    self.fields = fields
  }

  private struct Place {
    let base: JSONPointer
    /// The member of `base` that is read; nil for `base` itself.
    let member: String?

    var pointer: JSONPointer { member.map(base.appending) ?? base }
  }

  /// The place of the object.
  var pointer: JSONPointer { place.pointer }

  mutating func string(_ name: String) -> String? {
    take(name, "a string") { $0.string }
  }

  /// A moment in RFC 3339 form.
  mutating func time(_ name: String, isRequired: Bool = false) -> Timestamp? {
    guard let text = take(name, "a string", isRequired: isRequired, { $0.string }) else { return nil }
    if let time = Timestamp(rfc3339: text) { return time }
    report(name, .invalid, "An RFC 3339 time is expected, such as 2026-11-21T12:00:00Z.")
    return nil
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
    assert(fields.contains(name), "the field \(name) is not among those that the object may have")
    // Most requests have few of the fields that they may have.
    guard !isRead, let index = object.index(of: name) else { return nil }
    if index < UInt64.bitWidth {
      assert(readMembers & 1 << UInt64(index) == 0, "the field \(name) was read before")
      readMembers |= 1 << UInt64(index)
    }
    return object.members[index].value
  }

  /// Whether the object has a field that was not read yet.
  func has(_ name: String) -> Bool { !isRead && object.has(name) }

  /// Whether all members were read.
  private var isRead: Bool {
    object.count < UInt64.bitWidth && readMembers == (1 << UInt64(object.count)) - 1
  }

  /// The app that the request names, and whether that can be told: an `app` of another type is not absent.
  mutating func app() -> (name: String?, isReadable: Bool) {
    let isPresent = has("app")
    let name = string("app")
    return (name, name != nil || !isPresent)
  }

  mutating func requiredString(_ name: String) -> String? {
    take(name, "a string", isRequired: true) { $0.string }
  }

  mutating func requiredObject(_ name: String) -> JSON.Object? {
    take(name, "an object", isRequired: true) { $0.object }
  }

  mutating func requiredArray(_ name: String) -> [JSON]? {
    take(name, "an array", isRequired: true) { $0.array }
  }

  mutating func report(_ name: String, _ code: InputError.Code, _ detail: @autoclosure () -> String) {
    let place = place
    errors.append(InputError(pointer: place.pointer.appending(name), code: code, detail: detail()))
  }

  /// Reports every field that the object may not have.
  mutating func refuseUnknownFields() {
    if isRead { return }
    let fields = fields
    for member in object where !fields.contains(where: { $0.hasSameBytes(as: member.key) }) {
      report(member.key, .unknown, Self.unknown(member.key, besides: fields))
    }
  }

  private static func unknown(_ name: String, besides fields: [String]) -> String {
    if let nearest = nearestName(to: name, among: fields) { return "No such field; did you mean \(nearest)?" }
    return "No such field; the fields are: \(fields.joined(separator: ", "))."
  }

  private mutating func take<Value>(
    _ name: String, _ kind: String, isRequired: Bool = false, _ convert: (JSON) -> Value?
  ) -> Value? {
    guard let value = any(name) else {
      if isRequired { report(name, .missing, "It is required.") }
      return nil
    }
    if let converted = convert(value) { return converted }
    report(
      name, .wrongType, "\(kind.prefix(1).uppercased())\(kind.dropFirst()) is expected, not \(value.kind).")
    return nil
  }
}
