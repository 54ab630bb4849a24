internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

/// One text slot of a message on one platform.
struct SlotText: Equatable {
  /// Android: wins over the key. iOS: replaces a missing key.
  var literal: String?
  var key: String?
  var args: [String] = []
}

/// The text slots of an FCM message as each platform receives them (FCM v1 reference, `AndroidNotification`,
/// `ApnsConfig`; the top-level `notification` reaches both).
struct MessageTexts {
  private let message: JSON

  init(_ message: JSON) { self.message = message }

  subscript(slot: TextSlot.Name, platform: AppPlatform) -> SlotText {
    let shared = slot == .subtitle ? nil : message["notification"]?[slot.rawValue]?.string
    switch platform {
    case .android:
      guard slot != .subtitle else { return SlotText() }
      let notification =
        message["android"]?["notification"] ?? message["android_v2"]?["remote_notification"]?["notification"]
      return SlotText(
        literal: notification?[slot.rawValue]?.string ?? shared,
        key: notification?["\(slot.rawValue)_loc_key"]?.string,
        args: Self.strings(notification?["\(slot.rawValue)_loc_args"]))
    case .ios:
      let alert = message["apns"]?["payload"]?["aps"]?["alert"]
      if let text = alert?.string { return SlotText(literal: slot == .body ? text : nil) }
      // A text of a Live Activity.
      if let text = alert?[slot.rawValue], text.object != nil {
        return SlotText(key: text["loc-key"]?.string, args: Self.strings(text["loc-args"]))
      }
      let prefix = slot == .body ? "" : "\(slot.rawValue)-"
      return SlotText(
        literal: alert?[slot.rawValue]?.string ?? shared, key: alert?["\(prefix)loc-key"]?.string,
        args: Self.strings(alert?["\(prefix)loc-args"]))
    }
  }

  private static func strings(_ value: JSON?) -> [String] { value?.array?.compactMap(\.string) ?? [] }
}
