internal import Catalog
internal import CatalogCheck
internal import HTTPServer
internal import JSON

/// `GET /v1/matrix`: what every reader gets of every template.
struct MatrixResource: Sendable {
  let pool: WorkPool

  func show(_ call: APICall) throws(APIError) {
    var query = try QueryReader(call.head)
    let name = query.text("app")
    let app = try call.app(named: name, in: query)
    // A catalog can have thousands of templates.
    pool.perform(call) {
      let answer = app.matrix.answer(for: call.principal) {
        var answer = HTTPResponse.json(200, Self.json(app, for: call.principal).serialized)
        answer.headers.add("Cache-Control", "private, no-cache")
        return Representation(answer, isRevalidated: true)
      }
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
