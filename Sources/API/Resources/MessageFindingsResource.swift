internal import Catalog
internal import HTTPServer
internal import JSON

/// `GET /v1/messages/findings`: what is wrong with the messages that FCM's own API took.
struct MessageFindingsResource: Sendable {
  let findings: RawFindings

  func list(_ call: APICall) throws(APIError) {
    var query = try QueryReader(call.head)
    let shapes = query.text("shapes")
    if let shapes, shapes != "1" { query.report("shapes", .invalid, "1 is expected.") }
    let name = query.text("app")
    let app = try call.app(named: name, in: query)
    let causes = findings.causes(of: app.name)
    var body = JSON.Object([("findings", .array(causes.map(\.json))), ("total", JSON(causes.count))])
    if shapes != nil { body["shapes"] = .array(findings.shapes(of: app.name).map(\.json)) }
    call.respond(.json(200, JSON.object(body).serialized))
  }
}
