internal import Clock
internal import HTTPServer
internal import JSON
internal import Outbox
internal import Synchronization
internal import Telemetry

/// One request to change many deliveries, step by step. Nobody has to wait for it: it goes on when its caller
/// has gone, and a repeat with the same `Idempotency-Key` takes it over.
final class DeliverySetRun: Sendable {
  private struct Progress: Sendable {
    var totals: DeliverySetTotals
    /// What is kept with the key.
    var known: StoredAnswer?
  }

  let call: APICall
  private let request: DeliverySetRequest
  private let change: DeliverySetChange
  private let idempotency: IdempotentRequest?
  private let log: Log
  private let progress: Mutex<Progress>

  /// `known` is what the call that is to be taken over kept with the key, which got as far as `totals`.
  init(
    _ request: DeliverySetRequest, filter: NotificationFilter, _ call: APICall, log: Log,
    idempotency: IdempotentRequest?, totals: DeliverySetTotals, known: StoredAnswer?
  ) {
    var filter = filter
    // What changes from now on is not part of the set.
    filter.until = filter.until ?? totals.until
    (self.request, change, self.call, self.log) = (request, request.change(filter), call, log)
    self.idempotency = idempotency
    progress = Mutex(Progress(totals: totals, known: known))
  }

  /// Makes the next step. Calls `completion` with whether it was the last one, which has answered the call.
  func step(in store: any OutboxStore, completion: @escaping @Sendable (_ isOver: Bool) -> Void) {
    let (totals, known) = progress.withLock { ($0.totals, $0.known) }
    let now = store.now
    var kept: DeliverySetProgress?
    if let idempotency {
      kept = (known, { step in idempotency.record(of: (totals + step).response, now: now) })
    }
    store.change(change, after: totals.next ?? 0, isDryRun: request.isDryRun, progress: kept) {
      [self, record = kept?.record] result in
      switch result {
      case .success(let step):
        progress.withLock { $0 = Progress(totals: totals + step, known: record?(step).answer) }
        if step.next == nil { finish(nil) }
        completion(step.next == nil)
      case .failure(let error) where error.code == .turnLost:
        finish(APIError(.idempotencyConflict, "Another request with this key goes on with the change."))
        completion(true)
      case .failure(let error):
        finish(APIError(error))
        completion(true)
      }
    }
  }

  /// Answers the call, and logs who has changed what: no target, and no name that nothing has.
  func finish(_ error: APIError?) {
    let totals = progress.withLock(\.totals)
    if var error {
      // What was done stays done.
      if totals.matched > 0 { error.members.append(("progress", totals.json)) }
      call.respond(error)
    } else {
      call.respond(totals.response)
    }
    if request.isDryRun { return }
    let (filter, isKnown) = (request.filter, totals.matched > 0)
    log.with(call.origin.fields).info(
      "deliveries changed",
      [
        "verb": .string(request.verb.name), "client": .string(call.principal.client ?? ""),
        "app": .string(request.app ?? ""), "of_template": .string(isKnown ? filter.template ?? "" : ""),
        "of_client": .string(isKnown ? request.client ?? "" : ""), "status": .string(request.status ?? ""),
        "code": .string(filter.errorCode ?? ""), "since": .string(filter.since?.rfc3339 ?? ""),
        "until": .string(filter.until?.rfc3339 ?? ""), "force": .bool(request.isForced),
        "matched": .integer(totals.matched), "changed": .integer(totals.changed),
        "skipped": .integer(totals.skipped.values.reduce(0, +)), "error": .string(error?.code.slug ?? ""),
      ])
  }
}

/// What the steps of a change have come to so far.
struct DeliverySetTotals: Sendable, Equatable {
  private(set) var matched = 0
  private(set) var skipped: [String: Int] = [:]
  private(set) var changed = 0
  /// The row after which the next step begins; nil at the end, and before the first step.
  private(set) var next: Int64?
  /// When the change began.
  let until: Timestamp

  /// The status under which the progress of a change is kept (RFC 2518 §10.1, Processing).
  private static let processing = 102

  init(until: Timestamp) { self.until = until }

  static func + (totals: Self, step: DeliverySetStep) -> Self {
    var sum = totals
    sum.matched += step.matched
    sum.changed += step.changed
    sum.skipped.merge(step.skipped, uniquingKeysWith: +)
    sum.next = step.next
    return sum
  }

  var json: JSON {
    let skipped = skipped.sorted { $0.key < $1.key }.map { ($0.key, JSON($0.value)) }
    return ["matched": JSON(matched), "skipped": .object(.init(skipped)), "changed": JSON(changed)]
  }

  /// The answer, or what is kept until there is one.
  var response: HTTPResponse {
    guard let next else { return .json(200, json.serialized) }
    let place: JSON = ["totals": json, "next": JSON(Int(next)), "until": JSON(Int(until.milliseconds))]
    return .json(Self.processing, place.serialized)
  }

  /// The progress that was kept; nil for an answer.
  init?(_ kept: StoredAnswer) {
    guard kept.status == Self.processing, let place = try? JSON.parse(kept.body),
      let next = place["next"]?.int64,
      let until = place["until"]?.int64, let totals = place["totals"]
    else { return nil }
    self.until = Timestamp(milliseconds: until)
    self.next = next
    matched = Int(clamping: totals["matched"]?.int64 ?? 0)
    changed = Int(clamping: totals["changed"]?.int64 ?? 0)
    for member in totals["skipped"]?.object ?? .init() {
      skipped[member.key] = Int(clamping: member.value.int64 ?? 0)
    }
  }
}
