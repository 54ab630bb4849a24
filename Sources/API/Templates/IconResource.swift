internal import AppStrings
internal import HTTPServer
internal import JSON

/// `GET /v1/icons/{icon}`: the icon that previews of an app name.
struct IconResource: Sendable {
  func show(_ call: APICall) throws(APIError) {
    let visible = call.snapshot.apps.lazy.filter { call.principal.mayUse(app: $0.name) }
    guard let icon = visible.compactMap({ $0.icons[ExactText(call.parameter)] }).first else {
      throw APIError(.notFound, "No app has such an icon.")
    }
    call.respond(icon.response(to: call.head))
  }
}

extension Representation {
  /// An app's icon.
  convenience init(_ icon: AppIcon) {
    let headers: HTTPHeaders = ["Content-Type": icon.mediaType, "Cache-Control": "private, no-cache"]
    self.init(
      HTTPResponse(status: 200, headers: headers, body: icon.bytes), isRevalidated: true,
      isCompressible: false)
  }
}
