import CatalogCheck
import Foundation
import JSON
import Synchronization

/// Follows a notification by its events, and prints each state and attempt as it happens.
struct NotificationFollower: Sendable {
  /// What the streams have told so far.
  private final class Progress: Sendable {
    struct State: Sendable {
      var lines = FollowedLines()
      var lastID: String?
      /// The final status.
      var end: String?
      var absence = GatewayAbsence()
    }

    let state = Mutex(State())

    /// Takes an event; the lines to print.
    func take(_ event: ServerSentEvent) -> [String] {
      state.withLock { state in
        state.lastID = event.id
        if event.name == "end" { state.end = event.json["status"]?.string ?? "" }
        return state.lines.lines(of: event)
      }
    }

    func noteAnswer() { state.withLock { $0.absence.end() } }
  }

  private static let pause = Duration.seconds(1)

  let id: String
  let client: GatewayClient

  /// Returns once everything is final. Ctrl-C leaves, with 130.
  func follow() async throws -> ExitCode {
    let signals = Signals()
    await signals.watchStops { [id] in
      Output.note("dragoman send: stopped following \(id), which is sent all the same")
      exit(130)
    }
    defer { withExtendedLifetime(signals) {} }
    let progress = Progress()
    while true {
      var pause = Self.pause
      do {
        let answer = try await client.events(
          "/v1/notifications/\(id)/events", after: progress.state.withLock(\.lastID),
          onPart: progress.noteAnswer
        ) { event in
          for line in progress.take(event) { Output.print(line.printable) }
        }
        progress.noteAnswer()
        switch answer.status {
        case 200, 204: break
        case 403:
          Output.note("dragoman send: accepted as \(id); following it needs the scope read")
          return .success
        case 429, 503: pause = .seconds(max(1, min(30, answer.retryAfterSeconds ?? 1)))
        default:
          Output.note(
            "dragoman send: the gateway answered with status \(answer.status) to a request for \(id)")
          return .failure
        }
      } catch let error as GatewayClientError {
        // It may only restart: what was accepted is kept.
        guard progress.state.withLock({ $0.absence.shouldRetry(afterFailureAt: .now) }) else { throw error }
      }
      if let end = progress.state.withLock(\.end) { return end == "sent" ? .success : .failure }
      try await Task.sleep(for: pause)
    }
  }
}

/// How long the gateway has been away. A stream that breaks after hours has answered until then.
struct GatewayAbsence {
  /// How long the gateway may be away before following ends.
  static let durationMax = Duration.seconds(60)

  /// The first failure since the gateway last answered.
  private var start: ContinuousClock.Instant?

  /// The gateway has answered.
  mutating func end() { start = nil }

  /// Whether a failure at this time is worth another try.
  mutating func shouldRetry(afterFailureAt now: ContinuousClock.Instant) -> Bool {
    let start = start ?? now
    self.start = start
    return now - start < Self.durationMax
  }
}
