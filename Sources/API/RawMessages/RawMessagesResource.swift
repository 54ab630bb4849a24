internal import Catalog
internal import CatalogCheck
internal import Clock
internal import DeliveryReports
internal import FCM
internal import FCMMessage
internal import HTTPServer
internal import JSON
internal import Outbox

/// `POST /v1/projects/{project}/messages:send`: FCM's own API in front of the queue. Its message is given
/// instead of assembled; everything else is the same as for any notification.
final class RawMessagesResource: Sendable {
  private let store: any OutboxStore
  private let submission: Submission
  private let engine: any DeliveryService
  private let awaited: AwaitedDeliveries
  private let findings: RawFindings
  private let pool: WorkPool

  private static let notificationField = "Dragoman-Notification"

  init(
    submission: Submission, engine: any DeliveryService, awaited: AwaitedDeliveries, findings: RawFindings,
    pool: WorkPool
  ) {
    store = submission.store
    self.submission = submission
    self.engine = engine
    self.awaited = awaited
    (self.findings, self.pool) = (findings, pool)
  }

  /// The query parameters that all of Google's APIs take, and that say how to write the answer; it stays the
  /// same.
  private static let standardParameters = [
    "alt", "prettyPrint", "fields", "key", "quotaUser", "userIp", "$.xgafv", "access_token", "oauth_token",
    "callback", "uploadType", "upload_protocol",
  ]

  /// A request for an app.
  private struct Request {
    let call: APICall
    let app: APIState.App
    let preference: WaitPreference
    var idempotency: IdempotentRequest?

    /// Nil for one that is not JSON, which is answered.
    func body() -> JSON? {
      do throws(JSONParseError) {
        return try JSON.parse(call.body, options: SendMessageRequest.parseOptions)
      } catch {
        call.respond(HTTPResponse(.malformed(error)))
        return nil
      }
    }
  }

  func accept(_ call: APICall) throws(APIError) {
    if call.head.query != nil {
      var query = try QueryReader(call.head)
      for name in Self.standardParameters { _ = query.text(name) }
      try query.finish()
    }
    let project = call.parameter
    let app = call.snapshot.apps.first {
      $0.projectID.hasSameBytes(as: project) && call.principal.mayUse(app: $0.name)
    }
    guard let app else {
      throw APIError(
        .notFound, "No app that this key may use has the project in the path. Check apps.NAME.project_id.")
    }
    var request = Request(call: call, app: app, preference: WaitPreference(call.head), idempotency: nil)
    guard IdempotentRequest.hasKey(call) else { return take(request) }
    guard let body = request.body() else { return }
    request.idempotency = try IdempotentRequest(call, body: body)
    try submission.unlessRepeated(
      request.idempotency, call, answer: { [self, request] in repeated($0, request) },
      proceed: { [self, request] () throws(APIError) in take(request) })
  }

  /// Checks the message, unless it is like one before, and accepts it.
  private func take(_ request: Request) {
    let (app, now) = (request.app, store.now)
    let match = app.raw.known.match(
      request.call.body, now: now, maxAgeMilliseconds: request.call.snapshot.maxAgeMilliseconds)
    if case .known(let raw, let note) = match {
      if let note { findings.note(again: note, app: app.name, now: now) }
      return accept(raw, request, now: now)
    }
    guard let body = request.body() else { return }
    do throws(GoogleAPIError) {
      let message = try SendMessageRequest(body)
      check(message, request) { note in
        guard case .unknown(let unknown) = match else { return }
        app.raw.known.remember(unknown, body, message, note: note)
      }
    } catch {
      request.call.respond(HTTPResponse(error))
    }
  }

  /// Looks at the message's texts as the app wants it, and accepts the message if they are good enough. Calls
  /// `remember` if it may be done without for others like it.
  private func check(
    _ message: SendMessageRequest, _ request: Request, remember: (RawFindings.Note?) -> Void
  ) {
    let app = request.app
    guard app.raw.mode != .off else {
      remember(nil)
      return accept(message, request)
    }
    let check = app.raw.check
    let texts = check.texts(of: message.message)
    if !message.validatesOnly {
      let note = findings.note(message.message, texts, by: check, app: app.name, now: store.now)
      let isRefused = app.raw.mode == .reject && note?.groups.contains { $0.severity == .error } == true
      if let note, !isRefused { remember(note) }
    }
    guard app.raw.mode == .reject, texts.contains(where: { check.knownFindings(of: $0)?.isEmpty != true })
    else {
      return accept(message, request)
    }
    // To look for a key among all of an app takes long.
    pool.perform(request.call, .short) { [self] in
      let violations = texts.flatMap { text in
        check.findings(of: text).filter { $0.severity == .error }.map { finding in
          (field: text.field, description: "\(finding.rule.rawValue): \(finding.message) \(finding.help)")
        }
      }
      guard violations.isEmpty else {
        return request.call.respond(
          HTTPResponse(
            .invalidArgument(violations.map(\.description).joined(separator: "\n"), violations)))
      }
      accept(message, request)
    }
  }

  private func accept(_ message: SendMessageRequest, _ request: Request) {
    let now = store.now
    let raw = RawMessage(message, now: now, maxAgeMilliseconds: request.call.snapshot.maxAgeMilliseconds)
    // Nothing is stored, so there is nothing to repeat.
    if message.validatesOnly {
      return validate(notification(of: raw, request, DeliveryID(UUIDv7(now: now)), now: now), request.call)
    }
    accept(raw, request, now: now)
  }

  private func accept(_ raw: RawMessage, _ request: Request, now: Timestamp) {
    let call = request.call
    let delivery = DeliveryID(UUIDv7(now: now))
    let notification = notification(of: raw, request, delivery, now: now)
    var response = HTTPResponse.name("projects/\(call.parameter)/messages/\(delivery)")
    response.headers.add(Self.notificationField, notification.id.description)
    let expected = request.preference.seconds > 0 ? awaited.expect(delivery) : nil
    submission.enqueue(
      [notification], request.idempotency, call, now: now, response: response,
      answer: { [self] in wait(for: expected, of: notification.id, accepted: $0, request) })
  }

  private func notification(
    of raw: RawMessage, _ request: Request, _ delivery: DeliveryID, now: Timestamp
  ) -> NewNotification {
    NewNotification(
      id: NotificationID(UUIDv7(now: now)), app: request.app.name, template: nil,
      client: request.call.principal.client, createdAt: now, sendAt: nil, expiresAt: raw.expiresAt,
      priority: raw.isUrgent ? .high : .normal, message: raw.message, deliveries: [(delivery, raw.target)],
      trace: request.call.origin.receivedTrace,
      activity: raw.activity.map { NewActivity(token: $0.token, event: $0.event) })
  }

  /// Has FCM check the message.
  private func validate(_ notification: NewNotification, _ call: APICall) {
    let requests = MessageValidation.requests(of: notification)
    guard let request = requests.first else { return }
    engine.validate(
      app: notification.app, request.body, to: request.target, trace: notification.trace
    ) { outcome in
      switch outcome {
      case .sent(let name): call.respond(.name(name))
      case .failed(let failure):
        var response = HTTPResponse(GoogleAPIError(DeliveryError(failure)))
        if failure.disposition != .permanent {
          response.headers.add("Retry-After", String(failure.retryAfterSeconds ?? 2))
        }
        call.respond(response)
      case .withdrawn: call.respond(APIError(.shuttingDown, "The gateway is shutting down."))
      }
    }
  }

  /// Answers a repeat like the first request: with FCM's answer, if there is one by now.
  private func repeated(_ first: HTTPResponse, _ request: Request) {
    guard request.preference.seconds > 0,
      let id = first.headers[Self.notificationField].flatMap(UUIDv7.init).map(NotificationID.init),
      let delivery = Self.delivery(namedBy: first)
    else { return respond(first, request) }
    let expected = awaited.expect(delivery)
    store.notification(id) { [self] result in
      guard case .success(let stored?) = result, let delivery = stored.deliveries.first else {
        return respond(first, request)
      }
      if let answer = answer(stored, to: first) { return respond(answer, request) }
      if delivery.state.isFinal { return respond(first, request) }
      wait(for: expected, of: id, accepted: first, request)
    }
  }

  /// The delivery that an answer names before FCM has.
  private static func delivery(namedBy answer: HTTPResponse) -> DeliveryID? {
    let name = (try? JSON.parse(answer.body))?["name"]?.string
    return name?.split(separator: "/").last.flatMap { UUIDv7(String($0)) }.map(DeliveryID.init)
  }

  /// Waits for FCM's answer as long as the caller wants to.
  private func wait(
    for expected: ExpectedDelivery?, of id: NotificationID, accepted: HTTPResponse, _ request: Request
  ) {
    guard let expected else { return respond(accepted, request) }
    expected.wait(until: .now + .seconds(request.preference.seconds)) { [self] end in
      if case .sent(let name) = end { return respond(accepted.replaced(by: .name(name)), request) }
      // Another gateway may have sent it.
      store.notification(id) { [self] result in
        let stored = try? result.get()
        respond(stored.flatMap { answer($0, to: accepted) } ?? accepted, request)
      }
    }
  }

  /// FCM's answer to the message of a notification; nil if there is none, or if it is not the last.
  private func answer(_ stored: StoredNotification, to accepted: HTTPResponse) -> HTTPResponse? {
    guard let delivery = stored.deliveries.first else { return nil }
    switch delivery.state {
    case .sent: return delivery.messageName.map { accepted.replaced(by: .name($0)) }
    case .failed:
      return delivery.error.map { accepted.replaced(by: HTTPResponse(GoogleAPIError($0))) }
    case .scheduled, .queued, .sending, .expired, .cancelled: return nil
    }
  }

  private func respond(_ response: HTTPResponse, _ request: Request) {
    var response = response
    request.preference.add(to: &response.headers)
    request.call.respond(response)
  }
}

extension HTTPResponse {
  /// FCM's `Message` as it answers: with its name only.
  fileprivate static func name(_ name: String) -> HTTPResponse {
    .json(200, (["name": .string(name)] as JSON).serialized)
  }

  /// The status and the body of another answer, with the headers of this one.
  fileprivate func replaced(by other: HTTPResponse) -> HTTPResponse {
    HTTPResponse(status: other.status, headers: headers, body: other.body)
  }
}
