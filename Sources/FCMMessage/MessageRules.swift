package import JSON

/// The rules of FCM, APNs and the web push services for a message, beyond the types of its fields. Values of
/// the wrong type are ignored here; `MessageSchema` reports them.
package enum MessageRules {
  /// The longest ttl: 28 days (FCM v1 reference, `AndroidConfig.ttl`).
  package static let ttlSecondsMax = 2_419_200

  /// All rules that a complete `Message` violates, including the rules of its parts.
  package static func violations(inMessage message: JSON) -> [MessageViolation] {
    guard let object = message.object else { return [] }
    return violations(
      in: MessagePart(object: object, type: .message, location: MessageLocation([.key("message")])))
  }

  /// The same for a message whose fields were looked up.
  static func violations(in message: MessagePart) -> [MessageViolation] {
    var check = RuleCheck(isPartial: false)
    check.target(of: message)
    check.part(message)
    check.backgroundPush(of: message)
    check.liveActivity(of: message)
    check.ineffectiveText(of: message)
    check.payloadSizes(of: message)
    return check.violations
  }

  /// All rules that a part of a message, such as one `AndroidConfig`, and the objects in it violate. With
  /// `isPartial`, missing fields are not reported, because the part is still to be merged with another.
  package static func violations(
    in value: JSON, of type: MessageSchema.ObjectType, at path: [PathStep] = [], isPartial: Bool = false
  ) -> [MessageViolation] {
    guard let object = value.object else { return [] }
    var check = RuleCheck(isPartial: isPartial)
    check.part(MessagePart(object: object, type: type, location: MessageLocation(path)))
    return check.violations
  }

  /// All rules that some members of a `Message` violate together, as far as they do not concern its target or
  /// its size. With `showsNothing`, no other member displays anything on Apple devices.
  package static func violations(inMembers members: JSON.Object, showsNothing: Bool) -> [MessageViolation] {
    var check = RuleCheck(isPartial: false)
    let message = MessagePart(object: members, type: .message, location: MessageLocation([]))
    check.part(message)
    if showsNothing { check.backgroundPush(of: message) }
    return check.violations
  }
}

/// Collects the violations of one message or part. Extensions in other files hold the rules of each part.
struct RuleCheck {
  private(set) var violations: [MessageViolation] = []
  private var ineffectiveCount = 0
  let isPartial: Bool

  init(isPartial: Bool) { self.isPartial = isPartial }

  mutating func part(_ part: MessagePart) {
    switch part.type {
    case .message: message(part)
    case .notification: imageURL(part)
    case .fcmOptions, .androidFcmOptions: analyticsLabel(part)
    case .apnsFcmOptions:
      analyticsLabel(part)
      imageURL(part)
    case .webpushFcmOptions:
      analyticsLabel(part)
      link(part)
    case .androidConfig, .androidConfigV2: androidConfig(part)
    case .androidNotification, .androidNotificationV2: androidNotification(part)
    case .lightSettings, .lightSettingsV2: lightSettings(part)
    case .color: color(part)
    case .apnsConfig: apnsConfig(part)
    case .webpushConfig: webpushConfig(part)
    case .sendMessageRequest, .androidRemoteNotification, .androidBackgroundSyncMessage: break
    }
    for case let nested? in part.members.map(\.part) { self.part(nested) }
  }

  mutating func add(
    _ location: MessageLocation, _ description: String, _ kind: MessageViolation.Kind = .invalidValue
  ) {
    guard hasRoom(for: kind) else { return }
    add(MessageViolation(path: location.path, field: location.field, description: description, kind: kind))
  }

  mutating func add(_ violation: MessageViolation) {
    guard hasRoom(for: violation.kind) else { return }
    if violation.kind == .ineffective { ineffectiveCount += 1 }
    violations.append(violation)
  }

  /// Counts ineffective fields separately, so that they never displace violations that FCM rejects.
  func hasRoom(for kind: MessageViolation.Kind) -> Bool {
    let count = kind == .ineffective ? ineffectiveCount : violations.count - ineffectiveCount
    return count < MessageViolation.collectedMax
  }

  private mutating func message(_ part: MessagePart) {
    dataKeys(part)
    if part.member("android") != nil, let second = part.member("android_v2") {
      add(second.location, "Only one of android and android_v2 can be set.", .conflict)
    }
  }
}

/// An object of a message with its type, whose fields are looked up once, and those of the objects in it.
/// They are read by proto name, in either spelling.
final class MessagePart: Sendable {
  let object: JSON.Object
  let type: MessageSchema.ObjectType
  let location: MessageLocation
  /// The fields that are present and not null. The last of several wins, as on Google's servers.
  let members: [Member]

  struct Member: Sendable {
    let name: String
    let value: JSON
    /// The value, if it is an object with a type.
    let part: MessagePart?
    fileprivate let key: String
    fileprivate let parent: MessageLocation

    var location: MessageLocation { parent.member(key, named: name) }
  }

  /// An entry of a map.
  struct Entry {
    let key: String
    let value: JSON
    fileprivate let index: Int
    fileprivate let map: Member

    var location: MessageLocation { map.location.mapValue(key, at: index) }
  }

  init(object: JSON.Object, type: MessageSchema.ObjectType, location: MessageLocation) {
    (self.object, self.type, self.location) = (object, type, location)
    var members: [Member] = []
    members.reserveCapacity(object.count)
    for (key, value) in object {
      guard let field = MessageSchema.field(key, of: type) else { continue }
      if let earlier = Self.index(of: field.name, in: members) { members.remove(at: earlier) }
      if value.isNull { continue }
      var part: MessagePart?
      if case .object(let nested) = field.type, let object = value.object {
        part = MessagePart(object: object, type: nested, location: location.member(key, named: field.name))
      }
      members.append(Member(name: field.name, value: value, part: part, key: key, parent: location))
    }
    self.members = members
  }

  func member(_ name: String) -> Member? { Self.index(of: name, in: members).map { members[$0] } }

  /// Copies no member: that would count the references of all before the one sought.
  private static func index(of name: String, in members: [Member]) -> Int? {
    members.withUnsafeBufferPointer { members -> Int? in
      for index in members.indices where members[index].name.hasSameBytes(as: name) { return index }
      return nil
    }
  }

  func text(_ name: String) -> (value: String, location: MessageLocation)? {
    guard let member = member(name), let text = member.value.string else { return nil }
    return (text, member.location)
  }

  /// The object in the field `name`, as a part of its own.
  func part(_ name: String) -> MessagePart? { member(name)?.part }

  /// The entries of the map in the field `name`.
  func entries(_ name: String) -> [Entry] {
    guard let member = member(name), let object = member.value.object else { return [] }
    return object.members.enumerated().map { index, entry in
      Entry(key: entry.key, value: entry.value, index: index, map: member)
    }
  }
}
