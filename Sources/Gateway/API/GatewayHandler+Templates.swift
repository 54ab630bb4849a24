import Catalog
import HTTPServer
import JSON

/// `GET /v1/templates` and `GET /v1/templates/{template}`: the catalog as callers see it.
extension GatewayHandler {
  func listTemplates(_ call: Call) throws(Problem) {
    let app = try requestedApp(call)
    let templates = app.catalog.templates.filter { call.principal.mayUse(template: $0.name) }
    let body: JSON = ["app": .string(app.name), "templates": .array(templates.map(\.json))]
    call.respond(.json(200, body.serialized))
  }

  func showTemplate(_ call: Call) throws(Problem) {
    let app = try requestedApp(call)
    guard call.principal.mayUse(template: call.parameter), let template = app.catalog.template(call.parameter)
    else {
      throw Problem(.notFound, "The catalog of \"\(app.name)\" has no such template.")
    }
    call.respond(.json(200, template.json.serialized))
  }

  /// The app that `?app=` names; the default one without it.
  private func requestedApp(_ call: Call) throws(Problem) -> GatewayState.App {
    guard let items = call.request.head.queryItems() else {
      throw Problem(.badRequest, "The query is not percent-encoded UTF-8.")
    }
    for item in items where item.name != "app" {
      throw Problem(
        .invalidRequest, "There is no query parameter \"\(item.name)\".",
        errors: [InputError(pointer: .root.appending(item.name), code: .unknown, detail: "Known is: app.")])
    }
    guard let app = call.snapshot.app(named: items.last?.value) else {
      throw Problem(.unknownApp, "There is no such app. The apps are: \(call.snapshot.appNames).")
    }
    guard call.principal.mayUse(app: app.name) else {
      throw Problem(.forbidden, "The client may not use the app \"\(app.name)\".")
    }
    return app
  }
}
