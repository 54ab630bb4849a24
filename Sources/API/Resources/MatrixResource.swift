internal import Catalog
internal import CatalogCheck
internal import HTTPServer
internal import JSON
internal import Synchronization

/// `GET /v1/matrix`: what every reader gets of every template.
struct MatrixResource: Sendable {
  let pool: WorkPool

  func show(_ call: APICall) throws(APIError) {
    var query = try QueryReader(call.head)
    let name = query.text("app")
    let app = try call.app(named: name, in: query)
    // A catalog can have thousands of templates.
    pool.perform(call) {
      let answer = app.matrix.answer(for: call.principal) { Self.json(app, for: call.principal).serialized }
      call.respond(answer.response(to: call.head))
    }
  }

  private static func json(_ app: APIState.App, for principal: Principal) -> JSON {
    let table = app.report.verdicts?.filter(principal.mayUse(template:))
    let names = app.catalog.templates.map(\.name).filter(principal.mayUse(template:))
    let findings = names.map { name in
      let found = app.report.findings(of: name)
      return (
        name,
        [
          "errors": JSON(found.count { $0.severity == .error }),
          "warnings": JSON(found.count { $0.severity == .warning }),
        ] as JSON
      )
    }
    return [
      "locales": table?.localesJSON ?? [:], "verdicts": table?.verdictsJSON ?? [:],
      "findings": .object(.init(findings)),
    ]
  }
}

/// The answers about one catalog: one for each set of templates that a client may see.
final class MatrixAnswers: Sendable {
  struct Answer: Sendable {
    private let body: [UInt8]
    private let entityTag: EntityTag

    init(_ json: [UInt8]) {
      body = json + [UInt8(ascii: "\n")]
      entityTag = EntityTag(of: body)
    }

    func response(to head: HTTPRequestHead) -> HTTPResponse {
      entityTag.response(
        to: head, ["Content-Type": "application/json", "Cache-Control": "private, no-cache"], body)
    }
  }

  private let made = Mutex<[[String]?: Answer]>([:])

  func answer(for principal: Principal, make: () -> [UInt8]) -> Answer {
    if let known = made.withLock({ $0[principal.templates] }) { return known }
    let answer = Answer(make())
    made.withLock { $0[principal.templates] = answer }
    return answer
  }
}
