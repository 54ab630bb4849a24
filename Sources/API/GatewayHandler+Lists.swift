import Catalog
internal import Clock
import Feedback
import HTTPServer
import JSON
import Outbox

/// `GET /v1/notifications`, `GET /v1/feedback`, `GET /v1/stats`: what the queue holds, as far as the client may see it.
extension GatewayHandler {
  /// Notifications or events of one page.
  static let pageMax = 1000
  static let pageDefault = 50

  func listNotifications(_ call: Call) throws(Problem) {
    var query = try QueryReader(call.request.head)
    var filter = NotificationFilter()
    filter.status = query.text("status")
    filter.template = query.text("template")
    let app = query.text("app")
    let limit = query.integer("limit", in: 1...Self.pageMax) ?? Self.pageDefault
    let cursorText = query.text("cursor")
    let cursor = cursorText.flatMap(NotificationCursor.init)
    let statuses = DeliveryState.allCases.map(\.name) + ["partial"]
    if let status = filter.status, !statuses.contains(status) {
      query.report("status", .invalid, "One of \(statuses.joined(separator: ", ")) is expected.")
    }
    if cursorText != nil, cursor == nil {
      query.report("cursor", .invalid, "It is no cursor that this API gave.")
    }
    try query.finish()
    filter.apps = try visibleApps(call, named: app)
    if !call.principal.seesAllClients {
      filter.owner = call.principal.client.map { .client($0) } ?? .anonymous
    }
    store.list(filter, limit: limit, cursor: cursor) { result in
      switch result {
      case .success(let page): call.respond(.json(200, Self.json(page)))
      case .failure(let error): call.respond(Problem(error))
      }
    }
  }

  private static func json(_ page: NotificationPage) -> [UInt8] {
    var writer = JSONWriter(reserving: 512 * (page.notifications.count + 1))
    writer.appendRaw("{\"notifications\":[")
    for (index, notification) in page.notifications.enumerated() {
      if index > 0 { writer.appendRaw(",") }
      writer.append(notification)
    }
    writer.appendRaw("],\"next_cursor\":")
    writer.append(page.next.map { JSON.string($0.text) } ?? .null)
    writer.appendRaw("}")
    return writer.bytes
  }

  func listFeedback(_ call: Call) throws(Problem) {
    var query = try QueryReader(call.request.head)
    let afterText = query.text("after")
    let isPlain = afterText?.utf8.allSatisfy { (0x30...0x39).contains($0) } ?? true
    let after = isPlain ? afterText.flatMap { Int64($0) } : nil
    if afterText != nil, after == nil {
      query.report("after", .invalid, "The id of an event, or the last answer's next, is expected.")
    }
    let limit = query.integer("limit", in: 1...Self.pageMax) ?? Self.pageDefault
    try query.finish()
    store.feedback(after: after, apps: call.principal.apps, limit: limit) { result in
      switch result {
      case .success(let page):
        let body: JSON = [
          "events": .array(page.events.map(\.json)),
          "next": page.next.map { .string(String($0)) } ?? .null,
        ]
        call.respond(.json(200, body.serialized))
      case .failure(let error): call.respond(Problem(error))
      }
    }
  }

  func showStats(_ call: Call) throws(Problem) {
    var query = try QueryReader(call.request.head)
    try query.finish()
    let now = Timestamp.now
    store.counts { result in
      switch result {
      case .success(let counts):
        // Apps without a delivery are shown with zeros, and those that are no longer configured by what they left.
        let names = Set(call.snapshot.apps.map(\.name)).union(counts.keys).filter(call.principal.mayUse(app:))
        let apps = names.sorted().map { ($0, counts[$0] ?? OutboxCounts()) }
        var body = Self.json(apps.map(\.1), now: now)
        body.members.append(
          ("apps", .object(.init(apps.map { ($0, .object(Self.json([$1], now: now))) }))))
        call.respond(.json(200, JSON.object(body).serialized))
      case .failure(let error): call.respond(Problem(error))
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

  /// The apps of a list: the named one, else all that the client may use; nil: all.
  private func visibleApps(_ call: Call, named name: String?) throws(Problem) -> [String]? {
    guard let name else { return call.principal.apps }
    guard call.snapshot.apps.contains(where: { $0.name.hasSameBytes(as: name) }) else {
      throw Problem(
        .unknownApp, "There is no such app. The apps are: \(call.snapshot.appNames(for: call.principal)).")
    }
    guard call.principal.mayUse(app: name) else {
      throw Problem(.forbidden, "The client may not use the app \"\(name)\".")
    }
    return [name]
  }
}
