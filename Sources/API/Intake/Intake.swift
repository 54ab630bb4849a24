internal import Catalog
internal import CatalogCheck
internal import Clock
internal import FCMMessage
internal import JSON
internal import Outbox
internal import Telemetry

/// Turns a request into a notification for the queue: app, template, permission, assembly, ids.
struct Intake: Sendable {
  let snapshot: APIState.Snapshot
  let principal: Principal
  /// The trace that the request belongs to; nil for none.
  let trace: TraceContext?

  init(snapshot: APIState.Snapshot, principal: Principal, trace: TraceContext? = nil) {
    self.snapshot = snapshot
    self.principal = principal
    self.trace = trace
  }

  /// For the notifications of one request.
  init(_ call: APICall) {
    self.init(snapshot: call.snapshot, principal: call.principal, trace: call.origin.receivedTrace)
  }

  struct Accepted: Sendable {
    let notification: NewNotification
    let app: APIState.App
    let message: AssembledMessage
  }

  /// Throws `APIError` with all mistakes, including those found when the request was read.
  func accept(
    _ request: NotificationRequest, at pointer: JSONPointer = .root, now: Timestamp
  ) throws(APIError) -> Accepted {
    // Which app is meant decides about everything else.
    guard request.hasReadableApp else { throw .invalid(request.errors) }
    guard let app = snapshot.app(named: request.app, for: principal) else {
      throw .noApp(
        named: request.app, known: snapshot.appNames(for: principal), errors: request.errors, at: pointer)
    }
    guard principal.mayUse(template: request.template), let template = app.catalog.template(request.template)
    else {
      throw problem(.unknownTemplate, of: request, errors: request.errors, app: app, at: pointer)
    }
    let errors =
      request.errors(for: template, at: pointer) + request.errors(for: app.catalog.topics, at: pointer)
    let message = try assemble(request, errors: errors, by: template, of: app, at: pointer, now: now)
    let targets = request.languageTopic(in: app.catalog)?.targets ?? request.targets
    let deliveries = targets.map { (id: DeliveryID(UUIDv7(now: now)), target: $0) }
    let notification = NewNotification(
      id: NotificationID(UUIDv7(now: now)), app: app.name, template: request.template,
      client: principal.client,
      createdAt: now, sendAt: request.sendAt,
      expiresAt: expiry(of: message, from: request.sendAt ?? now),
      priority: message.priority == .high ? .high : .normal, message: message.message,
      deliveries: deliveries, trace: trace,
      activity: request.activity.map { NewActivity(token: $0.token, event: $0.event) })
    return Accepted(notification: notification, app: app, message: message)
  }

  private func assemble(
    _ request: NotificationRequest, errors: InputErrors, by template: Template, of app: APIState.App,
    at pointer: JSONPointer, now: Timestamp
  ) throws(APIError) -> AssembledMessage {
    let longest =
      request.targets.count == 1
      ? request.targets.first
      : request.targets.max { $0.value.jsonEscapedByteCount < $1.value.jsonEscapedByteCount }
    let assembly = AssemblyRequest(
      template: request.template, args: request.args, data: request.data, ttlSeconds: request.ttlSeconds,
      priority: request.priority, collapseKey: request.collapseKey, analyticsLabel: request.analyticsLabel,
      activity: request.activity, longestTarget: longest)
    let isForRecipient =
      request.recipient != nil || request.render != nil || template.render != nil
      || request.languageTopic(in: app.catalog) != nil
    let result =
      isForRecipient
      ? try assemble(assembly, for: request, errors: errors, by: template, of: app, at: pointer, now: now)
      : template.assemble(assembly)
    switch result {
    case .success(let message):
      if !errors.isEmpty { throw .invalid(errors) }
      return message
    case .failure(let error): throw problem(error, of: request, errors: errors, app: app, at: pointer)
    }
  }

  /// Assembles the message for the recipient. Throws if it cannot be made for this one.
  private func assemble(
    _ assembly: AssemblyRequest, for request: NotificationRequest, errors: InputErrors, by template: Template,
    of app: APIState.App, at pointer: JSONPointer, now: Timestamp
  ) throws(APIError) -> Result<AssembledMessage, AssemblyError> {
    let recipient = request.recipient ?? Recipient()
    let prepared: PreparedMessage
    switch template.prepare(assembly) {
    case .failure(let error): return .failure(error)
    case .success(let message): prepared = message
    }
    let render = request.render ?? prepared.template.render ?? .auto
    let topic = request.languageTopic(in: app.catalog)
    if render == .gateway, recipient.locales.isEmpty, topic == nil {
      let place = pointer.appending("recipient").appending("locale").description
      // A language that is not valid is not missing too.
      if errors.contains(where: { $0.pointer.description.hasPrefix(place) }) { throw .invalid(errors) }
      let missing = InputError(
        pointer: .root.appending("recipient").appending("locale"), code: .missing,
        detail: "With render \"gateway\", the gateway needs the language of the texts.")
      return .failure(.invalid([missing]))
    }
    if prepared.template.activity != nil, recipient.platform != nil, recipient.platform != .ios {
      let other = InputError(
        pointer: .root.appending("recipient").appending("platform"), code: .invalid,
        detail: "The template is for Live Activities, which only iPhones have.")
      return .failure(.invalid([other]))
    }
    guard errors.isEmpty else { throw .invalid(errors) }
    do throws(NotRenderableError) {
      if let topic { return try app.texts.message(of: prepared, for: topic, recipient, now: now) }
      let content = try app.texts.content(of: prepared, for: recipient, render: render, now: now)
      return prepared.message(content, longestTarget: assembly.longestTarget)
    } catch {
      throw APIError(error, at: pointer)
    }
  }

  private func problem(
    _ error: AssemblyError, of request: NotificationRequest, errors: InputErrors, app: APIState.App,
    at pointer: JSONPointer
  ) -> APIError {
    switch error.code {
    case .unknownTemplate:
      if request.template.isEmpty { return .invalid(errors) }
      return APIError(
        .unknownTemplate, "The catalog of \"\(app.name)\" has no template \"\(request.template)\".",
        errors: errors + [
          InputError(
            pointer: pointer.appending("template"), code: .unknown,
            detail: suggestion(for: request.template, in: app, at: pointer))
        ])
    case .invalidRequest:
      let hasNoArgs = errors.contains { $0.pointer == pointer.appending("args") }
      let found = hasNoArgs ? error.inputErrors.outside("args") : error.inputErrors
      return .invalid(errors + found.below(pointer))
    case .messageTooLarge:
      if !errors.isEmpty { return .invalid(errors) }
      return .tooLarge(bytes: error.byteCount, limit: SealedMessage.byteCountMax)
    }
  }

  /// The most templates among which a similar name is sought.
  private static let suggestedTemplatesMax = 200

  /// What to write in place of an unknown template. A batch full of unknown ones gets no suggestions, so that
  /// mistakes cost no more than data.
  private func suggestion(for name: String, in app: APIState.App, at pointer: JSONPointer) -> String {
    let known = app.catalog.templates.prefix(Self.suggestedTemplatesMax).lazy.map(\.name)
      .filter(principal.mayUse(template:))
    let nearest = pointer == .root ? nearestName(to: name, among: known) : nil
    return (nearest.map { "Did you mean \($0)? " } ?? "") + "GET /v1/templates lists all templates."
  }

  private func expiry(of message: AssembledMessage, from start: Timestamp) -> Timestamp {
    guard let ttl = message.ttlSeconds else { return start.adding(milliseconds: snapshot.maxAgeMilliseconds) }
    return start.adding(milliseconds: ttl == 0 ? RawMessage.nowOrNeverMilliseconds : Int64(ttl) * 1000)
  }
}
