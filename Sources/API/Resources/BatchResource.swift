internal import Clock
internal import HTTPServer
internal import JSON
internal import Outbox

/// `POST /v1/notifications/batch`.
struct BatchResource: Sendable {
  let submission: Submission

  func accept(_ call: APICall) throws(APIError) {
    let body = try call.json()
    let idempotency = try IdempotentRequest(call, body: body)
    try submission.unlessRepeated(idempotency, call) { () throws(APIError) in
      let now = submission.store.now
      let batch = try Intake(call).acceptBatch(body, now: now)
      submission.enqueue(
        batch.accepted, idempotency, call, now: now, response: .json(202, batch.json.serialized))
    }
  }
}
