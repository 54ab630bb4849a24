internal import Catalog
internal import DeliveryReports
internal import HTTPServer
internal import JSON
internal import Outbox

/// `GET /v1/feedback`: dead registrations, as far as the client may see them.
struct FeedbackResource: Sendable {
  let store: any OutboxStore

  func list(_ call: APICall) throws(APIError) {
    var query = try QueryReader(call.head)
    let afterText = query.text("after")
    let isPlain = afterText?.utf8.allSatisfy { (0x30...0x39).contains($0) } ?? true
    let after = isPlain ? afterText.flatMap { Int64($0) } : nil
    if afterText != nil, after == nil {
      query.report("after", .invalid, "The id of an event, or the last answer's next, is expected.")
    }
    let limit = query.pageLimit()
    try query.finish()
    store.feedback(after: after, apps: call.principal.apps, limit: limit) { result in
      switch result {
      case .success(let page):
        let body: JSON = [
          "events": .array(page.events.map(\.json)),
          "next": page.next.map { .string(String($0)) } ?? .null,
        ]
        call.respond(.json(200, body.serialized))
      case .failure(let error): call.respond(APIError(error))
      }
    }
  }
}
