internal import JSON

/// Where placeholders belong in a message: in place of a member's value, or in a new member.
struct PlaceholderPlaces {
  private struct Place {
    /// The keys of the objects that lead to the member, and its own, as the message has them.
    var path: ArraySlice<String>
    let kind: SealedMessage.Placeholder.Kind
    let suffix: StaticString
  }

  private var places: [Place] = []
  private var writer = JSONWriter(reserving: 1024)
  private var placeholders: [SealedMessage.Placeholder] = []

  /// Adds a text that consists of a placeholder and `suffix`. Objects on the way that the message lacks are
  /// made.
  mutating func add(_ kind: SealedMessage.Placeholder.Kind, at path: [String], suffix: StaticString = "") {
    places.append(Place(path: path[...], kind: kind, suffix: suffix))
  }

  /// The members of `message`, without its target, with the placeholders in them.
  func sealed(_ message: JSON.Object) -> SealedMessage {
    var copy = self
    let members = message.filter { Target(field: $0.key, value: "") == nil }
    copy.append(JSON.Object(members), places)
    return SealedMessage(bytes: copy.writer.bytes, placeholders: copy.placeholders)
  }

  private mutating func append(_ object: JSON.Object, _ places: [Place]) {
    var left = places
    for member in object {
      let here = Self.take(member.key, from: &left)
      begin(member.key)
      if here.isEmpty { writer.append(member.value) } else { append(here, in: member.value) }
    }
    while let key = left.first?.path.first {
      begin(key)
      append(Self.take(key, from: &left), in: .null)
    }
  }

  /// Appends the value of a member that has placeholders in it.
  private mutating func append(_ places: [Place], in value: JSON) {
    if let place = places.first, place.path.isEmpty {
      writer.appendRaw("\"")
      placeholders.append(SealedMessage.Placeholder(offset: writer.bytes.count, kind: place.kind))
      writer.appendRaw(place.suffix)
      writer.appendRaw("\"")
    } else {
      writer.appendRaw("{")
      append(value.object ?? .init(), places)
      writer.appendRaw("}")
    }
  }

  private mutating func begin(_ key: String) {
    if let last = writer.bytes.last, last != UInt8(ascii: "{") { writer.appendRaw(",") }
    writer.append(key)
    writer.appendRaw(":")
  }

  /// Removes the places below a key, and returns them with what is left of their paths.
  private static func take(_ key: String, from places: inout [Place]) -> [Place] {
    guard !places.isEmpty else { return [] }
    let isHere = { (place: Place) in place.path.first?.hasSameBytes(as: key) == true }
    let taken = places.filter(isHere)
    places.removeAll(where: isHere)
    return taken.map { Place(path: $0.path.dropFirst(), kind: $0.kind, suffix: $0.suffix) }
  }
}
