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
      let templates = app.catalog.templates.filter { call.principal.mayUse(template: $0.name) }
      // Files concern every template.
      let findings = app.report.ranked.filter { finding in
        finding.template.map(call.principal.mayUse(template:)) ?? (call.principal.templates == nil)
      }
      let body: JSON = [
        "app": .string(app.name),
        "templates": .array(templates.map { $0.json(app.report) }),
        "topics": .object(.init(app.catalog.topics.map { ($0.name, $0.json) })),
        "finding_groups": .array(FindingGroup.groups(of: findings).map(\.json)),
      ]
      call.respond(.json(200, body.serialized))
    }
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
