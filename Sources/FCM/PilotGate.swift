/// Lets one request go ahead where there may be no connection yet, and the others follow when the peer has begun to
/// answer it.
///
/// libcurl puts up to a hundred requests on a new HTTP/2 connection before it has read the peer's SETTINGS. A peer that
/// takes fewer streams at a time may then refuse them, or end the connection (RFC 9113 §5.1.2). So a new connection
/// begins with a single request, but the others do not wait for it for longer than `waitMax`.
struct PilotGate {
  enum Verdict: Equatable {
    /// Begin it, ahead of the others.
    case pilot
    case go
    /// Hold it until the gate opens.
    case wait
  }

  private enum State {
    /// No connection is known. Then `flying`.
    case closed
    /// A pilot is under way. Then `open`, or `closed` when it fails.
    case flying(until: ContinuousClock.Instant)
    /// Answers have come. Then `closed`, when a connection breaks or may have ended.
    case open(since: ContinuousClock.Instant, lastUse: ContinuousClock.Instant)
  }

  static let waitMax: Duration = .milliseconds(250)
  /// libcurl lets a connection go that was idle for 118 s.
  static let idleMax: Duration = .seconds(110)

  private let lifetime: Duration
  private var state = State.closed
  private var lastAnswer: ContinuousClock.Instant?

  /// `lifetime` is how long a connection is used.
  init(lifetime: Duration) { self.lifetime = lifetime }

  /// When the gate opens at the latest; nil where nobody waits for it.
  var deadline: ContinuousClock.Instant? { if case .flying(let until) = state { until } else { nil } }

  mutating func requested(now: ContinuousClock.Instant) -> Verdict {
    switch state {
    case .flying: return .wait
    case .open(let since, let lastUse) where now - since < lifetime && now - lastUse < Self.idleMax:
      state = .open(since: since, lastUse: now)
      return .go
    case .open, .closed:
      state = .flying(until: now + Self.waitMax)
      return .pilot
    }
  }

  /// The pilot's answer has begun, or it has taken as long as others wait for it.
  mutating func open(now: ContinuousClock.Instant) {
    if case .flying = state { state = .open(since: now, lastUse: now) }
  }

  /// An answer came.
  mutating func answered(now: ContinuousClock.Instant) { lastAnswer = now }

  /// Whether no answer to anything came since `begin`.
  func isSilent(since begin: ContinuousClock.Instant) -> Bool { lastAnswer.map { $0 < begin } ?? true }

  /// A connection broke, or could not be made.
  mutating func broke(isPilot: Bool) {
    if case .flying = state, !isPilot { return }
    state = .closed
  }
}
