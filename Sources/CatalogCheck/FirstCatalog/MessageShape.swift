internal import Catalog
internal import FCMMessage
package import JSON

/// A message as it may be kept: the keys of its texts with the number of their args, and its fields, without
/// its target, args, literal texts and data.
package enum MessageShape {
  /// A shape beyond this size is not kept.
  private static let bytesMax = 8_192

  /// Nil for a message of which no template can be drafted.
  package static func json(of message: JSON) -> JSON? {
    guard let parts = MessageParts(message) else { return nil }
    let texts = parts.texts.sorted { $0.key.rawValue < $1.key.rawValue }.map { slot, texts in
      let platforms = texts.sorted { $0.key.rawValue < $1.key.rawValue }.map { platform, text in
        (platform.rawValue, ["key": .string(text.key), "args": JSON(text.args.count)] as JSON)
      }
      return (slot.rawValue, JSON.object(.init(platforms)))
    }
    let fields = redacted(.object(parts.fields), named: "", .object(.message))
    let shape: JSON = ["texts": .object(.init(texts)), "fields": fields]
    return shape.serialized.count <= bytesMax ? shape : nil
  }

  /// The texts of a shape, with args named by their positions.
  static func texts(in shape: JSON) -> [TextSlot.Name: [AppPlatform: MessageParts.Text]] {
    var texts: [TextSlot.Name: [AppPlatform: MessageParts.Text]] = [:]
    for slot in TextSlot.Name.allCases {
      for platform in AppPlatform.allCases {
        guard let text = shape["texts"]?[slot.rawValue]?[platform.rawValue], let key = text["key"]?.string
        else { continue }
        let count = min(max(0, Int(clamping: text["args"]?.int64 ?? 0)), argsMax)
        texts[slot, default: [:]][platform] = MessageParts.Text(
          key: key, args: (0..<count).map { "\(slot.rawValue)_\($0 + 1)" })
      }
    }
    return texts
  }

  /// More args than any text has.
  private static let argsMax = 100

  /// Strings that a sender chooses from a few, and that say nothing about anybody.
  private static let kept: Set<String> = [
    "channel_id", "icon", "color", "sound", "click_action", "category", "interruption-level",
    "analytics_label",
    "restricted_package_name", "apns-priority", "apns-push-type", "apns-topic", "Urgency", "title_loc_key",
    "body_loc_key", "title-loc-key", "subtitle-loc-key", "loc-key",
  ]

  /// `{"$param": NAME, "$type": TYPE}` in place of each value that may be about somebody.
  private static func redacted(_ value: JSON, named name: String, _ type: MessageSchema.FieldType) -> JSON {
    switch value {
    case .null, .bool: return value
    case .object(let object):
      return .object(
        .init(
          object.members.map { member in
            let inner: MessageSchema.FieldType =
              if case .object(let fields) = type {
                MessageSchema.field(member.key, of: fields)?.type ?? .freeObject
              } else {
                .freeObject
              }
            return (member.key, redacted(member.value, named: member.key, inner))
          }))
    case .array(let elements):
      let inner: MessageSchema.FieldType = if case .list(let element) = type { element } else { .freeObject }
      return .array(elements.map { redacted($0, named: name, inner) })
    case .number(let number):
      if ["content-available", "mutable-content"].contains(name) || type == .float { return value }
      return marker(name, number.int64 == nil ? "number" : "integer")
    case .string:
      switch type {
      case .enumeration, .duration, .timestamp: return value
      default: return kept.contains(name) ? value : marker(name, "string")
      }
    }
  }

  private static func marker(_ name: String, _ type: String) -> JSON {
    ["$param": .string(name), "$type": .string(type)]
  }
}
