import Clock
import FCMMessage
import Foundation
import HTTPServer
import Synchronization
import Telemetry
import Testing

@testable import Feedback
@testable import Outbox

let secretText = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

func event(_ id: Int64, target: Target = .token("t")) -> FeedbackEvent {
  FeedbackEvent(
    id: id, app: "default", target: target, code: "UNREGISTERED",
    notification: NotificationID(UUIDv7(high: 0x0199_0000_0000_7000, low: 0x8000_0000_0000_0001)),
    at: Timestamp(milliseconds: 1_783_000_000_123))
}

/// The `webhook-id` of `event(number)`.
func webhookID(_ number: Int64) -> String { "evt_01990000-0000-7000-8000-000000000001_\(number)" }

/// A feedback log in memory that records its calls.
final class ListedLog: WebhookLog {
  private struct Contents {
    var events: [WebhookEvent] = []
    var cursor: Int64?
    var error: OutboxError?
    var ends = 0
  }

  private let contents: Mutex<Contents>
  private let queue = DispatchQueue(label: "test.log")
  let cursors = Signals<Int64>()

  init(_ count: Int64, cursor: Int64? = nil) {
    contents = Mutex(Contents(events: (0..<count).map { .dead(event($0 + 1)) }, cursor: cursor))
  }

  func append(_ event: FeedbackEvent) { append(.dead(event)) }
  func append(_ event: WebhookEvent) { contents.withLock { $0.events.append(event) } }
  func fail(with error: OutboxError?) { contents.withLock { $0.error = error } }

  func events(
    after: Int64?, limit: Int, completion: @escaping @Sendable (Result<WebhookPage, OutboxError>) -> Void
  ) {
    answer(completion) { contents in
      let later = contents.events.filter { $0.id > after ?? .min }
      let page = Array(later.prefix(limit))
      return WebhookPage(events: page, next: page.last?.id ?? after, hasMore: later.count > page.count)
    }
  }

  func cursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void) {
    answer(completion) { $0.cursor }
  }

  func setCursor(_ event: Int64, completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void) {
    answer({ [cursors] result in
      completion(result)
      if case .success = result { cursors.send(event) }
    }) { $0.cursor = event }
  }

  var endCount: Int { contents.withLock { $0.ends } }

  func end() { contents.withLock { $0.ends += 1 } }

  private func answer<Value: Sendable>(
    _ completion: @escaping @Sendable (Result<Value, OutboxError>) -> Void,
    _ body: @escaping @Sendable (inout Contents) -> Value
  ) {
    queue.async { [self] in
      completion(contents.withLock { $0.error.map(Result.failure) ?? .success(body(&$0)) })
    }
  }
}

/// Values that a test waits for, in order.
final class Signals<Value: Sendable>: Sendable {
  private let stream: AsyncStream<Value>
  private let continuation: AsyncStream<Value>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func send(_ value: Value) { continuation.yield(value) }

  /// The next value; one reader at a time.
  func next() async -> Value? {
    var iterator = stream.makeAsyncIterator()
    return await iterator.next()
  }

  /// Consumes values until one fulfils `condition`.
  func next(where condition: (Value) -> Bool) async {
    while let value = await next(), !condition(value) {}
  }
}

/// A clock that only a test moves.
final class ManualClock: TimerClock {
  private struct State {
    var ticks: Int64 = 1000
    var timer: (at: Int64, fire: @Sendable () -> Void)?
  }

  private let state = Mutex(State())
  let timers = Signals<Int64?>()

  var now: Moment {
    let ticks = state.withLock(\.ticks)
    return Moment(wall: Timestamp(milliseconds: 1_783_000_000_000 + ticks), ticks: ticks)
  }

  func setTimer(at ticks: Int64?, fire: @escaping @Sendable () -> Void) {
    state.withLock { $0.timer = ticks.map { ($0, fire) } }
    timers.send(ticks)
  }

  func advance(by milliseconds: Int64) {
    let due = state.withLock { state -> (@Sendable () -> Void)? in
      state.ticks += milliseconds
      guard let timer = state.timer, timer.at <= state.ticks else { return nil }
      state.timer = nil
      return timer.fire
    }
    due?()
  }
}
