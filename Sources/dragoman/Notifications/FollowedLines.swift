import JSON

/// What `dragoman send --wait` prints of an event, for people.
struct FollowedLines {
  /// The number of targets; one alone is not named in each line.
  private var targets: [String: String] = [:]
  /// The number of the last attempt of each delivery that a line has told of.
  private var toldAttempts: [String: Int64] = [:]

  /// The lines of an event; the first event names the targets.
  mutating func lines(of event: ServerSentEvent) -> [String] {
    let data = event.json
    switch event.name {
    case "notification":
      let deliveries = data["deliveries"]?.array ?? []
      for delivery in deliveries {
        if let id = delivery["id"]?.string { targets[id] = Self.target(of: delivery) }
      }
      return deliveries.flatMap { [lastAttempt(of: $0), state(of: $0)].compactMap(\.self) }
    case "delivery": return data["delivery"].flatMap { state(of: $0) }.map { [$0] } ?? []
    case "attempt":
      note(data["attempt"]?.int64 ?? 0, of: data["delivery_id"])
      return [attempt(data)]
    case "wait": return [Self.wait(data["wait"])]
    default: return []
    }
  }

  private mutating func note(_ attempt: Int64, of id: JSON?) {
    guard let id = id?.string else { return }
    toldAttempts[id] = max(attempt, toldAttempts[id] ?? 0)
  }

  /// The failure of the last attempt, if it was before the first event.
  private mutating func lastAttempt(of delivery: JSON) -> String? {
    let count = delivery["attempts"]?.int64 ?? 0
    // A delivery that something superseded has an error without an attempt.
    guard let error = delivery["error"], let id = delivery["id"]?.string, count > toldAttempts[id] ?? 0,
      delivery["status"] != "cancelled"
    else { return nil }
    note(count, of: delivery["id"])
    return attempt(["delivery_id": .string(id), "attempt": JSON(count), "outcome": "failed", "error": error])
  }

  /// Nil for the beginning of an attempt of whose end a line has told: states are read from the queue, and
  /// attempts arrive at once.
  private func state(of delivery: JSON) -> String? {
    let status = delivery["status"]?.string ?? ""
    let told = delivery["id"]?.string.flatMap { toldAttempts[$0] } ?? 0
    if status == "sending", told > delivery["attempts"]?.int64 ?? 0 { return nil }
    var text = prefix(delivery["id"]) + status
    if status == "queued" || status == "scheduled", let next = delivery["next_attempt_at"]?.string {
      text += ", next attempt at \(Self.time(next))"
    }
    if let name = delivery["message_name"]?.string { text += " as \(name)" }
    if let code = delivery["error"]?["code"]?.string {
      // Anything else that was cancelled may have the error of an attempt before.
      let isReason = status == "cancelled" ? code == "SUPERSEDED" : status == "failed" || status == "expired"
      if isReason { text += " (\(code))" }
    }
    return text
  }

  private func attempt(_ data: JSON) -> String {
    var text = prefix(data["delivery_id"]) + "attempt \(data["attempt"]?.int64 ?? 0)"
    text += " \(data["outcome"]?.string ?? "")"
    if let milliseconds = data["duration_ms"]?.int64 { text += " after \(milliseconds) ms" }
    if let error = data["error"] {
      let status = error["http_status"]?.int64.map { " \($0)" } ?? ""
      text += ": \(error["code"]?.string ?? "")\(status)"
      if let reason = error["apns_reason"]?.string { text += " \(reason)" }
      if let message = error["message"]?.string, !message.isEmpty {
        text += ", \(message)"
      }
    }
    return text
  }

  /// Why the app sends nothing, since when, and until when.
  private static func wait(_ wait: JSON?) -> String {
    guard let reason = wait?["reason"]?.string, let since = wait?["since"]?.string,
      let until = wait?["until"]?.string
    else { return "the app sends again" }
    let code = wait?["code"]?.string.map { " (\($0))" } ?? ""
    let next = wait?["probing"]?.bool == true ? "next probe at" : "sends again at"
    return "waits: \(words[reason] ?? reason) since \(time(since))\(code), \(next) \(time(until))"
  }

  private static let words = [
    "outage": "breaker open", "quota": "quota used up", "access_token": "no access token",
    "refused": "FCM refuses the app",
  ]

  private func prefix(_ id: JSON?) -> String {
    guard targets.count > 1, let target = id?.string.flatMap({ targets[$0] }) else { return "" }
    return "\(target): "
  }

  private static func target(of delivery: JSON) -> String {
    guard let target = delivery["target"]?.object?.members.first else { return "" }
    let value = target.value.string ?? ""
    return value.count > 20 ? "\(value.prefix(8))…\(value.suffix(6))" : value
  }

  /// The time of day of an RFC 3339 time in UTC.
  private static func time(_ text: String) -> String {
    let parts = text.split(separator: "T")
    return parts.count == 2 ? "\(parts[1].prefix(8)) UTC" : text
  }
}
