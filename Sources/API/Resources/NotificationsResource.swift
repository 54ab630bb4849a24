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
    var filter = NotificationFilter()
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
    guard let app else {
      try query.finish()
      filter.apps = call.principal.apps
      return list(filter, of: owner, limit: limit, cursor: cursor, call)
    }
    filter.apps = [app]
    if call.snapshot.app(named: app, for: call.principal) != nil || !call.principal.mayUse(app: app) {
      _ = try call.app(named: app, in: query)
      return list(filter, of: owner, limit: limit, cursor: cursor, call)
    }
    listRemovedApp(app, query, call) { [self, filter] in
      list(filter, of: owner, limit: limit, cursor: cursor, call)
    }
  }

  /// Performs `search` if the queue still has deliveries of an app that is not configured.
  private func listRemovedApp(
    _ app: String, _ query: QueryReader, _ call: APICall, _ search: @escaping @Sendable () -> Void
  ) {
    store.counts { result in
      switch result {
      case .success(let counts) where counts[ExactText(app)] != nil:
        let mistakes = query.mistakes
        guard mistakes.isEmpty else { return call.respond(.invalid(mistakes)) }
        search()
      case .success:
        let known = call.snapshot.appNames(for: call.principal)
        call.respond(.noApp(named: app, known: known, errors: query.mistakes))
      case .failure(let error): call.respond(APIError(error))
      }
    }
  }

  /// Answers with a page of what the filter finds; `owner` is the client that the query names.
  private func list(
    _ filter: NotificationFilter, of owner: String?, limit: Int, cursor: NotificationCursor?, _ call: APICall
  ) {
    let client = call.principal.client
    var filter = filter
    if call.principal.templates != nil { filter.mayUse = call.principal.mayUse(templateOrNone:) }
    if !call.principal.seesAllClients {
      // The notifications of others look unknown.
      if let owner, client.map({ $0.hasSameBytes(as: owner) }) != true {
        return call.respond(.json(200, Self.json(NotificationPage(notifications: [], next: nil), next: nil)))
      }
      filter.owner = client.map { .client($0) } ?? .anonymous
    } else if let owner {
      filter.owner = .client(owner)
    }
    store.list(filter, limit: limit, cursor: cursor) { result in
      switch result {
      case .success(let page):
        let next = page.next.map { call.snapshot.cursors.text($0.row, in: .notifications, for: client) }
        call.respond(.json(200, Self.json(page, next: next)))
      case .failure(let error): call.respond(APIError(error))
      }
    }
  }

  private static func json(_ page: NotificationPage, next: String?) -> [UInt8] {
    var writer = JSONWriter(reserving: 512 * (page.notifications.count + 1))
    writer.appendRaw("{\"notifications\":[")
    for (index, notification) in page.notifications.enumerated() {
      if index > 0 { writer.appendRaw(",") }
      writer.append(notification)
    }
    writer.appendRaw("],\"next_cursor\":")
    writer.append(next.map(JSON.string) ?? .null)
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
