package import Clock
internal import JSON

/// A message that a caller gave as a whole, as the queue takes it: as it was given, but for the identity by
/// which a device recognizes a duplicate, where it displays something and has none, and the ttl that is left.
package struct RawMessage: Sendable {
  package let message: SealedMessage
  package let target: Target
  /// Nothing is sent at or after this moment.
  package let expiresAt: Timestamp
  package let isUrgent: Bool
  /// The Live Activity that the message is for.
  package let activity: (token: String, event: ActivityEvent)?

  /// How long the gateway may take to send a message that is for now or never.
  package static let nowOrNeverMilliseconds: Int64 = 60_000

  /// `maxAgeMilliseconds` is the age at which a message expires that sets no ttl.
  package init(_ request: SendMessageRequest, now: Timestamp, maxAgeMilliseconds: Int64) {
    let whole = request.whole
    let lifetime = MessageLifetime(whole)
    let end = lifetime.end(from: now)
    target = request.target
    expiresAt = end ?? now.adding(milliseconds: maxAgeMilliseconds)
    let shows = MessageDisplay(whole)
    isUrgent = Self.isUrgent(whole, shows)
    activity = Self.activity(whole)
    var places = PlaceholderPlaces()
    lifetime.place(lifetime.running(from: now, to: end), in: &places)
    var identified = places
    shows.placeIdentity(in: &identified)
    let complete = identified.sealed(whole.object)
    // A message of nearly the largest size must not become too large for FCM.
    message =
      complete.byteCount(to: target) <= SealedMessage.byteCountMax ? complete : places.sealed(whole.object)
  }

  init(
    message: SealedMessage, target: Target, expiresAt: Timestamp, isUrgent: Bool,
    activity: (token: String, event: ActivityEvent)?
  ) {
    (self.message, self.target, self.expiresAt) = (message, target, expiresAt)
    (self.isUrgent, self.activity) = (isUrgent, activity)
  }

  /// FCM's defaults if nothing is set (FCM v1 reference, `AndroidConfig.priority`).
  static func isUrgent(_ whole: MessagePart, _ shows: MessageDisplay) -> Bool {
    if let priority = whole.part("android")?.text("priority")?.value {
      return priority.lowercased() == "high"
    }
    let headers = whole.part("apns")?.entries("headers") ?? []
    if let priority = headers.last(where: { $0.key.lowercased() == "apns-priority" })?.value.string {
      return priority == "10"
    }
    return shows.anything
  }

  static func activity(_ whole: MessagePart) -> (token: String, event: ActivityEvent)? {
    guard let apns = whole.part("apns"), let token = apns.text("live_activity_token")?.value,
      let event = apns.member("payload")?.value["aps"]?["event"]?.string.flatMap(ActivityEvent.init)
    else { return nil }
    return (token, event)
  }
}

/// On which platforms a message displays something, and where its identity on the device belongs.
struct MessageDisplay {
  private var tagPath: [String]?
  private var collapsePath: [String]?
  private(set) var anything = false

  init(_ whole: MessagePart) {
    let hasCommonText = Self.hasText(whole.part("notification"), ["title", "body"])
    let v2 = whole.part("android_v2")
    let android =
      v2 == nil
      ? whole.part("android")?.part("notification") : v2?.part("remote_notification")?.part("notification")
    let onAndroid =
      hasCommonText || Self.hasText(android, ["title", "body", "title_loc_key", "body_loc_key"])
    if onAndroid, android?.member("tag") == nil {
      if let android {
        tagPath = android.location.keys + ["tag"]
      } else if v2 == nil {
        tagPath = ["android", "notification", "tag"]
      }
    }
    let apns = whole.part("apns")
    let alert = apns?.member("payload")?.value["aps"]?["alert"] ?? .null
    let onApple = apns?.member("live_activity_token") == nil && (hasCommonText || !alert.isNull)
    let headers = apns?.entries("headers") ?? []
    if onApple, !headers.contains(where: { $0.key.lowercased() == "apns-collapse-id" }) {
      collapsePath = ["apns", "headers", "apns-collapse-id"]
    }
    anything = onAndroid || onApple || apns?.member("live_activity_token") != nil
  }

  func placeIdentity(in places: inout PlaceholderPlaces) {
    for path in [tagPath, collapsePath].compactMap(\.self) { places.add(.deliveryID, at: path) }
  }

  private static func hasText(_ part: MessagePart?, _ names: [String]) -> Bool {
    names.contains { part?.text($0)?.value.isEmpty == false }
  }
}

extension MessageLocation {
  /// The keys that lead to it from the top of the message.
  var keys: [String] {
    path.dropFirst().compactMap { step in if case .key(let key) = step { key } else { nil } }
  }
}
