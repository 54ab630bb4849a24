internal import Catalog
internal import HTTPServer
internal import JSON

/// `GET /v1/stats/history`: what the queue and an app did lately.
struct HistoryResource: Sendable {
  let history: QueueHistory
  let pool: WorkPool

  func show(_ call: APICall) throws(APIError) {
    var query = try QueryReader(call.head)
    let name = query.text("app")
    let interval = query.text("interval") ?? "\(QueueHistory.intervals[0])"
    let seconds = QueueHistory.intervals.first { "\($0)".hasSameBytes(as: interval) }
    if seconds == nil {
      let known = QueueHistory.intervals.map(String.init).joined(separator: ", ")
      query.report("interval", .invalid, "One of these numbers of seconds is expected: \(known).")
    }
    let app = try call.app(named: name, in: query)
    // Two days have 576 samples.
    pool.perform(call) {
      let past = history.json(of: app.name, every: seconds ?? QueueHistory.intervals[0])
      call.respond(Representation(.json(200, past.serialized)).response(to: call.head))
    }
  }
}
