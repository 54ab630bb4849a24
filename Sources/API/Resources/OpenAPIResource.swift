internal import Clock
internal import HTTPServer
internal import Outbox

/// `GET /openapi.json`: the general description for all callers; with a key that may see templates, one that
/// names exactly those.
struct OpenAPIResource: Sendable {
  let logins: LoginGuard
  let pool: WorkPool

  func show(_ call: APICall) {
    guard let reader = logins.reader(of: call), reader.may(.preview) else {
      let general = call.snapshot.authenticator.asksForKeys ? Self.generalWithKeys : Self.generalWithoutKeys
      return answer(call, with: general)
    }
    pool.perform(call) {
      let now = Timestamp.now
      let description = call.snapshot.descriptions.description(for: reader.client, now: now) {
        let asksForKeys = call.snapshot.authenticator.asksForKeys
        let catalog = VisibleCatalog(call.snapshot, to: reader)
        return Self.representation(
          of: OpenAPIDocument.bytes(asksForKeys: asksForKeys, catalog: catalog, now: now)
            ?? OpenAPIDocument.bytes(asksForKeys: asksForKeys),
          asksForKeys: asksForKeys)
      }
      answer(call, with: description)
    }
  }

  private static let generalWithKeys = general(asksForKeys: true)
  private static let generalWithoutKeys = general(asksForKeys: false)

  private static func general(asksForKeys: Bool) -> Representation {
    representation(of: OpenAPIDocument.bytes(asksForKeys: asksForKeys), asksForKeys: asksForKeys)
  }

  private static func representation(of bytes: [UInt8], asksForKeys: Bool) -> Representation {
    var answer = HTTPResponse.json(200, bytes)
    if asksForKeys { answer.headers.add("Vary", "Authorization") }
    return Representation(answer)
  }

  private func answer(_ call: APICall, with description: Representation) {
    let path = call.admitted.publicPath
    if path.isEmpty { return description.answer(call, on: pool) }
    // A proxy's field can name any path, so that these answers are not kept.
    call.respond(description.plain { OpenAPIDocument.serving($0, below: path) })
  }
}
