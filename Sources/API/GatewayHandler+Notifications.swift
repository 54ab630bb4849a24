import Catalog
internal import Clock
import HTTPServer
import JSON
import Outbox

/// `POST /v1/notifications`, `POST /v1/notifications/batch`, `GET /v1/notifications/{id}`.
extension GatewayHandler {
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
      try acceptBatch(body, idempotency, call)
    }
  }

  private func acceptBatch(_ body: JSON, _ idempotency: Idempotency?, _ call: Call) throws(Problem) {
    let now = Timestamp.now
    let batch = try Intake(call).acceptBatch(body, now: now)
    enqueue(
      batch.accepted, idempotency, call, now: now, response: .json(202, batch.json.serialized))
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
