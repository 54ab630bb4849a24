internal import Clock
internal import JSON

/// What a message says about when it expires: at the earliest of the times that its platforms' parts name.
struct MessageLifetime: Sendable {
  /// A ttl of at least a second, in the member that holds its seconds.
  private struct TTL {
    let seconds: Int64
    let path: [String]
    /// What follows the seconds in the member.
    let suffix: StaticString

    func end(from now: Timestamp) -> Timestamp { now.adding(milliseconds: seconds * 1000) }
  }

  private var ttls: [TTL] = []
  private var isNowOrNever = false
  /// The `apns-expiration` headers, in the order of the document.
  private(set) var expirations: [Int64] = []

  /// The number of its ttls.
  var ttlCount: Int { ttls.count }

  init(_ whole: MessagePart) {
    if let config = whole.part("android") ?? whole.part("android_v2"), let ttl = config.text("ttl"),
      let duration = ProtoDuration(ttl.value)
    {
      add(duration.seconds, ttl.location.keys, "s")
    }
    for header in whole.part("webpush")?.entries("headers") ?? [] where header.key.lowercased() == "ttl" {
      guard let seconds = header.value.string.flatMap({ decimal($0.utf8, digitsMax: 10) }) else { continue }
      add(seconds, header.location.keys, "")
    }
    for header in whole.part("apns")?.entries("headers") ?? []
    where header.key.lowercased() == "apns-expiration" {
      guard let seconds = header.value.string.flatMap({ Self.expiration($0.utf8) }) else { continue }
      expirations.append(seconds)
    }
  }

  private mutating func add(_ seconds: Int64, _ path: [String], _ suffix: StaticString) {
    if seconds > 0 {
      ttls.append(TTL(seconds: seconds, path: path, suffix: suffix))
    } else {
      isNowOrNever = true
    }
  }

  /// The UNIX seconds of an `apns-expiration` header; nil if it is malformed.
  static func expiration(_ digits: some Collection<UInt8>) -> Int64? { decimal(digits, digitsMax: 12) }

  /// When the message expires; nil if it does not say. `expirations` are in place of its own.
  func end(from now: Timestamp, expirations: [Int64]? = nil) -> Timestamp? {
    let soon = now.adding(milliseconds: RawMessage.nowOrNeverMilliseconds)
    var end = isNowOrNever ? soon : nil
    for ttl in ttls { end = min(end ?? .never, ttl.end(from: now)) }
    for seconds in expirations ?? self.expirations {
      // APNs tries once to deliver what has expired already.
      let moment = seconds > now.unixSeconds ? Timestamp(milliseconds: seconds * 1000) : soon
      end = min(end ?? .never, moment)
    }
    return end
  }

  /// The ttls that run until `end`, as a bit each. A part that lasts longer than others keeps the ttl that it
  /// was given. Of two that name the same moment, one may count from a second that is not over.
  func running(from now: Timestamp, to end: Timestamp?) -> Int {
    guard let end else { return 0 }
    return ttls.indices.reduce(0) { running, index in
      ttls[index].end(from: now) <= end.adding(milliseconds: 1000) ? running | 1 << index : running
    }
  }

  /// Lets what is left of the ttls that run stand in their places.
  func place(_ running: Int, in places: inout PlaceholderPlaces) {
    for (index, ttl) in ttls.enumerated() where running & 1 << index != 0 {
      places.add(.ttlSeconds, at: ttl.path, suffix: ttl.suffix)
    }
  }
}

extension Timestamp {
  fileprivate static let never = Timestamp(milliseconds: .max)
}
