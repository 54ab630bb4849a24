internal import Catalog
internal import Clock
internal import FCMMessage
internal import JSON

/// A message as a template has it: the keys of its texts with their args, and its other fields.
struct MessageParts {
  struct Text: Equatable {
    var key: String
    var args: [String]
  }

  private(set) var texts: [TextSlot.Name: [AppPlatform: Text]] = [:]
  /// FCM's fields by their proto names, without the target, the texts and the identity that the gateway adds.
  private(set) var fields: JSON.Object
  /// The literal texts that were left out because they hid a key on Android.
  private(set) var hidingLiterals: [TextSlot.Name] = []

  /// Nil for a message to a Live Activity, whose template differs from all others.
  init?(_ message: JSON) {
    let named = MessageSchema.withProtoNames(message, of: .message)
    guard var fields = named.object, named["apns"]?["live_activity_token"] == nil else { return nil }
    fields.members.removeAll { $0.key == "name" || Target(field: $0.key, value: "") != nil }
    self.fields = fields
    for slot in [TextSlot.Name.title, .body] { takeAndroid(slot) }
    for slot in TextSlot.Name.allCases { takeApple(slot) }
    removeIdentity(["android", "notification"], "tag")
    removeIdentity(["apns", "headers"], "apns-collapse-id")
  }

  /// Of what `MessageShape` makes of a message; nil for anything else.
  init?(shape: JSON) {
    guard let fields = shape["fields"]?.object else { return nil }
    (self.fields, texts) = (fields, MessageShape.texts(in: shape))
  }

  private mutating func takeAndroid(_ slot: TextSlot.Name) {
    let place = ["android", "notification"]
    let names = (key: "\(slot.rawValue)_loc_key", args: "\(slot.rawValue)_loc_args")
    guard let text = text(at: place, names) else { return }
    texts[slot, default: [:]][.android] = text
    for name in [names.key, names.args] { remove(place, name) }
    // The literal wins there, and a catalog that has both does not load.
    for literal in [place, ["notification"]] where remove(literal, slot.rawValue) {
      hidingLiterals.append(slot)
    }
  }

  private mutating func takeApple(_ slot: TextSlot.Name) {
    let place = ["apns", "payload", "aps", "alert"]
    let prefix = slot == .body ? "" : "\(slot.rawValue)-"
    let names = (key: "\(prefix)loc-key", args: "\(prefix)loc-args")
    // A literal beside a key is what an iPhone shows that lacks the key; both stay as they are.
    guard let text = text(at: place, names), value(at: place)?[slot.rawValue] == nil else { return }
    texts[slot, default: [:]][.ios] = text
    for name in [names.key, names.args] { remove(place, name) }
  }

  private func text(at place: [String], _ names: (key: String, args: String)) -> Text? {
    guard let object = value(at: place), let key = object[names.key]?.string, !key.isEmpty else { return nil }
    let args = object[names.args]?.array ?? []
    let texts = args.compactMap(\.string)
    return texts.count == args.count ? Text(key: key, args: texts) : nil
  }

  private func value(at place: [String]) -> JSON? {
    place.reduce(JSON.object(fields) as JSON?) { $0?[$1] }
  }

  private mutating func removeIdentity(_ place: [String], _ name: String) {
    guard let id = value(at: place)?[name]?.string, UUIDv7(id) != nil else { return }
    remove(place, name)
  }

  /// Removes a member, and the objects that this empties; whether there was one.
  @discardableResult
  private mutating func remove(_ place: [String], _ name: String) -> Bool {
    Self.remove(place[...], name, from: &fields)
  }

  private static func remove(
    _ place: ArraySlice<String>, _ name: String, from object: inout JSON.Object
  ) -> Bool {
    guard let first = place.first else {
      defer { object[name] = nil }
      return object.has(name)
    }
    guard var inner = object[first]?.object, remove(place.dropFirst(), name, from: &inner) else {
      return false
    }
    object[first] = inner.isEmpty ? nil : .object(inner)
    return true
  }
}
