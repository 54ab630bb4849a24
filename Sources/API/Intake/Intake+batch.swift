internal import Catalog
internal import Clock
internal import JSON
internal import Outbox

/// The body of `POST /v1/notifications/batch`: each notification is accepted or refused on its own.
extension Intake {
  /// The maximum number of notifications in a batch.
  static let batchMax = 1000
  /// Mistakes that the answer to a batch lists in full; after them, one for each notification.
  static let errorsMax = 1000

  /// The outcome for each notification of a batch, in order.
  struct Batch: Sendable {
    let outcomes: [Result<NewNotification, APIError>]
    let accepted: [NewNotification]

    fileprivate init(_ outcomes: [Result<NewNotification, APIError>]) {
      self.outcomes = outcomes
      accepted = outcomes.compactMap { try? $0.get() }
    }

    /// The answer to the batch.
    var json: JSON { .object(.init(members)) }

    fileprivate var members: [JSON.Object.Member] {
      var errorsLeft = errorsMax
      let results = outcomes.map { outcome -> JSON in
        switch outcome {
        case .success(let notification):
          return [
            "id": .string(notification.id.description),
            "status": .string(StoredNotification(notification).status),
          ]
        case .failure(let error):
          let listed = min(error.errors.count, InputErrors.keptMax, max(1, errorsLeft))
          errorsLeft -= listed
          return ["problem": error.json(errorsMax: listed)]
        }
      }
      return [
        ("accepted", JSON(accepted.count)), ("rejected", JSON(outcomes.count - accepted.count)),
        ("results", .array(results)),
      ]
    }
  }

  /// Throws `APIError` if the body is not a batch, or if none of its notifications is accepted.
  func acceptBatch(_ body: JSON, now: Timestamp) throws(APIError) -> Batch {
    let pointer = JSONPointer.root.appending("notifications")
    let items = try items(body)
    try charge(items.count)
    var errorsLeft = Self.errorsMax
    let outcomes = items.enumerated().map { index, value in
      // What the answer does not list is only counted.
      let outcome = InputErrors.$keptMax.withValue(errorsLeft > 0 ? InputErrors.keptMax : 1) {
        Result { () throws(APIError) in try acceptItem(value, at: pointer.appending(index), now: now) }
      }
      if case .failure(let error) = outcome { errorsLeft -= error.errors.count }
      return outcome
    }
    let batch = Batch(outcomes)
    guard !batch.accepted.isEmpty else {
      var error = APIError(
        .invalidRequest, "None of the notifications was accepted; see results for the reasons.")
      error.members = batch.members
      throw error
    }
    return batch
  }

  /// Counts the notifications of a batch against the client's rate, whether or not they are accepted.
  private func charge(_ count: Int) throws(APIError) {
    guard let verdict = principal.rate?.take(batch: count), !verdict.isAllowed else { return }
    var error = APIError(
      .rateLimited,
      "The batch has \(count) notifications; \(verdict.remaining) are left of the client's \(verdict.quota) in "
        + "\(verdict.windowSeconds) s.")
    error.headers.append(("Retry-After", String(verdict.secondsToNext)))
    throw error
  }

  private func acceptItem(
    _ value: JSON, at pointer: JSONPointer, now: Timestamp
  ) throws(APIError) -> NewNotification {
    let request = try NotificationRequest(value, at: pointer, now: now)
    if request.validateOnly {
      throw APIError(
        .invalidRequest, "validate_only is for single notifications.",
        errors: [
          InputError(
            pointer: pointer.appending("validate_only"), code: .invalid,
            detail: "A batch cannot be validated only; post the notification alone.")
        ])
    }
    return try accept(request, at: pointer, now: now).notification
  }

  private func items(_ body: JSON) throws(APIError) -> [JSON] {
    guard let object = body.object else {
      throw .notAnObject("A batch is an object.", body)
    }
    var reader = RequestReader(object: object, pointer: .root, fields: ["notifications"])
    let items = reader.requiredArray("notifications")
    reader.refuseUnknownFields()
    if let items, !(1...Self.batchMax).contains(items.count) {
      reader.report("notifications", .outOfRange, "1 to \(Self.batchMax) are expected, not \(items.count).")
    } else if let targets = items?.reduce(0, { $0 + targetCount($1) }),
      targets > snapshot.batchTargetsMax
    {
      reader.report(
        "notifications", .outOfRange,
        "They have \(targets) targets, and a batch may have at most \(snapshot.batchTargetsMax) "
          + "(queue.max_batch_targets). Split it into several batches.")
    }
    guard reader.errors.isEmpty, let items else {
      throw APIError(.invalidRequest, "The batch is not valid.", errors: reader.errors)
    }
    return items
  }

  /// The number of targets of a notification that is not yet checked.
  private func targetCount(_ notification: JSON) -> Int {
    let to = notification["to"]
    if let name = to?["topic"]?.string,
      let topic = snapshot.app(named: notification["app"]?.string, for: principal)?.catalog.languageTopic(
        name)
    {
      return topic.languages.count
    }
    return max(1, (to?["tokens"]?.array?.count ?? 0) + (to?["fids"]?.array?.count ?? 0))
  }
}
