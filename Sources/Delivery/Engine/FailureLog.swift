internal import DeliveryReports
internal import Dispatch
internal import FCM
internal import Synchronization
internal import Telemetry

/// Logs failed attempts as `FailureCounts` decides.
final class FailureLog: Sendable {
  typealias Pause = @Sendable (_ seconds: Int, _ resume: @escaping @Sendable () -> Void) -> Void

  private struct State {
    var counts = FailureCounts()
    var isWaiting = false
  }

  private let log: Log
  private let pause: Pause
  private let state = Mutex(State())

  /// `pause` calls its second argument after so many seconds.
  init(
    log: Log,
    pause: @escaping Pause = { seconds, resume in
      DispatchQueue.global(qos: .utility).asyncAfter(
        deadline: .now() + .seconds(seconds), execute: resume)
    }
  ) {
    self.log = log
    self.pause = pause
  }

  func note(_ event: DeliveryEvent) {
    switch event {
    case .attempted(let app, _, .sent, _, _):
      state.withLock { if !$0.counts.isEmpty { $0.counts.sent(app) } }
    case .attempted(let app, _, .failed(let failure), _, _), .unsent(let app, let failure):
      failed(app, failure)
    default: break
    }
  }

  private func failed(_ app: String, _ failure: SendError) {
    let (line, mustWait) = state.withLock { state in
      let line = state.counts.failed(app, failure)
      defer { state.isWaiting = true }
      return (line, !state.isWaiting)
    }
    if let line { write(line, app) }
    if mustWait { wait() }
  }

  private func wait() {
    pause(60) { [weak self] in self?.minutePassed() }
  }

  private func minutePassed() {
    let (lines, mustWait) = state.withLock { state in
      let lines = state.counts.minutePassed()
      state.isWaiting = !state.counts.isEmpty
      return (lines, state.isWaiting)
    }
    for (app, line) in lines { write(line, app) }
    if mustWait { wait() }
  }

  private func write(_ line: FailureCounts.Line, _ app: String) {
    switch line {
    case .began(let failure): log.warning("attempts to send fail", log.fields(app, failure))
    case .goesOn(let failure, let count):
      log.with(["failures": .integer(count)]).warning(
        "attempts to send still fail; failures of the last minute", log.fields(app, failure))
    case .ended(let failure, let count):
      log.with(["failures": .integer(count)]).info(
        "attempts to send do not fail for this reason any more", log.fields(app, failure))
    }
  }
}
