internal import Catalog
internal import CatalogCheck
internal import JSON

/// `POST /v1/messages/preview`: what phones show of a message, whoever made it.
struct MessagePreviewResource: Sendable {
  let pool: WorkPool

  func show(_ call: APICall) throws(APIError) {
    let body = try call.json()
    guard let object = body.object else {
      throw .notAnObject("The request for a preview must be an object.", body)
    }
    var reader = RequestReader(
      object: object, pointer: .root, fields: ["app", "message", "locales", "platforms"])
    let (name, hasReadableApp) = reader.app()
    let message = reader.requiredObject("message")
    let locales = PreviewRequest.readLocales(&reader)
    let platforms = PreviewRequest.readPlatforms(&reader)
    reader.refuseUnknownFields()
    guard hasReadableApp else { throw .invalid(reader.errors) }
    let app = try call.app(named: name, errors: reader.errors)
    guard let message, reader.errors.isEmpty else { throw .invalid(reader.errors) }
    // Any loc key can be in a message, also one of a template that the client may not see.
    guard call.principal.mayUse(templateOrNone: nil) else {
      throw APIError(.forbidden, "The client may use certain templates only; preview one of them.")
    }
    guard let resources = app.resources else { throw .noResources(app) }
    pool.perform(call) {
      let all = resources.previewLocales
      let previews = ReceivedMessage(.object(message)).previews(locales ?? all, app.texts)
        .filter { platforms.contains($0.platform) }
      let answer: JSON = [
        "previews": .array(previews.map(\.json)), "locales": .array(all.map(JSON.string)),
      ]
      call.respond(.json(200, answer.serialized))
    }
  }
}

extension APIError {
  static func noResources(_ app: APIState.App) -> APIError {
    APIError(.noResources, "The catalog of \"\(app.name)\" names no string resources.")
  }
}
