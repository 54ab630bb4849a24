internal import HTTPServer
internal import JSON

/// `GET /v1/stats/history`: what the queue and an app did in the last 15 minutes.
struct HistoryResource: Sendable {
  let history: QueueHistory

  func show(_ call: APICall) throws(APIError) {
    var query = try QueryReader(call.head)
    let name = query.text("app")
    let app = try call.app(named: name, in: query)
    call.respond(.json(200, history.json(of: app.name).serialized))
  }
}
