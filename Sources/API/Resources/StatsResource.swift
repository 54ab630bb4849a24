internal import Clock
internal import HTTPServer
internal import JSON
internal import Outbox

/// `GET /v1/stats`: how many deliveries the queue holds in each state, in total and by app.
struct StatsResource: Sendable {
  let store: any OutboxStore

  func show(_ call: APICall) {
    let now = store.now
    store.counts { result in
      switch result {
      case .success(let counts):
        // Apps without a delivery have zeros; removed apps have what remains of theirs.
        let names = Set(call.snapshot.apps.map { ExactText($0.name) }).union(counts.keys)
          .filter { call.principal.mayUse(app: $0.text) }
        let apps = names.sorted { $0.text < $1.text }.map { ($0.text, counts[$0] ?? OutboxCounts()) }
        var body = Self.json(apps.map(\.1), now: now)
        body.members.append(
          ("apps", .object(.init(apps.map { ($0, .object(Self.json([$1], now: now))) }))))
        call.respond(.json(200, JSON.object(body).serialized))
      case .failure(let error): call.respond(APIError(error))
      }
    }
  }

  private static func json(_ counts: [OutboxCounts], now: Timestamp) -> JSON.Object {
    let states = DeliveryState.allCases.map { state in
      (state.name, JSON(counts.reduce(0) { $0 + ($1.byState[state] ?? 0) }))
    }
    let oldest = counts.map { $0.oldestQueuedSeconds(now: now) }.max() ?? 0
    return JSON.Object([
      ("deliveries", .object(.init(states))),
      ("oldest_queued_seconds", JSON.Number(oldest).map { .number($0) } ?? 0),
    ])
  }
}
