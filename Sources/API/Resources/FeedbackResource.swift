internal import Catalog
internal import DeliveryReports
internal import HTTPServer
internal import JSON
internal import Outbox

/// `GET /v1/feedback`: dead registrations, as far as the client may see them.
struct FeedbackResource: Sendable {
  let store: any OutboxStore

  func list(_ call: APICall) throws(APIError) {
    let principal = call.principal
    // Numbers count the events of all clients.
    let seal = principal.seesAllClients ? nil : call.snapshot.cursors
    var query = try QueryReader(call.head)
    let afterText = query.text("after")
    let after = afterText.flatMap { text -> Int64? in
      if let seal, text != "0" { return seal.place(text, in: .feedback, for: principal.client) }
      return text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }
    if afterText != nil, after == nil {
      query.report("after", .invalid, "The id of an event, or the last answer's next, is expected.")
    }
    let limit = query.pageLimit()
    try query.finish()
    let owner = principal.seesAllClients ? nil : principal.client
    store.feedback(after: after, apps: principal.apps, client: owner, limit: limit) { result in
      switch result {
      case .success(let page):
        func shown(_ id: Int64) -> String {
          // Before the first event, there is nothing to hide.
          id == 0 ? "0" : seal?.text(id, in: .feedback, for: principal.client) ?? String(id)
        }
        let body: JSON = [
          "events": .array(page.events.map { $0.json(id: shown($0.id)) }),
          "next": page.next.map { .string(shown($0)) } ?? .null,
        ]
        call.respond(.json(200, body.serialized))
      case .failure(let error): call.respond(APIError(error))
      }
    }
  }
}
