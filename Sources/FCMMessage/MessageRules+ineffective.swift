internal import JSON

extension RuleCheck {
  /// On Android a literal text wins over the loc key, even one that stands in the common notification, so that
  /// nobody would see a translation (firebase-android-sdk, `NotificationParams`).
  mutating func ineffectiveText(of message: JSON.Object, at location: MessageLocation) {
    let whole = MessagePart(object: message, type: .message, location: location)
    let android = whole.part("android")?.part("notification")
    let remote = whole.part("android_v2")?.part("remote_notification")?.part("notification")
    guard let own = android ?? remote else { return }
    for slot in ["title", "body"] {
      guard let (key, _) = own.text("\(slot)_loc_key"), !key.isEmpty,
        let literal = own.text(slot) ?? whole.part("notification")?.text(slot), !literal.value.isEmpty
      else { continue }
      add(
        literal.location,
        "On Android the literal \(slot) wins over \(slot)_loc_key: no translation is shown.",
        .ineffective)
    }
  }
}
