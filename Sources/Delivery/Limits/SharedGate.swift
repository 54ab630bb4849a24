internal import Clock
internal import Outbox
internal import SendingLimits

/// A gate's part of what the gateways that share a queue know together.
struct SharedGate {
  /// The right to send the probes of the known stop.
  enum Turn: Equatable {
    case notAsked
    case asked
    case taken
    /// Another gateway has it.
    case refused(untilTicks: Int64)
  }

  /// After another gateway's probe has ended an outage that this one began, for how long a further one is
  /// taken as this gateway's own, such as a fault of its network.
  static let ownMilliseconds: Int64 = 60_000
  /// How long to wait before asking again for a turn that another gateway has.
  static let turnMilliseconds: Int64 = 1_000
  /// How often the time of the last send is published.
  static let useMilliseconds: Int64 = 60_000

  private(set) var known = AppLimits()
  /// What the others are to learn.
  private(set) var news = AppLimits()
  var turn = Turn.notAsked
  /// Outages that begin before this are this gateway's own.
  var ownUntilTicks = Int64.min

  mutating func learn(_ limits: AppLimits) {
    let before = known.stop?.decidedAt
    known.merge(limits)
    if known.stop?.decidedAt != before { turn = .notAsked }
  }

  mutating func tell(_ limits: AppLimits) {
    news.merge(limits)
    learn(limits)
  }

  mutating func takeNews() -> AppLimits? {
    guard news != AppLimits() else { return nil }
    defer { news = AppLimits() }
    return news
  }
}
