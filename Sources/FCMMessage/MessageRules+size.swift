internal import JSON

extension RuleCheck {
  /// Checks the payload that reaches a device: at most 4,096 bytes on each platform. It is never larger than
  /// the message.
  mutating func payloadSizes(of whole: MessagePart) {
    let limit = SealedMessage.byteCountMax
    guard JSON.object(whole.object).serialized.count > limit else { return }
    let location = whole.location
    if androidPayloadByteCount(whole) > limit { add(location, "Android message is too big", .tooLarge) }
    if let apns = whole.part("apns"), apnsPayloadByteCount(whole, apns) > limit {
      add(location, "APNs payload is too big", .tooLarge)
    }
    if let webpush = whole.part("webpush"), webpushPayloadByteCount(whole, webpush) > limit {
      add(location, "Webpush message is too big", .tooLarge)
    }
  }

  /// Bytes of the keys and values of the data and the notification; the platform's own override the common
  /// ones.
  private func androidPayloadByteCount(_ whole: MessagePart) -> Int {
    let config = whole.part("android") ?? whole.part("android_v2")
    let data = config?.member("data") ?? whole.member("data")
    let own = config?.part("notification") ?? config?.part("remote_notification")?.part("notification")
    var notification = whole.member("notification")?.value.object ?? JSON.Object()
    for member in own?.object ?? JSON.Object() { notification[member.key] = member.value }
    return byteCount(of: data?.value.object) + byteCount(of: notification)
  }

  /// Bytes of the payload as compact JSON: the data become custom keys beside `aps`, and the common
  /// notification fills an absent alert.
  private func apnsPayloadByteCount(_ whole: MessagePart, _ apns: MessagePart) -> Int {
    var payload = apns.member("payload")?.value.object ?? JSON.Object()
    let ownKeys = Set(payload.members.map { ExactText($0.key) })
    for entry in whole.entries("data") where !ownKeys.contains(ExactText(entry.key)) {
      payload.members.append((entry.key, entry.value))
    }
    if let notification = whole.part("notification") {
      var aps = payload["aps"]?.object ?? JSON.Object()
      if aps["alert"] == nil {
        var alert = JSON.Object()
        for name in ["title", "body"] { alert[name] = notification.member(name)?.value }
        aps["alert"] = .object(alert)
      }
      payload["aps"] = .object(aps)
    }
    return JSON.object(payload).serialized.count
  }

  private func webpushPayloadByteCount(_ whole: MessagePart, _ webpush: MessagePart) -> Int {
    let data = webpush.member("data") ?? whole.member("data")
    var notification = whole.member("notification")?.value.object ?? JSON.Object()
    for member in webpush.member("notification")?.value.object ?? JSON.Object() {
      notification[member.key] = member.value
    }
    return byteCount(of: data?.value.object) + byteCount(of: notification)
  }

  private func byteCount(of object: JSON.Object?) -> Int {
    (object ?? JSON.Object()).reduce(0) { sum, member in
      let value = member.value.string.map(\.utf8.count) ?? member.value.serialized.count
      return sum + member.key.utf8.count + value
    }
  }
}
