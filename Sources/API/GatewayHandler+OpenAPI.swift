internal import Clock
import Dispatch
import HTTPServer
import Outbox

/// `GET /openapi.json`: for anybody, and with a key that may see templates about just these.
extension GatewayHandler {
  func showOpenAPI(_ call: Call) {
    let asksForKeys = call.snapshot.authenticator.asksForKeys
    guard let reader = reader(call), reader.may(.preview) else {
      return call.respond(description(OpenAPIDocument.bytes(asksForKeys: asksForKeys), asksForKeys))
    }
    workQueue.async {
      let now = Timestamp.now
      let bytes = call.snapshot.descriptions.bytes(for: reader.client, now: now) {
        let catalog = VisibleCatalog(call.snapshot, to: reader)
        return OpenAPIDocument.bytes(asksForKeys: asksForKeys, catalog: catalog, now: now)
          ?? OpenAPIDocument.bytes(asksForKeys: asksForKeys)
      }
      call.respond(self.description(bytes, asksForKeys))
    }
  }

  /// Whose key the request has. The route needs none, so that an unknown one is noted and else no matter.
  private func reader(_ call: Call) -> Principal? {
    let head = call.request.head
    guard call.snapshot.authenticator.asksForKeys else { return .anonymous }
    guard head.headers["Authorization"] != nil else { return nil }
    do throws(Problem) {
      return try call.snapshot.authenticator.principal(of: head)
    } catch {
      _ = refused(login: error, head, call.origin)
      return nil
    }
  }

  private func description(_ bytes: [UInt8], _ asksForKeys: Bool) -> HTTPResponse {
    var response = HTTPResponse.json(200, bytes)
    if asksForKeys { response.headers.add("Vary", "Authorization") }
    return response
  }
}
