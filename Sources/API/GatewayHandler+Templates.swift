import Catalog
import CatalogCheck
import Dispatch
import HTTPServer
import JSON

/// `GET /v1/templates` and `GET /v1/templates/{template}`: the catalog as callers see it.
extension GatewayHandler {
  func listTemplates(_ call: Call) throws(Problem) {
    let app = try requestedApp(call)
    let templates = app.catalog.templates.filter { call.principal.mayUse(template: $0.name) }
    let body: JSON = [
      "app": .string(app.name),
      "templates": .array(templates.map { $0.json(findings: app.report.findings(of: $0.name)) }),
    ]
    call.respond(.json(200, body.serialized))
  }

  func showTemplate(_ call: Call) throws(Problem) {
    let app = try requestedApp(call)
    guard call.principal.mayUse(template: call.parameter), let template = app.catalog.template(call.parameter)
    else {
      throw Problem(.notFound, "The catalog of \"\(app.name)\" has no such template.")
    }
    let findings = app.report.findings(of: template.name)
    call.respond(.json(200, template.json(findings: findings).serialized))
  }

  /// `POST /v1/templates/{template}/preview`: what each phone would show. Rendering hundreds of locales takes its
  /// time, so that it is done beside the event loops.
  func previewTemplate(_ call: Call) throws(Problem) {
    let request = try PreviewRequest(parseBody(call))
    guard let app = call.snapshot.app(named: request.app) else {
      throw Problem(
        .unknownApp, "There is no such app. The apps are: \(call.snapshot.appNames(for: call.principal)).",
        errors: request.errors + [
          InputError(
            pointer: .root.appending("app"), code: .unknown,
            detail: "The apps are: \(call.snapshot.appNames(for: call.principal)).")
        ])
    }
    guard call.principal.mayUse(app: app.name) else {
      throw Problem(.forbidden, "The client may not use the app \"\(app.name)\".")
    }
    guard call.principal.mayUse(template: call.parameter), app.catalog.template(call.parameter) != nil else {
      throw Problem(.notFound, "The catalog of \"\(app.name)\" has no such template.")
    }
    workQueue.async { [self] in
      do throws(Problem) {
        call.respond(.json(200, try preview(call.parameter, request, of: app).json.serialized))
      } catch {
        call.respond(error)
      }
    }
  }

  private func preview(
    _ template: String, _ request: PreviewRequest, of app: APIState.App
  ) throws(Problem) -> TemplatePreview {
    // The request's own mistakes and those of its args are told together.
    let resources = app.resources ?? AppResources()
    let preview = Result { () throws(AssemblyError) in
      try TemplatePreview(
        of: template, args: request.args, locales: request.locales, platforms: request.platforms,
        catalog: app.catalog, resources: resources, findings: app.report.findings(of: template))
    }
    if case .failure(.invalid(let errors)) = preview { throw .invalid(request.errors + errors) }
    guard request.errors.isEmpty else { throw .invalid(request.errors) }
    guard app.resources != nil else {
      throw Problem(.noResources, "The catalog of \"\(app.name)\" names no string resources.")
    }
    switch preview {
    case .success(let preview): return preview
    case .failure(.tooLarge(let bytes, let limit)): throw .tooLarge(bytes: bytes, limit: limit)
    case .failure: throw Problem(.notFound, "The catalog of \"\(app.name)\" has no such template.")
    }
  }

  /// The app that `?app=` names; the default one without it.
  private func requestedApp(_ call: Call) throws(Problem) -> APIState.App {
    var query = try QueryReader(call.request.head)
    let name = query.text("app")
    try query.finish()
    guard let app = call.snapshot.app(named: name) else {
      throw Problem(
        .unknownApp, "There is no such app. The apps are: \(call.snapshot.appNames(for: call.principal)).")
    }
    guard call.principal.mayUse(app: app.name) else {
      throw Problem(.forbidden, "The client may not use the app \"\(app.name)\".")
    }
    return app
  }
}
