internal import Clock
internal import HTTPServer
internal import Outbox

/// `GET /openapi.json`: the general description for all callers; with a key that may see templates, one that
/// names exactly those.
struct OpenAPIResource: Sendable {
  let logins: LoginGuard
  let pool: WorkPool

  func show(_ call: APICall) {
    let asksForKeys = call.snapshot.authenticator.asksForKeys
    guard let reader = logins.reader(of: call), reader.may(.preview) else {
      return call.respond(response(OpenAPIDocument.bytes(asksForKeys: asksForKeys), call))
    }
    pool.perform(call) {
      let now = Timestamp.now
      let bytes = call.snapshot.descriptions.bytes(for: reader.client, now: now) {
        let catalog = VisibleCatalog(call.snapshot, to: reader)
        return OpenAPIDocument.bytes(asksForKeys: asksForKeys, catalog: catalog, now: now)
          ?? OpenAPIDocument.bytes(asksForKeys: asksForKeys)
      }
      call.respond(response(bytes, call))
    }
  }

  private func response(_ bytes: [UInt8], _ call: APICall) -> HTTPResponse {
    var response = HTTPResponse.json(
      200, OpenAPIDocument.serving(bytes, below: call.admitted.publicPath))
    if call.snapshot.authenticator.asksForKeys { response.headers.add("Vary", "Authorization") }
    return response
  }
}
