import FCM
import Outbox

@testable import Delivery

/// Which deliveries were sent, and who may send them again: nobody, once FCM has the message or may have it,
/// unless the claim was lost before the answer was recorded.
struct SendLedger {
  enum Gateway {
    case tested, other
  }

  private struct Entry {
    let by: Gateway
    var isAnswered = false
    /// Who may send it again.
    var excused: Set<Gateway> = []
  }

  private var entries: [DeliveryID: Entry] = [:]
  private(set) var violations: [String] = []
  /// How many messages were sent again because their claim was lost.
  private(set) var duplicates = 0

  func isUnderWay(_ id: DeliveryID) -> Bool {
    entries[id].map { $0.by == .tested && !$0.isAnswered } ?? false
  }

  /// Whether the gateway under test knows FCM's answer, and lost the claim before that was recorded.
  func isUnrecorded(_ id: DeliveryID) -> Bool {
    entries[id].map { $0.by == .tested && $0.isAnswered && $0.excused == [.other] } ?? false
  }

  /// Whether its claim was lost since it was sent.
  func mayBeLost(_ id: DeliveryID) -> Bool { entries[id]?.excused.isEmpty == false }

  mutating func sent(_ id: DeliveryID, by gateway: Gateway) {
    if let earlier = entries[id] {
      duplicates += 1
      if !earlier.excused.contains(gateway) { violations.append("sent again without a cause") }
    }
    entries[id] = Entry(by: gateway)
  }

  mutating func answered(_ id: DeliveryID, by gateway: Gateway, _ outcome: SendOutcome) {
    guard entries[id]?.by == gateway else { return }
    if outcome.isRepeated { entries[id] = nil } else { entries[id]?.isAnswered = true }
  }

  /// The gateway under test lost its claims of these: another gateway may send them, but not it itself, which
  /// knows what it sent.
  mutating func lost(_ ids: [DeliveryID]) {
    for id in ids { entries[id]?.excused.insert(.other) }
  }

  /// The other gateway claims a delivery, which may take it to where the one under test no longer knows it.
  mutating func claimedByOther(_ id: DeliveryID) {
    if entries[id]?.excused.contains(.other) == true { forget([id]) }
  }

  /// Nobody knows any more what was sent of these.
  mutating func forget(_ ids: [DeliveryID]) {
    for id in ids { entries[id]?.excused = [.tested, .other] }
  }

  /// The process of the gateway under test has ended.
  mutating func forgetAll() { forget(Array(entries.keys)) }

  /// What the gateway under test sent, and has lost, is claimed late if at all.
  mutating func forgetLost() { forget(entries.filter { $0.value.excused.contains(.other) }.map(\.key)) }
}

extension SendOutcome {
  /// Whether the message is to be sent again.
  fileprivate var isRepeated: Bool {
    switch self {
    case .sent: false
    case .withdrawn: true
    case .failed(let failure): failure.disposition != .permanent || failure.scope == .configuration
    }
  }
}
