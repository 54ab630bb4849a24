package import JSON

/// The rules of FCM, APNs and the web push services for a message, beyond the types of its fields. Values of
/// the wrong type are ignored here; `MessageSchema` reports them.
package enum MessageRules {
  /// The longest ttl: 28 days (FCM v1 reference, `AndroidConfig.ttl`).
  package static let ttlSecondsMax = 2_419_200

  /// All rules that a complete `Message` violates, including the rules of its parts.
  package static func violations(inMessage message: JSON) -> [MessageViolation] {
    guard let object = message.object else { return [] }
    let location = MessageLocation([.key("message")])
    var check = RuleCheck(isPartial: false)
    check.target(of: object, at: location)
    check.object(object, of: .message, at: location)
    check.backgroundPush(of: object, at: location)
    check.liveActivity(of: object, at: location)
    check.ineffectiveText(of: object, at: location)
    check.payloadSizes(of: message, at: location)
    return check.violations
  }

  /// All rules that a part of a message, such as one `AndroidConfig`, and the objects in it violate. With
  /// `isPartial`, missing fields are not reported, because the part is still to be merged with another.
  package static func violations(
    in value: JSON, of type: MessageSchema.ObjectType, at path: [PathStep] = [], isPartial: Bool = false
  ) -> [MessageViolation] {
    guard let object = value.object else { return [] }
    var check = RuleCheck(isPartial: isPartial)
    check.object(object, of: type, at: MessageLocation(path))
    return check.violations
  }

  /// All rules that some members of a `Message` violate together, as far as they do not concern its target or
  /// its size. With `showsNothing`, no other member displays anything on Apple devices.
  package static func violations(inMembers members: JSON.Object, showsNothing: Bool) -> [MessageViolation] {
    var check = RuleCheck(isPartial: false)
    check.object(members, of: .message, at: MessageLocation([]))
    if showsNothing { check.backgroundPush(of: members, at: MessageLocation([])) }
    return check.violations
  }
}

/// Collects the violations of one message or part. Extensions in other files hold the rules of each part.
struct RuleCheck {
  private(set) var violations: [MessageViolation] = []
  private var ineffectiveCount = 0
  let isPartial: Bool

  init(isPartial: Bool) { self.isPartial = isPartial }

  mutating func object(
    _ object: JSON.Object, of type: MessageSchema.ObjectType, at location: MessageLocation
  ) {
    let part = MessagePart(object: object, type: type, location: location)
    switch type {
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
    for field in MessageSchema.fields(of: type) {
      guard case .object(let nestedType) = field.type, let nested = part.member(field.name),
        let nestedObject = nested.value.object
      else { continue }
      self.object(nestedObject, of: nestedType, at: nested.location)
    }
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

/// An object of a message with its type. Its fields are read by proto name, in either spelling.
struct MessagePart {
  let object: JSON.Object
  let type: MessageSchema.ObjectType
  let location: MessageLocation

  struct Member {
    let value: JSON
    let location: MessageLocation
  }

  /// The field `name`, if it is present and not null. The last of several wins, as on Google's servers.
  func member(_ name: String) -> Member? {
    guard let field = MessageSchema.field(name, of: type),
      let member = object.members.last(where: {
        $0.key.hasSameBytes(as: field.name) || $0.key.hasSameBytes(as: field.jsonName)
      }), !member.value.isNull
    else { return nil }
    return Member(value: member.value, location: location.member(member.key, named: field.name))
  }

  func text(_ name: String) -> (value: String, location: MessageLocation)? {
    guard let member = member(name), let text = member.value.string else { return nil }
    return (text, member.location)
  }

  /// The object in the field `name`, as a part of its own.
  func part(_ name: String) -> MessagePart? {
    guard let member = member(name), let object = member.value.object,
      let field = MessageSchema.field(name, of: type), case .object(let nested) = field.type
    else { return nil }
    return MessagePart(object: object, type: nested, location: member.location)
  }

  /// The entries of the map in the field `name`, with the location of each value.
  func entries(_ name: String) -> [(key: String, value: JSON, location: MessageLocation)] {
    guard let member = member(name), let object = member.value.object else { return [] }
    return object.members.enumerated().map { index, entry in
      (entry.key, entry.value, member.location.mapValue(entry.key, at: index))
    }
  }
}
