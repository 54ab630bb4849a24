internal import Clock
internal import Outbox

/// The receiver's answer to one webhook request.
enum WebhookAnswer: Sendable, Equatable {
  /// 2xx.
  case delivered
  /// 410: the receiver wants no further events.
  case gone
  /// Anything else; `retryAfter` in milliseconds if the answer was a 429 or 503 with that header.
  case failed(reason: String, retryAfter: Int64?)
  /// The event can never be sent.
  case unsendable(reason: String)
  /// The gateway itself ended the request; this counts as no attempt.
  case abandoned
}

extension WebhookStateMachine: TimedStateMachine {
  static var timerEvent: Event { .timer }

  mutating func handle(_ events: [Event], now: Moment) -> [Action] {
    events.flatMap { handle($0, now: now.ticks) }
  }

  func timerTicks(now: Moment) -> Int64? { timerAt(now: now.ticks) }

  var isFinished: Bool { if case .finished = phase { true } else { false } }

  enum Event {
    case start
    case cursorRead(Result<Int64?, OutboxError>)
    case pageRead(Result<WebhookPage, OutboxError>)
    case cursorSaved(Result<Void, OutboxError>)
    case answered(Int64, WebhookAnswer)
    /// There may be new events in the log.
    case wake
    case timer
    /// Send nothing more, and finish within this many milliseconds.
    case stop(grace: Int64)
  }

  enum Action: Equatable {
    case readCursor
    case read(after: Int64?, limit: Int)
    case send(WebhookEvent)
    case saveCursor(Int64)
    /// End the requests that are under way.
    case abandon
    case report(Report)
    case finished
  }

  /// Facts for metrics, logs and health.
  enum Report: Equatable {
    case delivered(Int64)
    case failed(Int64, reason: String)
    case givenUp(Int64, reason: String)
    case disabled(Int64)
    case receiverDegraded(reason: String)
    case receiverRecovered
    case storeFailed(String)
  }
}
