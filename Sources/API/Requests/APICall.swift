internal import Catalog
internal import HTTPServer
internal import JSON

/// One request on its way to an answer.
struct APICall: Sendable {
  let admitted: AdmittedRequest
  let body: [UInt8]
  private let responder: HTTPResponder

  init(admitted: AdmittedRequest, body: [UInt8], responder: HTTPResponder) {
    self.admitted = admitted
    self.body = body
    self.responder = responder
  }

  var head: HTTPRequestHead { admitted.head }
  var parameter: String { admitted.parameter }
  var principal: Principal { admitted.principal }
  var snapshot: APIState.Snapshot { admitted.snapshot }
  var origin: RequestOrigin { admitted.origin }

  /// Whether it takes too long for an event loop to parse and check the body.
  var hasLargeBody: Bool { body.count > APIResources.loopBodyBytesMax }

  func respond(_ response: HTTPResponse) { responder.respond(response) }
  func respond(_ error: APIError) { responder.respond(error.response(to: admitted.route)) }

  /// The body as JSON.
  func json() throws(APIError) -> JSON {
    do throws(JSONParseError) {
      return try JSON.parse(body)
    } catch {
      throw APIError(error)
    }
  }

  /// The app of this name, or the default one without a name. `errors` are the mistakes that were found in
  /// the request before.
  func app(named name: String?, errors: InputErrors = []) throws(APIError) -> APIState.App {
    guard let app = snapshot.app(named: name, for: principal) else {
      throw .noApp(named: name, known: snapshot.appNames(for: principal), errors: errors)
    }
    return app
  }

  /// The same for a name in the query, of which everything else has been read. Throws all of its mistakes.
  func app(named name: String?, in query: QueryReader) throws(APIError) -> APIState.App {
    let mistakes = query.mistakes
    guard mistakes.isEmpty || snapshot.app(named: name, for: principal) == nil else {
      throw .invalid(mistakes)
    }
    return try app(named: name, errors: mistakes)
  }

  /// The template of this name in `app`, which the caller may use.
  func template(named name: String, of app: APIState.App) throws(APIError) -> Template {
    guard principal.mayUse(template: name), let template = app.catalog.template(name) else {
      throw APIError(.notFound, "The catalog of \"\(app.name)\" has no such template.")
    }
    return template
  }
}
