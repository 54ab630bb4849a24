internal import JSON

extension RuleCheck {
  /// Reports literal texts that hide a translation: on Android a literal overrides the loc key, even a
  /// literal in the common notification (firebase-android-sdk, `NotificationParams`).
  mutating func ineffectiveText(of whole: MessagePart) {
    let android = whole.part("android")?.part("notification")
    let remote = whole.part("android_v2")?.part("remote_notification")?.part("notification")
    guard let own = android ?? remote else { return }
    for slot in ["title", "body"] {
      guard let (key, _) = own.text("\(slot)_loc_key"), !key.isEmpty,
        let literal = own.text(slot) ?? whole.part("notification")?.text(slot), !literal.value.isEmpty
      else { continue }
      add(
        literal.location,
        "On Android the literal \(slot) overrides \(slot)_loc_key, so no translation is displayed.",
        .ineffective)
    }
  }
}
