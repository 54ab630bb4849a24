internal import Catalog
internal import CatalogCheck
internal import HTTPServer
internal import JSON

/// `GET /v1/templates` and `GET /v1/templates/{template}`: the catalog as callers see it.
struct TemplatesResource: Sendable {
  let pool: WorkPool

  func list(_ call: APICall) throws(APIError) {
    let app = try requestedApp(call)
    // A catalog can have thousands of templates.
    pool.perform(call) {
      let answer = app.templateList.answer(for: call.principal) {
        Representation(.json(200, Self.list(app, for: call.principal).serialized))
      }
      call.respond(answer.response(to: call.head))
    }
  }

  private static func list(_ app: APIState.App, for principal: Principal) -> JSON {
    let templates = app.catalog.templates.filter { principal.mayUse(template: $0.name) }
    // Files concern every template.
    let findings = app.report.ranked.filter { finding in
      finding.template.map(principal.mayUse(template:)) ?? (principal.templates == nil)
    }
    return [
      "app": .string(app.name),
      "templates": .array(templates.map { $0.json(app.report) }),
      "topics": .object(.init(app.catalog.topics.map { ($0.name, $0.json) })),
      "finding_groups": .array(FindingGroup.groups(of: findings).map(\.json)),
    ]
  }

  func show(_ call: APICall) throws(APIError) {
    let app = try requestedApp(call)
    let template = try call.template(named: call.parameter, of: app)
    call.respond(.json(200, template.json(app.report).serialized))
  }

  /// The app that `?app=` names, or the default one.
  private func requestedApp(_ call: APICall) throws(APIError) -> APIState.App {
    var query = try QueryReader(call.head)
    let name = query.text("app")
    return try call.app(named: name, in: query)
  }
}
