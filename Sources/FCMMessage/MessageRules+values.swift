internal import JSON

extension MessageRules {
  /// Why `label` is not an analytics label (`^[a-zA-Z0-9-_.~%]{1,50}$`); nil if it is one.
  package static func analyticsLabelProblem(_ label: String) -> String? {
    guard isName(label, charactersMax: 50) else {
      return "Analytics label must match the pattern \"^[a-zA-Z0-9-_.~%]{1,50}$\"."
    }
    return nil
  }

  /// Why `key` cannot be a key of `data`; nil if it can. Reserved are `from`, `message_type`, `google`, `gcm`
  /// and all keys that begin with `google.` or `gcm.`. FCM accepts `collapse_key`, but overwrites it.
  package static func dataKeyProblem(_ key: String) -> String? {
    if key.isEmpty { return "Invalid data payload key: it must not be empty." }
    let isReserved =
      ["from", "message_type", "gcm", "google"].contains { key.hasSameBytes(as: $0) }
      || key.utf8.starts(with: "google.".utf8) || key.utf8.starts(with: "gcm.".utf8)
    return isReserved ? "Invalid data payload key: \(key)" : nil
  }

  /// Why `id` cannot be an APNs collapse id; nil if it can. The limit is 64 bytes.
  package static func collapseIDProblem(_ id: String) -> String? {
    id.utf8.count > 64 ? "Value of the apns-collapse-id header must not exceed 64 bytes." : nil
  }

  /// Why `ttl` is not a ttl, a `google-duration` from 0s to 2419200s; nil if it is one.
  package static func ttlProblem(_ ttl: String) -> String? {
    guard let duration = ProtoDuration(ttl) else {
      return "TTL must be a duration in seconds such as \"3600s\"."
    }
    let isTooLong =
      duration.seconds > ttlSecondsMax || duration.seconds == ttlSecondsMax && duration.nanoseconds > 0
    if duration.isNegative || isTooLong {
      return "TTL must be a duration between 0 and \(ttlSecondsMax) seconds (28 days)."
    }
    return nil
  }

  /// The whole seconds of a `google-duration`, rounded down as FCM does; nil if it is malformed or negative.
  package static func ttlSeconds(googleDuration text: String) -> Int? {
    guard let duration = ProtoDuration(text), !duration.isNegative else { return nil }
    return Int(duration.seconds)
  }

  /// The schemes that the URL of an image in an object of this type may have.
  static func imageSchemes(of type: MessageSchema.ObjectType) -> [String] {
    type == .androidNotificationV2 ? ["https"] : ["https", "http"]
  }
  static let linkSchemes = ["https"]

  /// Why `url` is not an absolute URL with one of `schemes`; nil if it is one. The host must not be empty,
  /// and only visible ASCII characters are allowed.
  static func urlProblem(_ url: String, schemes: [String]) -> String? {
    let wanted = "must be a URL with \(schemes.joined(separator: " or "))"
    guard let scheme = schemes.first(where: { url.lowercased().hasPrefix("\($0)://") }) else { return wanted }
    let rest = url.utf8.dropFirst(scheme.utf8.count + 3)
    let host = rest.prefix { ![UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    let isClean = url.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"<>\"\\^`{|}".utf8.contains($0) }
    return host.isEmpty || !isClean ? wanted : nil
  }
}

extension RuleCheck {
  mutating func dataKeys(_ part: MessagePart) {
    for entry in part.entries("data") {
      guard let problem = MessageRules.dataKeyProblem(entry.key) else { continue }
      let field = String(entry.location.field.dropLast("value".count)) + "key"
      add(MessageLocation(path: entry.location.path, field: field), problem)
    }
  }

  mutating func analyticsLabel(_ part: MessagePart) {
    // proto3 does not distinguish an empty string from an absent one.
    guard let (label, location) = part.text("analytics_label"), !label.isEmpty else { return }
    if let problem = MessageRules.analyticsLabelProblem(label) { add(location, problem) }
  }

  mutating func imageURL(_ part: MessagePart) {
    guard let (url, location) = part.text("image"), !url.isEmpty else { return }
    let schemes = MessageRules.imageSchemes(of: part.type)
    if let problem = MessageRules.urlProblem(url, schemes: schemes) { add(location, "Image \(problem).") }
  }

  mutating func link(_ part: MessagePart) {
    guard let (url, location) = part.text("link"), !url.isEmpty else { return }
    let schemes = MessageRules.linkSchemes
    if let problem = MessageRules.urlProblem(url, schemes: schemes) { add(location, "Link \(problem).") }
  }
}
