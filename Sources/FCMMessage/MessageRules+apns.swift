internal import JSON

extension RuleCheck {
  /// Checks `ApnsConfig`: the headers that APNs knows, and the payload's `aps`.
  mutating func apnsConfig(_ part: MessagePart) {
    for entry in part.entries("headers") {
      guard let value = entry.value.string else { continue }
      if let problem = apnsHeaderProblem(entry.key, value) {
        add(entry.location, problem)
      } else {
        headerName(entry.key, at: entry.location)
      }
    }
    guard let payload = part.member("payload"), let aps = payload.value["aps"] else { return }
    self.aps(aps, at: payload.location.member("aps"))
  }

  private static let pushTypes = [
    "alert", "background", "complication", "controls", "fileprovider", "liveactivity", "location", "mdm",
    "pushtotalk", "voip", "widgets",
  ]

  /// Why a header's value is invalid (Apple, "Sending notification requests to APNs").
  private func apnsHeaderProblem(_ name: String, _ value: String) -> String? {
    switch name.lowercased() {
    case "apns-priority":
      return ["1", "5", "10"].contains(value) ? nil : "Value of the apns-priority header must be 10, 5 or 1."
    case "apns-push-type":
      return Self.pushTypes.contains(value)
        ? nil
        : "Value of the apns-push-type header must be one of \(Self.pushTypes.joined(separator: ", "))."
    case "apns-collapse-id": return MessageRules.collapseIDProblem(value)
    case "apns-expiration":
      return MessageLifetime.expiration(value.utf8) == nil
        ? "Value of the apns-expiration header must be a UNIX time in seconds." : nil
    case "apns-id":
      return isLowerCaseUUID(value)
        ? nil : "Value of the apns-id header must be a lower-case UUID in the form 8-4-4-4-12."
    default: return nil
    }
  }

  private func isLowerCaseUUID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    return groups.map(\.count) == [8, 4, 4, 4, 12]
      && groups.allSatisfy { group in
        group.allSatisfy { byte in
          (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
        }
      }
  }

  /// Checks that the headers and `aps` of a message agree with what it displays on Apple devices. FCM accepts
  /// only `apns-priority` 5 for one that displays nothing, and no empty `aps` (FCM v1 reference,
  /// `Message.data`; Apple, `apns-priority` and `apns-push-type`).
  mutating func backgroundPush(of whole: MessagePart) {
    guard let apns = whole.part("apns"), apns.member("live_activity_token") == nil else { return }
    let headers = apns.entries("headers")
    func header(_ name: String) -> MessagePart.Entry? { headers.last { $0.key.lowercased() == name } }
    let payload = apns.member("payload")
    let aps = payload?.value["aps"]
    let shows = ["alert", "badge", "sound", "event"].contains { !(aps?[$0] ?? .null).isNull }
    let notification = whole.part("notification")
    let isSilent = !shows && notification?.member("title") == nil && notification?.member("body") == nil
    if !isSilent, let type = header("apns-push-type"), type.value.string == "background" {
      add(
        type.location, "A message with an alert, badge or sound must not have the apns-push-type background.")
    }
    let hasData = whole.member("data") != nil
    if isSilent, hasData, let payload, aps?.object?.members.isEmpty == true {
      add(
        payload.location.member("aps"),
        "The aps dictionary is empty: leave it out, or set content-available to 1.")
    }
    let isBackground = aps?["content-available"]?.wholeNumber == 1 || hasData
    if isSilent, isBackground, let priority = header("apns-priority"), priority.value.string == "10" {
      add(priority.location, "A message without alert, badge and sound must have an apns-priority of 5.")
    }
  }
}
