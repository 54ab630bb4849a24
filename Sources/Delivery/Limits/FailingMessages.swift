internal import FCMMessage
internal import Outbox

/// Distinguishes messages that FCM alone answers with server errors from an outage, by what others get.
///
/// A message that fails again and again while others are accepted is set aside: one delivery of it is tried
/// after a wait that doubles, and the rest waits for that. Bounded; without others, nothing is set aside.
struct FailingMessages {
  private struct Entry {
    var failures = 0
    /// From when on the next trial may leave; nil for a message that is not set aside.
    var heldUntilTicks: Int64?
    var backoff = Backoff(from: .seconds(60), to: .seconds(900))
    var trial: DeliveryID?

    mutating func setAside(now: Int64) {
      heldUntilTicks = now + backoff.fail()
      trial = nil
    }
  }

  /// Failures in a row after which a message does not fail by chance.
  private static let failuresMin = 3
  /// More failing messages than that are an outage.
  private static let suspectsMax = 4
  /// How soon deliveries look again that wait for the trial of another.
  private static let trialMilliseconds: Int64 = 5_000

  private let countMax: Int
  /// By hashes of messages: those that failed and have got no other answer since.
  private var entries: [Int: Entry] = [:]

  init(countMax: Int) { self.countMax = max(Self.suspectsMax + 1, countMax) }

  var isEmpty: Bool { entries.isEmpty }

  /// Whether so few messages fail that it may be because of them.
  var areSuspects: Bool { !entries.isEmpty && entries.count <= Self.suspectsMax }

  func hasFailed(_ message: SealedMessage) -> Bool { entries[key(message)] != nil }

  /// Until when nothing of a message is sent; nil if a delivery of it may leave.
  func heldUntil(_ message: SealedMessage, now: Int64) -> Int64? {
    guard let entry = entries[key(message)], let until = entry.heldUntilTicks else { return nil }
    if until > now { return until }
    return entry.trial == nil ? nil : now + Self.trialMilliseconds
  }

  /// A delivery leaves.
  mutating func began(_ id: DeliveryID, _ message: SealedMessage) {
    guard entries[key(message)]?.heldUntilTicks != nil else { return }
    entries[key(message)]?.trial = id
  }

  /// The delivery did not leave, or nothing is known of its answer.
  mutating func withdrew(_ id: DeliveryID?) {
    guard let id, let key = entries.first(where: { $0.value.trial == id })?.key else { return }
    entries[key]?.trial = nil
  }

  /// FCM answered with a server error; whether the message is set aside, so that it says nothing about FCM.
  mutating func failed(_ message: SealedMessage, _ id: DeliveryID?, now: Int64) -> Bool {
    let key = key(message)
    if entries.count >= countMax, entries[key] == nil { entries = [:] }
    entries[key, default: Entry()].failures += 1
    guard let entry = entries[key], entry.heldUntilTicks != nil else { return false }
    if entry.trial == id { entries[key]?.setAside(now: now) }
    return true
  }

  /// FCM gave another answer; if it accepted the message, those that fail meanwhile are set aside.
  mutating func answered(_ message: SealedMessage, isSent: Bool, now: Int64) {
    entries[key(message)] = nil
    guard isSent else { return }
    for (key, entry) in entries where entry.heldUntilTicks == nil && entry.failures >= Self.failuresMin {
      entries[key]?.setAside(now: now)
    }
  }

  private func key(_ message: SealedMessage) -> Int { message.encoded.hashValue }
}
