internal import Catalog
internal import Clock
internal import HTTPServer
internal import JSON
internal import Outbox
internal import Telemetry

/// `POST /v1/deliveries:retry` and `POST /v1/deliveries:cancel`.
struct DeliverySetsResource: Sendable {
  let submission: Submission
  let isStopping: @Sendable () -> Bool
  let log: Log
  private let steps = StepQueue()

  init(submission: Submission, isStopping: @escaping @Sendable () -> Bool, log: Log) {
    (self.submission, self.isStopping, self.log) = (submission, isStopping, log)
  }

  /// Changes all deliveries that the request selects and the caller may see, or counts them.
  func change(_ call: APICall, _ verb: DeliverySetChange.Verb) throws(APIError) {
    let body = try call.json()
    let request = try DeliverySetRequest(body, verb)
    let given = try IdempotentRequest(call, body: body)
    // A dry run changes nothing, so there is nothing to repeat.
    let idempotency = request.isDryRun ? nil : given
    guard let app = request.app else {
      guard request.errors.isEmpty else { throw .invalid(request.errors) }
      return start(request, idempotency, call)
    }
    try call.withQueuedApp(
      named: app, in: submission.store, errors: request.errors, at: .root.appending("filter")
    ) { [self] in start(request, idempotency, call) }
  }

  private func start(_ request: DeliverySetRequest, _ idempotency: IdempotentRequest?, _ call: APICall) {
    guard let idempotency else { return run(request, nil, resuming: nil, call) }
    submission.store.idempotent(idempotency.key, fingerprint: idempotency.fingerprint) { [self] result in
      switch result {
      case .success(nil): run(request, idempotency, resuming: nil, call)
      case .success(.replay(let kept)) where DeliverySetTotals(kept) != nil:
        run(request, idempotency, resuming: kept, call)
      case .success(let outcome?): submission.answer(outcome, first: .json(200, []), call)
      case .failure(let error): call.respond(APIError(error))
      }
    }
  }

  private func run(
    _ request: DeliverySetRequest, _ idempotency: IdempotentRequest?, resuming kept: StoredAnswer?,
    _ call: APICall
  ) {
    // Up to this millisecond.
    let now = submission.store.now.adding(milliseconds: 1)
    var filter = request.filter
    filter.apps = request.app.map { [$0] } ?? call.principal.apps
    guard call.principal.restrict(&filter, to: request.client) else {
      return call.respond(DeliverySetTotals(until: now).response)
    }
    let run = DeliverySetRun(
      request, filter: filter, call, log: log, idempotency: idempotency,
      totals: kept.flatMap(DeliverySetTotals.init) ?? DeliverySetTotals(until: now), known: kept)
    let starts = steps.start(for: call.principal.client.map(ExactText.init)) { [self] completion in
      guard isStopping() else { return run.step(in: submission.store, completion: completion) }
      run.finish(APIError(.shuttingDown, "The gateway is shutting down."))
      completion(true)
    }
    if !starts {
      run.finish(APIError(.overloaded, "Other requests that change many deliveries are being handled."))
    }
  }
}

extension Principal {
  /// Adds to a filter what the caller may see, and the client that it names; false if nothing can match: the
  /// notifications of others look unknown.
  func restrict(_ filter: inout NotificationFilter, to owner: String?) -> Bool {
    if templates != nil { filter.mayUse = mayUse(templateOrNone:) }
    filter.owner = owner.map { .client($0) }
    if seesAllClients { return true }
    filter.owner = client.map { .client($0) } ?? .anonymous
    return owner.map { owner in client.map { $0.hasSameBytes(as: owner) } ?? false } ?? true
  }
}

extension APICall {
  /// Calls `proceed` if there is an app of this name, or if the queue still has deliveries of one that a
  /// reload has removed. `errors` are the request's other mistakes; its object with `app` is at `pointer`.
  func withQueuedApp(
    named name: String, in store: any OutboxStore, errors: InputErrors, at pointer: JSONPointer = .root,
    proceed: @escaping @Sendable () -> Void
  ) throws(APIError) {
    let unknown = APIError.noApp(
      named: name, known: snapshot.appNames(for: principal), errors: errors, at: pointer)
    if snapshot.app(named: name, for: principal) != nil {
      guard errors.isEmpty else { throw .invalid(errors) }
      return proceed()
    }
    guard principal.mayUse(app: name) else { throw unknown }
    store.counts { result in
      switch result {
      case .success(let counts) where counts[ExactText(name)] == nil: respond(unknown)
      case .success where errors.isEmpty: proceed()
      case .success: respond(.invalid(errors))
      case .failure(let error): respond(APIError(error))
      }
    }
  }
}
