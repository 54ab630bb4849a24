internal import Catalog
internal import Clock
internal import DeliveryReports
internal import HTTPServer
internal import JSON
internal import Outbox

/// `/v1/notifications` and the paths below it, except for batches.
///
/// A class, like `Submission`, because the closures of each request hold it: as a struct, each would count
/// the references of its parts, which all threads share.
final class NotificationsResource: Sendable {
  let store: any OutboxStore
  private let submission: Submission
  private let engine: any DeliveryService
  private let events: EventHub

  init(store: any OutboxStore, submission: Submission, engine: any DeliveryService, events: EventHub) {
    self.store = store
    self.submission = submission
    self.engine = engine
    self.events = events
  }

  private static let unknown = APIError(
    .notFound, "There is no such notification. Those that have ended are removed after queue.retention.")

  /// `POST /v1/notifications`.
  func accept(_ call: APICall) throws(APIError) {
    let body = try call.json()
    guard let idempotency = try IdempotentRequest(call, body: body) else {
      return try accept(body, nil, call)
    }
    try submission.unlessRepeated(idempotency, call) { [self] () throws(APIError) in
      try accept(body, idempotency, call)
    }
  }

  private func accept(_ body: JSON, _ idempotency: IdempotentRequest?, _ call: APICall) throws(APIError) {
    let now = store.now
    let request = try NotificationRequest(body, now: now)
    let accepted = try Intake(call).accept(request, now: now)
    // Nothing is stored, so there is nothing to repeat.
    if request.validateOnly { return MessageValidation.start(accepted, by: engine, call) }
    let notification = accepted.notification
    var response = HTTPResponse.json(202, StoredNotification(notification))
    response.headers.add("Location") { bytes in
      bytes.append(contentsOf: "/v1/notifications/".utf8)
      notification.id.uuid.append(to: &bytes)
    }
    submission.enqueue([notification], idempotency, call, now: now, response: response)
  }

  /// `GET /v1/notifications`.
  func list(_ call: APICall) throws(APIError) {
    var query = try QueryReader(call.head)
    var filter = NotificationFilter.all
    filter.status = query.text("status")
    filter.template = query.text("template")
    let app = query.text("app")
    let limit = query.pageLimit()
    let cursorText = query.text("cursor")
    let client = call.principal.client
    let cursor =
      cursorText
      .flatMap { call.snapshot.cursors.place($0, in: .notifications, for: client) }
      .map(NotificationCursor.init(before:))
    let statuses = DeliveryState.allCases.map(\.name) + ["partial"]
    if let status = filter.status, !statuses.contains(status) {
      query.report("status", .invalid, "One of \(statuses.joined(separator: ", ")) is expected.")
    }
    if cursorText != nil, cursor == nil {
      query.report("cursor", .invalid, "It is not a cursor that this API returned.")
    }
    query.readSearch(into: &filter)
    let owner = query.text("client")
    let counts = query.text("count")
    if let counts, counts != "true", counts != "false" {
      query.report("count", .invalid, "true or false is expected.")
    }
    filter.apps = app.map { [$0] } ?? call.principal.apps
    let mayMatch = call.principal.restrict(&filter, to: owner)
    let search: @Sendable () -> Void = { [self, filter] in
      guard mayMatch else {
        let none = NotificationPage(notifications: [], next: nil)
        let total = counts == "true" ? NotificationCount(isComplete: true) : nil
        return call.respond(.json(200, Self.json(none, next: nil, total)))
      }
      list(filter, limit: limit, cursor: cursor, counts: counts == "true", call)
    }
    if let app {
      return try call.withQueuedApp(named: app, in: store, errors: query.mistakes, proceed: search)
    }
    try query.finish()
    search()
  }

  /// Answers with a page of what the filter finds.
  private func list(
    _ filter: NotificationFilter, limit: Int, cursor: NotificationCursor?, counts: Bool, _ call: APICall
  ) {
    let client = call.principal.client
    store.list(filter, limit: limit, cursor: cursor) { [store] result in
      switch result {
      case .success(let page):
        let next = page.next.map { call.snapshot.cursors.text($0.row, in: .notifications, for: client) }
        guard counts else { return call.respond(.json(200, Self.json(page, next: next))) }
        let isWhole = cursor == nil && page.next == nil
        var count = NotificationCount(isComplete: isWhole)
        if isWhole { count.total = page.notifications.count }
        count.go(on: filter, in: store) { result in
          switch result {
          case .success(let count): call.respond(.json(200, Self.json(page, next: next, count)))
          case .failure(let error): call.respond(APIError(error))
          }
        }
      case .failure(let error): call.respond(APIError(error))
      }
    }
  }

  private static func json(
    _ page: NotificationPage, next: String?, _ count: NotificationCount? = nil
  ) -> [UInt8] {
    var writer = JSONWriter(reserving: 512 * (page.notifications.count + 1))
    writer.appendRaw("{\"notifications\":[")
    for (index, notification) in page.notifications.enumerated() {
      if index > 0 { writer.appendRaw(",") }
      writer.append(notification)
    }
    writer.appendRaw("],\"next_cursor\":")
    writer.append(next.map(JSON.string) ?? .null)
    if let count {
      writer.appendRaw(",\"total\":")
      writer.bytes.append(decimal: count.total)
      writer.appendRaw(",\"total_complete\":")
      writer.append(.bool(count.isComplete))
    }
    writer.appendRaw("}")
    return writer.bytes
  }

  /// `GET /v1/notifications/{id}`.
  func show(_ call: APICall) throws(APIError) {
    var query = try QueryReader(call.head)
    let names = query.text("include")?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    let parts = Set(names.compactMap { IncludedPart(rawValue: String($0)) })
    if parts.count < names.count {
      let known = IncludedPart.allCases.map(\.rawValue).joined(separator: ",")
      query.report("include", .invalid, "Parts are expected, each once, such as \(known).")
    }
    try query.finish()
    find(call, withContent: parts.contains(.message)) { [store] notification in
      call.respond(.json(200, notification, including: parts, now: store.now))
    }
  }

  /// `DELETE /v1/notifications/{id}`: cancels deliveries that are not yet sent.
  func cancel(_ call: APICall) {
    find(call) { [self] notification in
      store.cancel(notification.id, now: store.now) { [self] result in
        switch result {
        case .success(.done(let notification, _, _)):
          events.changed(notification)
          call.respond(.json(200, notification))
        case .success(.allFinal):
          call.respond(APIError(.alreadyFinal, "All of its deliveries have ended."))
        case .success(.notFound): call.respond(Self.unknown)
        case .failure(let error): call.respond(APIError(error))
        }
      }
    }
  }

  /// `POST /v1/notifications/{id}/retry`: queues its failed and expired deliveries again.
  func retry(_ call: APICall) {
    find(call) { [self] notification in
      store.retry(notification.id, now: store.now) { [self] result in
        switch result {
        case .success(.done(let notification, _)):
          events.changed(notification)
          call.respond(.json(202, notification))
        case .success(.none):
          call.respond(APIError(.nothingToRetry, "None of its deliveries is failed or expired."))
        case .success(.notFound): call.respond(Self.unknown)
        case .failure(let error): call.respond(APIError(error))
        }
      }
    }
  }

  /// Looks up the call's notification. For a caller that may not see it, it is unknown.
  func find(
    _ call: APICall, withContent: Bool = false, _ body: @escaping @Sendable (StoredNotification) -> Void
  ) {
    guard let uuid = UUIDv7(call.parameter) else { return call.respond(Self.unknown) }
    store.notification(NotificationID(uuid), withContent: withContent) { result in
      switch result {
      case .success(let notification?) where call.principal.maySee(notification): body(notification)
      case .success: call.respond(Self.unknown)
      case .failure(let error): call.respond(APIError(error))
      }
    }
  }
}

extension HTTPResponse {
  static func json(
    _ status: Int, _ notification: StoredNotification, including parts: Set<IncludedPart> = [],
    now: Timestamp = .now
  ) -> HTTPResponse {
    var writer = JSONWriter(reserving: 768)
    writer.append(notification, including: parts, now: now)
    return .json(status, writer.bytes)
  }
}
