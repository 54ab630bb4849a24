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

  func accept(_ call: APICall) throws(APIError) {
    var query = try QueryReader(call.head)
    for name in Self.standardParameters { _ = query.text(name) }
    try query.finish()
    let project = call.parameter
    let app = call.snapshot.apps.first {
      $0.projectID.hasSameBytes(as: project) && call.principal.mayUse(app: $0.name)
    }
    guard let app else {
      throw APIError(
        .notFound, "No app that this key may use has the project in the path. Check apps.NAME.project_id.")
    }
    let body: JSON
    do throws(JSONParseError) {
      body = try JSON.parse(call.body, options: SendMessageRequest.parseOptions)
    } catch {
      return call.respond(HTTPResponse(.malformed(error)))
    }
    let idempotency = try IdempotentRequest(call, body: body)
    try submission.unlessRepeated(idempotency, call, answer: { [self] in repeated($0, call) }) {
      [self] () throws(APIError) in
      do throws(GoogleAPIError) {
        check(try SendMessageRequest(body), idempotency, for: app, call)
      } catch {
        call.respond(HTTPResponse(error))
      }
    }
  }

  /// Looks at the message's texts as the app wants it, and accepts the message if they are good enough.
  private func check(
    _ request: SendMessageRequest, _ idempotency: IdempotentRequest?, for app: APIState.App, _ call: APICall
  ) {
    guard app.raw.mode != .off else { return accept(request, idempotency, for: app, call) }
    let check = app.raw.check
    let texts = check.texts(of: request.message)
    if !request.validatesOnly {
      findings.note(request.message, texts, by: check, app: app.name, now: store.now)
    }
    guard app.raw.mode == .reject, texts.contains(where: { check.knownFindings(of: $0)?.isEmpty != true })
    else {
      return accept(request, idempotency, for: app, call)
    }
    // To look for a key among all of an app takes long.
    pool.perform(call, .short) { [self] in
      let violations = texts.flatMap { text in
        check.findings(of: text).filter { $0.severity == .error }.map { finding in
          (field: text.field, description: "\(finding.rule.rawValue): \(finding.message) \(finding.help)")
        }
      }
      guard violations.isEmpty else {
        return call.respond(
          HTTPResponse(
            .invalidArgument(violations.map(\.description).joined(separator: "\n"), violations)))
      }
      accept(request, idempotency, for: app, call)
    }
  }

  private func accept(
    _ request: SendMessageRequest, _ idempotency: IdempotentRequest?, for app: APIState.App, _ call: APICall
  ) {
    let now = store.now
    let raw = RawMessage(request, now: now, maxAgeMilliseconds: call.snapshot.maxAgeMilliseconds)
    let delivery = DeliveryID(UUIDv7(now: now))
    let notification = NewNotification(
      id: NotificationID(UUIDv7(now: now)), app: app.name, template: nil, client: call.principal.client,
      createdAt: now, sendAt: nil, expiresAt: raw.expiresAt, priority: raw.isUrgent ? .high : .normal,
      message: raw.message, deliveries: [(delivery, raw.target)], trace: call.origin.receivedTrace,
      activity: raw.activity.map { NewActivity(token: $0.token, event: $0.event) })
    // Nothing is stored, so there is nothing to repeat.
    if request.validatesOnly { return validate(notification, call) }
    var response = HTTPResponse.name("projects/\(call.parameter)/messages/\(delivery)")
    response.headers.add(Self.notificationField, notification.id.description)
    let expected = awaited.expect(delivery)
    submission.enqueue(
      [notification], idempotency, call, now: now, response: response,
      answer: { [self] in wait(for: expected, of: notification.id, accepted: $0, call) })
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
  private func repeated(_ first: HTTPResponse, _ call: APICall) {
    guard WaitPreference(call.head).seconds > 0,
      let id = first.headers[Self.notificationField].flatMap(UUIDv7.init).map(NotificationID.init),
      let delivery = Self.delivery(namedBy: first)
    else { return respond(first, call) }
    let expected = awaited.expect(delivery)
    store.notification(id) { [self] result in
      guard case .success(let stored?) = result, let delivery = stored.deliveries.first else {
        return respond(first, call)
      }
      if let answer = answer(stored, to: first) { return respond(answer, call) }
      if delivery.state.isFinal { return respond(first, call) }
      wait(for: expected, of: id, accepted: first, call)
    }
  }

  /// The delivery that an answer names before FCM has.
  private static func delivery(namedBy answer: HTTPResponse) -> DeliveryID? {
    let name = (try? JSON.parse(answer.body))?["name"]?.string
    return name?.split(separator: "/").last.flatMap { UUIDv7(String($0)) }.map(DeliveryID.init)
  }

  /// Waits for FCM's answer as long as the caller wants to.
  private func wait(
    for expected: ExpectedDelivery, of id: NotificationID, accepted: HTTPResponse, _ call: APICall
  ) {
    let seconds = WaitPreference(call.head).seconds
    guard seconds > 0 else { return respond(accepted, call) }
    expected.wait(until: .now + .seconds(seconds)) { [self] end in
      if case .sent(let name) = end { return respond(accepted.replaced(by: .name(name)), call) }
      // Another gateway may have sent it.
      store.notification(id) { [self] result in
        let stored = try? result.get()
        respond(stored.flatMap { answer($0, to: accepted) } ?? accepted, call)
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

  private func respond(_ response: HTTPResponse, _ call: APICall) {
    var response = response
    WaitPreference(call.head).add(to: &response.headers)
    call.respond(response)
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
