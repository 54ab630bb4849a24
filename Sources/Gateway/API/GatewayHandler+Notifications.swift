import Catalog
import HTTPServer
import JSON
import Outbox

/// `POST /v1/notifications`, `POST /v1/notifications/batch`, `GET /v1/notifications/{id}`.
extension GatewayHandler {
  /// Notifications that one batch may hold.
  static let batchMax = 1000

  func acceptNotification(_ call: Call) throws(Problem) {
    let body = try parseBody(call)
    let idempotency = try idempotency(call, body: body)
    try unlessRepeated(idempotency, call) { [self] () throws(Problem) in
      let now = Timestamp.now
      let request = try NotificationRequest(body, now: now)
      let accepted = try Intake(call).accept(request, now: now)
      // Nothing is kept, so that there is nothing to repeat.
      if request.validateOnly { return validate(accepted, call) }
      var response = HTTPResponse.json(202, StoredNotification(accepted.notification))
      response.headers.add("Location", "/v1/notifications/" + accepted.notification.id.description)
      enqueue([accepted.notification], idempotency, call, now: now, response: response)
    }
  }

  func acceptBatch(_ call: Call) throws(Problem) {
    let body = try parseBody(call)
    let idempotency = try idempotency(call, body: body)
    try unlessRepeated(idempotency, call) { [self] () throws(Problem) in
      try acceptBatch(batchItems(body), idempotency, call)
    }
  }

  private func acceptBatch(
    _ requests: [JSON], _ idempotency: Idempotency?, _ call: Call
  ) throws(Problem) {
    let now = Timestamp.now
    let intake = Intake(call)
    let pointer = JSONPointer.root.appending("notifications")
    let outcomes = requests.enumerated().map { index, value in
      Result { () throws(Problem) in
        let request = try NotificationRequest(value, at: pointer.appending(index), now: now)
        if request.validateOnly {
          throw Problem(
            .invalidRequest, "validate_only is for single notifications.",
            errors: [
              InputError(
                pointer: pointer.appending(index).appending("validate_only"), code: .invalid,
                detail: "A batch cannot be validated only; post the notification alone.")
            ])
        }
        return try intake.accept(request, at: pointer.appending(index), now: now).notification
      }
    }
    let accepted = outcomes.compactMap { try? $0.get() }
    guard !accepted.isEmpty else {
      var problem = Problem(.invalidRequest, "None of the notifications was accepted; results says why.")
      problem.members = batchMembers(outcomes)
      throw problem
    }
    let response = HTTPResponse.json(202, JSON.object(.init(batchMembers(outcomes))).serialized)
    enqueue(accepted, idempotency, call, now: now, response: response)
  }

  private func batchItems(_ body: JSON) throws(Problem) -> [JSON] {
    guard let object = body.object else {
      throw Problem(
        .invalidRequest, "A batch is an object.",
        errors: [
          InputError(pointer: .root, code: .wrongType, detail: "An object is expected, not \(body.kind).")
        ])
    }
    var reader = RequestReader(object: object, pointer: .root)
    let items = reader.requiredArray("notifications")
    reader.refuseUnknownFields()
    if let items, !(1...Self.batchMax).contains(items.count) {
      reader.report("notifications", .outOfRange, "1 to \(Self.batchMax) are expected, not \(items.count).")
    }
    guard reader.errors.isEmpty, let items else {
      throw Problem(.invalidRequest, "The batch is not valid.", errors: reader.errors)
    }
    return items
  }

  private func batchMembers(_ outcomes: [Result<NewNotification, Problem>]) -> [JSON.Object.Member] {
    var accepted = 0
    let results: [JSON] = outcomes.map { outcome in
      switch outcome {
      case .success(let notification):
        accepted += 1
        return [
          "id": .string(notification.id.description),
          "status": .string(StoredNotification(notification).status),
        ]
      case .failure(let problem): return ["problem": problem.json]
      }
    }
    return [
      ("accepted", JSON(accepted)), ("rejected", JSON(outcomes.count - accepted)),
      ("results", .array(results)),
    ]
  }

  func showNotification(_ call: Call) {
    guard let uuid = UUIDv7(call.parameter) else { return call.respond(Self.unknownNotification) }
    store.notification(NotificationID(uuid)) { result in
      switch result {
      case .success(let notification?) where call.principal.maySee(notification):
        call.respond(.json(200, notification))
      case .success: call.respond(Self.unknownNotification)
      case .failure(let error): call.respond(Problem(error))
      }
    }
  }

  func parseBody(_ call: Call) throws(Problem) -> JSON {
    do throws(JSONParseError) {
      return try JSON.parse(call.request.body)
    } catch {
      throw Problem(error)
    }
  }
}

extension Principal {
  /// A client sees what it made itself; an admin what all made; both in their apps alone.
  func maySee(_ notification: StoredNotification) -> Bool {
    mayUse(app: notification.app) && (seesAllClients || notification.client == client)
  }
}

extension Intake {
  fileprivate init(_ call: GatewayHandler.Call) {
    self.init(snapshot: call.snapshot, principal: call.principal, trace: call.origin.receivedTrace)
  }
}
