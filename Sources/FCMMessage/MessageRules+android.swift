internal import JSON

extension RuleCheck {
  /// Checks `AndroidConfig` and `AndroidConfigV2`.
  mutating func androidConfig(_ part: MessagePart) {
    dataKeys(part)
    if let (ttl, location) = part.text("ttl"), ProtoDuration(ttl) != nil,
      let problem = MessageRules.ttlProblem(ttl)
    {
      add(location, problem)
    }
    if part.member("remote_notification") != nil, let second = part.member("background_sync") {
      add(second.location, "Only one of remote_notification and background_sync can be set.", .conflict)
    }
  }

  /// Checks `AndroidNotification` and `AndroidNotificationV2`.
  mutating func androidNotification(_ part: MessagePart) {
    for slot in ["title", "body"] { locArgsNeedKey(part, slot) }
    if let (color, location) = part.text("color"), !color.isEmpty, !isHexColor(color) {
      add(location, "Color must be in the form #RRGGBB.")
    }
    imageURL(part)
    if let count = part.member("notification_count"), let value = count.value.wholeNumber, value < 0 {
      add(count.location, "Notification count must not be negative.")
    }
    if let timings = part.member("vibrate_timings") {
      for (index, timing) in (timings.value.array ?? []).enumerated() {
        guard let duration = timing.string.flatMap(ProtoDuration.init), duration.isNegative else { continue }
        add(timings.location.element(index), "Vibrate timings must not be negative.")
      }
    }
  }

  private mutating func locArgsNeedKey(_ part: MessagePart, _ slot: String) {
    guard !isPartial, let args = part.member("\(slot)_loc_args"), args.value.array?.isEmpty == false,
      part.text("\(slot)_loc_key")?.value.isEmpty ?? true
    else { return }
    add(args.location, "\(slot)_loc_key is required when \(slot)_loc_args is set.", .missing)
  }

  /// Checks `LightSettings`: all three fields are required, and durations must not be negative.
  mutating func lightSettings(_ part: MessagePart) {
    for name in ["color", "light_on_duration", "light_off_duration"] where part.member(name) == nil {
      if !isPartial {
        add(part.location.member(name), "\(name) is required when light_settings is set.", .missing)
      }
    }
    for name in ["light_on_duration", "light_off_duration"] {
      guard let (text, location) = part.text(name), ProtoDuration(text)?.isNegative == true else { continue }
      add(location, "\(name) must not be negative.")
    }
  }

  /// Checks `google.type.Color`: every component must be between 0 and 1.
  mutating func color(_ part: MessagePart) {
    for name in ["red", "green", "blue", "alpha"] {
      guard let member = part.member(name), let value = member.value.floatingPoint else { continue }
      if !(0...1).contains(value) { add(member.location, "\(name) must be between 0 and 1.") }
    }
  }

  private func isHexColor(_ text: String) -> Bool {
    text.utf8.count == 7 && text.utf8.first == UInt8(ascii: "#")
      && text.utf8.dropFirst().allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
          UInt8(ascii: "A")...UInt8(ascii: "F"):
          true
        default: false
        }
      }
  }
}

extension JSON {
  /// A number, or a string that holds one: protocol buffers' JSON accepts both.
  var floatingPoint: Double? { double ?? string.flatMap(Double.init) }

  /// The same, if it is an integer.
  var wholeNumber: Int64? { floatingPoint.flatMap(Int64.init(exactly:)) }
}
