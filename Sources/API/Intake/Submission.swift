internal import Clock
internal import HTTPServer
internal import JSON
internal import Outbox
internal import Telemetry

/// Puts accepted notifications into the queue, once for each `Idempotency-Key`, and answers when they are on
/// disk.
final class Submission: Sendable {
  let store: any OutboxStore
  private let events: EventHub
  private let metrics: DragomanMetrics
  private let log: Log
  private let pool: WorkPool

  init(store: any OutboxStore, events: EventHub, metrics: DragomanMetrics, log: Log, pool: WorkPool) {
    self.store = store
    self.events = events
    self.metrics = metrics
    self.log = log
    self.pool = pool
  }

  /// Answers a repeat; otherwise calls `proceed`, for a request with a key on the pool.
  ///
  /// The key is looked up before the request is checked: an accepted request gets the same answer again,
  /// even if its template is gone or its `send_at` has passed since.
  func unlessRepeated(
    _ idempotency: IdempotentRequest?, _ call: APICall,
    answer respond: (@Sendable (HTTPResponse) -> Void)? = nil,
    proceed: @escaping @Sendable () throws(APIError) -> Void
  ) throws(APIError) {
    guard let idempotency else { return try proceed() }
    store.idempotent(idempotency.key, fingerprint: idempotency.fingerprint) { [self] result in
      switch result {
      case .failure(let error): call.respond(APIError(error))
      case .success(let outcome?): answer(outcome, first: .json(202, []), call, respond)
      case .success(nil):
        pool.perform(call, call.hasLargeBody ? .long : .short, proceed)
      }
    }
  }

  /// Queues the notifications and answers `response` once they are on disk, or the outcome that the key
  /// already has.
  func enqueue(
    _ notifications: [NewNotification], _ idempotency: IdempotentRequest?, _ call: APICall, now: Timestamp,
    response: HTTPResponse, answer respond: (@Sendable (HTTPResponse) -> Void)? = nil
  ) {
    let record = idempotency?.record(of: response, now: now)
    store.enqueue(notifications, idempotency: record) { [self] result in
      switch result {
      case .success(let outcome):
        guard case .accepted = outcome else { return answer(outcome, first: response, call, respond) }
        for notification in notifications {
          metrics.notificationsAccepted.with(notification.app, notification.template ?? "").add()
          events.accepted(notification)
          logAccepted(notification, call)
        }
        answer(outcome, first: response, call, respond)
      case .failure(let error): call.respond(APIError(error))
      }
    }
  }

  /// Links the log lines of a request with those of its deliveries.
  private func logAccepted(_ notification: NewNotification, _ call: APICall) {
    guard log.logs(.debug) else { return }
    log.with(call.origin.fields).debug(
      "notification accepted",
      [
        "notification_id": .string(notification.id.description), "app": .string(notification.app),
        "template": .string(notification.template ?? ""),
        "deliveries": .integer(notification.deliveries.count),
      ])
  }

  /// Answers a call with the outcome that its key has, or with its own answer if it is the first one.
  func answer(
    _ outcome: EnqueueOutcome, first: HTTPResponse, _ call: APICall,
    _ respond: (@Sendable (HTTPResponse) -> Void)? = nil
  ) {
    let respond = respond ?? { call.respond($0) }
    switch outcome {
    case .accepted: respond(first)
    case .replay(let answer):
      let fields = answer.headers.map { (name: $0.name, value: $0.value) }
      respond(
        HTTPResponse(
          status: answer.status, headers: HTTPHeaders(fields + [("Idempotency-Replayed", "true")]),
          body: answer.body))
    case .mismatch:
      call.respond(APIError(.idempotencyMismatch, "The key was used for another request before."))
    case .inProgress:
      call.respond(
        APIError(.idempotencyConflict, "The first request with this key is still being handled."))
    }
  }
}
