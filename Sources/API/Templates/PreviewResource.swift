internal import Catalog
internal import CatalogCheck
internal import FCMMessage
internal import HTTPServer
internal import JSON

/// `POST /v1/templates/{template}/preview`: what each phone would show.
struct PreviewResource: Sendable {
  let pool: WorkPool

  func show(_ call: APICall) throws(APIError) {
    let request = try PreviewRequest(call.json())
    guard request.hasReadableApp else { throw .invalid(request.errors) }
    let app = try call.app(named: request.app, errors: request.errors)
    let template = try call.template(named: call.parameter, of: app)
    // Hundreds of locales take too long to render for an event loop.
    pool.perform(call) { () throws(APIError) in
      call.respond(.json(200, try preview(template, request, of: app).json.serialized))
    }
  }

  private func preview(
    _ template: Template, _ request: PreviewRequest, of app: APIState.App
  ) throws(APIError) -> TemplatePreview {
    let question = try request.question(for: app.catalog)
    // The request's own mistakes and those of its args are reported together.
    let preview = Result { () throws(AssemblyError) in
      try TemplatePreview(
        of: template, args: request.args, question, texts: app.texts,
        findings: app.report.findings(of: template.name))
    }
    if case .failure(let error) = preview, error.code == .invalidRequest {
      throw .invalid(request.errors + error.inputErrors)
    }
    guard request.errors.isEmpty else { throw .invalid(request.errors) }
    guard app.resources != nil else { throw .noResources(app) }
    switch preview {
    case .success(let preview): return preview
    case .failure(let error) where error.code == .messageTooLarge:
      throw .tooLarge(bytes: error.byteCount, limit: SealedMessage.byteCountMax)
    case .failure: throw APIError(.notFound, "The catalog of \"\(app.name)\" has no such template.")
    }
  }
}
