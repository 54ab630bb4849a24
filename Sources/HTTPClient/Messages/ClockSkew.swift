internal import Clock
internal import Synchronization

/// How far this machine's clock is ahead of its peers', by the `Date` of their answers (RFC 9110 §6.6.1).
package final class ClockSkew: Sendable {
  private struct State {
    var seconds: Int64?
    var notedAt: ContinuousClock.Instant?
  }

  /// How often an answer is looked at.
  private static let interval = Duration.seconds(10)
  private let state = Mutex(State())

  package init() {}

  /// As of the last answer that was looked at; nil before the first one.
  package var seconds: Int64? { state.withLock { $0.seconds } }

  package func note(_ response: TransportResponse) {
    let now = ContinuousClock.now
    state.withLock { state in
      if let notedAt = state.notedAt, now < notedAt + Self.interval { return }
      guard let seconds = Self.seconds(by: response, now: Timestamp.now.unixSeconds) else { return }
      (state.seconds, state.notedAt) = (seconds, now)
    }
  }

  /// How far `now`, in UNIX seconds, is ahead of the answer's date; nil without one.
  package static func seconds(by response: TransportResponse, now: Int64) -> Int64? {
    response.fields.date.flatMap { HTTPDate.secondsSince1970($0.utf8, now: now) }.map {
      now.subtractingReportingOverflow($0).partialValue
    }
  }
}
