internal import JSON

extension MessageRules {
  /// The longest token of a Live Activity, in bytes; those of APNs have about 160 hexadecimal digits.
  package static let activityTokenBytesMax = 512

  /// Why `token` cannot be the token of a Live Activity; nil if it can.
  package static func activityTokenProblem(_ token: String) -> String? {
    guard (1...activityTokenBytesMax).contains(token.utf8.count),
      token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      return "Live Activity token must be 1 to \(activityTokenBytesMax) visible ASCII characters."
    }
    return nil
  }
}

extension RuleCheck {
  /// Checks a message to a Live Activity (Firebase, "Send to Live Activities"; Apple, "Starting and updating
  /// Live Activities with ActivityKit push notifications").
  mutating func liveActivity(of whole: MessagePart) {
    guard let apns = whole.part("apns") else { return }
    let token = apns.member("live_activity_token")
    let payload = apns.member("payload")
    if let payload {
      for name in ["live_activity_token", "liveActivityToken"] where payload.value[name] != nil {
        add(payload.location.member(name), "\(name) must stand beside payload, not in it.")
      }
    }
    let aps = payload?.value["aps"]?.object ?? JSON.Object()
    let place = (payload?.location ?? apns.location.member("payload")).member("aps")
    guard token != nil || !(aps["event"] ?? .null).isNull else { return }
    guard let token else {
      return add(
        apns.location.member("live_activity_token"),
        "A Live Activity is reached only by its live_activity_token.", .ineffective)
    }
    self.activityToken(token, of: whole)
    activityHeaders(apns)
    activityKeys(aps, at: place)
  }

  private mutating func activityToken(_ token: MessagePart.Member, of whole: MessagePart) {
    guard let text = token.value.string else { return }
    if let problem = MessageRules.activityTokenProblem(text) { add(token.location, problem) }
    for name in ["topic", "condition"] where whole.member(name) != nil {
      add(token.location, "live_activity_token needs a token or fid, not a \(name).", .conflict)
    }
  }

  private mutating func activityHeaders(_ apns: MessagePart) {
    for entry in apns.entries("headers") {
      guard let value = entry.value.string else { continue }
      switch entry.key.lowercased() {
      case "apns-priority" where value == "1":
        add(entry.location, "Value of the apns-priority header of a Live Activity must be 10 or 5.")
      case "apns-push-type" where value != "liveactivity":
        add(entry.location, "Value of the apns-push-type header of a Live Activity must be liveactivity.")
      case "apns-topic" where !value.hasSuffix(".push-type.liveactivity"):
        add(
          entry.location,
          "Value of the apns-topic header of a Live Activity must end with .push-type.liveactivity.")
      default: break
      }
    }
  }

  private mutating func activityKeys(_ aps: JSON.Object, at place: MessageLocation) {
    func has(_ name: String) -> Bool { !(aps[name] ?? .null).isNull }
    guard has("event") else {
      return add(
        place.member("event"), "APS key [event] is required when live_activity_token is set.", .missing)
    }
    let event = aps["event"]?.string
    // The phone also needs attributes to start, but Google's own libraries drop an object that is empty.
    let required: [String]
    switch event {
    case "start": required = ["alert", "attributes-type", "content-state", "timestamp"]
    case "update": required = ["content-state", "timestamp"]
    case "end": required = ["timestamp"]
    default: required = []
    }
    for name in required where !has(name) {
      add(place.member(name), "APS key [\(name)] is required for the event \(event ?? "").", .missing)
    }
    if event == "start", !has("attributes") {
      add(place.member("attributes"), "A Live Activity starts only with APS key [attributes].", .ineffective)
    }
    if event == "end", !has("content-state") {
      add(
        place.member("content-state"), "Without APS key [content-state] the last state stays on the screen.",
        .ineffective)
    }
    if let event, ["update", "end"].contains(event) {
      for name in ["attributes-type", "attributes"] where has(name) {
        add(place.member(name), "APS key [\(name)] is only for the event start.")
      }
    }
    activityTimes(aps, at: place)
    activityHints(aps, event: event, at: place)
  }

  /// Times are UNIX seconds: one in milliseconds lies 50,000 years ahead.
  private mutating func activityTimes(_ aps: JSON.Object, at place: MessageLocation) {
    for name in ["timestamp", "stale-date", "dismissal-date"] {
      guard let seconds = aps[name]?.double, !(0...99_999_999_999).contains(seconds) else { continue }
      add(place.member(name), "Value for APS key [\(name)] must be a UNIX time in seconds.")
    }
  }

  /// Reports what a phone ignores.
  private mutating func activityHints(_ aps: JSON.Object, event: String?, at place: MessageLocation) {
    let only = [
      "input-push-token": ["start"], "input-push-channel": ["start"], "dismissal-date": ["end"],
      "stale-date": ["start", "update"], "relevance-score": ["start", "update"],
    ]
    for (name, events) in only.sorted(by: { $0.key < $1.key }) {
      guard aps[name] != nil, let event, !events.contains(event) else { continue }
      add(
        place.member(name),
        "APS key [\(name)] has an effect only for the event \(events.joined(separator: " or ")).",
        .ineffective)
    }
    for member in aps where ["badge", "sound", "category", "thread-id"].contains(member.key) {
      add(
        place.member(member.key),
        "A Live Activity ignores APS key [\(member.key)]; a sound belongs in alert.",
        .ineffective)
    }
    guard let alert = aps["alert"]?.object else { return }
    for member in alert where !["title", "body", "sound"].contains(member.key) {
      add(
        place.member("alert").member(member.key),
        "The alert of a Live Activity has only title, body and sound.", .ineffective)
    }
  }
}
