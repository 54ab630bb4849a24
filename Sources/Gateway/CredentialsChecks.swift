internal import Clock
internal import Delivery
internal import Dispatch
internal import FCM
internal import JSON
internal import Synchronization

/// Asks for an access token for each app, so that wrong credentials show before the first message needs them.
/// Asks again while an app has none, as long as neither the next round nor the end has come.
final class CredentialsChecks: Sendable {
  struct App: Sendable {
    let name: String
    /// Calls its argument once, with the reason why there is no token; nil if there is one.
    let check: @Sendable (@escaping @Sendable (SendError?) -> Void) -> Void
  }

  private struct State {
    /// Counts the rounds; answers of an earlier one do not count.
    var round = 0
    var waiting: [(app: App, failures: Int)] = []
    var runningCount = 0
  }

  /// Checks at a time. Each may take as long as three requests that nobody answers.
  static let concurrentMax = 32
  /// The first pause after a failure, and the one up to which it doubles, as in `AccessTokenStateMachine`.
  private static let pauseMilliseconds = (first: 5_000, max: 60_000)
  /// A longer `Retry-After` is capped at this, as there.
  private static let askedMillisecondsMax = 300_000

  private let state = Mutex(State())
  private let report: @Sendable (String, SendError?) -> Void
  private let pause: @Sendable (Int, @escaping @Sendable () -> Void) -> Void

  convenience init(for engine: DeliveryEngine) {
    self.init { app, failure in engine.noteCredentials(of: app, failure) }
  }

  /// `report` gets each result. `pause` calls its second argument after so many milliseconds.
  init(
    pause: @escaping @Sendable (Int, @escaping @Sendable () -> Void) -> Void = { milliseconds, resume in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: resume)
    },
    report: @escaping @Sendable (String, SendError?) -> Void
  ) {
    self.pause = pause
    self.report = report
  }

  /// Checks these apps from now on, and no others.
  func begin(_ apps: [App]) {
    state.withLock { state in
      state.round += 1
      state.waiting = apps.reversed().map { ($0, 0) }
    }
    startWaiting()
  }

  /// Reports nothing more.
  func stop() { begin([]) }

  private func startWaiting() {
    while let (round, app, failures) = next() {
      app.check { [self] failure in ended(app, failures: failures, round: round, failure) }
    }
  }

  private func next() -> (round: Int, app: App, failures: Int)? {
    state.withLock { state in
      guard state.runningCount < Self.concurrentMax, let next = state.waiting.popLast() else { return nil }
      state.runningCount += 1
      return (state.round, next.app, next.failures)
    }
  }

  private func ended(_ app: App, failures: Int, round: Int, _ failure: SendError?) {
    let isCurrent = state.withLock { state in
      state.runningCount -= 1
      return state.round == round
    }
    if isCurrent {
      // A client that is shut down has no result.
      if failure.map(\.isMissingToken) ?? true { report(app.name, failure) }
      if let failure, failure.isMissingToken { repeatLater(app, failures: failures + 1, round, failure) }
    }
    startWaiting()
  }

  private func repeatLater(_ app: App, failures: Int, _ round: Int, _ failure: SendError) {
    let growing = min(Self.pauseMilliseconds.first << min(failures - 1, 8), Self.pauseMilliseconds.max)
    let asked = Int(clamping: Duration.seconds(failure.retryAfterSeconds ?? 0).wholeMilliseconds)
    pause(max(growing, min(asked, Self.askedMillisecondsMax))) { [weak self] in
      guard let self else { return }
      state.withLock { state in
        if state.round == round { state.waiting.insert((app, failures), at: 0) }
      }
      startWaiting()
    }
  }
}

extension GatewayParts {
  /// The apps that need access tokens.
  var credentialsChecks: [CredentialsChecks.App] {
    configuration.apps.compactMap { app in
      guard app.credentials != .none, let sender = clients[ExactText(app.name)]?.sender else { return nil }
      return CredentialsChecks.App(name: app.name) { sender.checkCredentials(completion: $0) }
    }
  }
}
