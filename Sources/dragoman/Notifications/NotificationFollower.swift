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
  }

  /// How long the gateway may be away before following ends.
  private static let absenceMax = Duration.seconds(60)
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
    var lastAnswer = ContinuousClock.now
    while true {
      var pause = Self.pause
      do {
        let answer = try await client.events(
          "/v1/notifications/\(id)/events", after: progress.state.withLock(\.lastID)
        ) { event in
          for line in progress.take(event) { Output.print(line) }
        }
        switch answer.status {
        case 200, 204: lastAnswer = .now
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
        guard ContinuousClock.now - lastAnswer < Self.absenceMax else { throw error }
      }
      if let end = progress.state.withLock(\.end) { return end == "sent" ? .success : .failure }
      try await Task.sleep(for: pause)
    }
  }
}
