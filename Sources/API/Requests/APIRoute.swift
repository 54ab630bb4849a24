internal import HTTPServer
internal import JSON

/// A route of the API. One table of them serves routing, `Allow` and the tests.
///
/// A class, like `Principal`, because each request holds one.
final class APIRoute: Sendable {
  enum Action: Sendable {
    case acceptNotification, acceptBatch, acceptMessage, listMessageFindings, showNotification,
      listNotifications, cancelNotification
    case followNotification, followAll, retryNotification, retryDeliveries, cancelDeliveries, listFeedback,
      showStats, showHistory, listTemplates, showTemplate, previewTemplate, previewMessage, showMatrix,
      showIcon
    case health, readiness, metrics, openAPI, problem, console
  }

  enum Segment: Sendable, Equatable {
    case literal(String)
    case parameter
  }

  let action: Action
  let method: String
  let segments: [Segment]
  /// The scope that a client needs; nil: no key.
  let scope: APIScope?

  /// Whether its path has no parameter.
  var isSpeltOut: Bool { !segments.contains(.parameter) }

  /// Whether the request may have no query parameters. Outside /v1, parameters are ignored, and some
  /// resources read theirs themselves.
  let refusesParameters: Bool

  /// Whether errors have the form of FCM's own API.
  var answersAsFCM: Bool { action == .acceptMessage }

  /// Whether the request's body is JSON.
  var takesJSON: Bool { method == "POST" && action != .retryNotification }

  private init(
    _ action: Action, _ method: String, _ path: String, _ scope: APIScope?
  ) {
    self.action = action
    self.method = method
    self.scope = scope
    template = path
    refusesParameters = path.hasPrefix("/v1/") && !Self.actionsWithParameters.contains(action)
    segments = path.split(separator: "/").map { $0.hasPrefix("{") ? .parameter : .literal(String($0)) }
  }

  private static let actionsWithParameters: Set<Action> = [
    .listNotifications, .showNotification, .listMessageFindings, .listFeedback, .showHistory, .listTemplates,
    .showTemplate, .showMatrix,
    // Clients of Google's APIs add `alt` and the like.
    .acceptMessage,
  ]

  static let table: [APIRoute] = [
    APIRoute(.acceptNotification, "POST", "/v1/notifications", .send),
    APIRoute(.acceptBatch, "POST", "/v1/notifications/batch", .send),
    APIRoute(.acceptMessage, "POST", "/v1/projects/{project}/messages:send", .raw),
    APIRoute(.showNotification, "GET", "/v1/notifications/{id}", .read),
    APIRoute(.listNotifications, "GET", "/v1/notifications", .read),
    APIRoute(.followNotification, "GET", "/v1/notifications/{id}/events", .read),
    APIRoute(.followAll, "GET", "/v1/events", .read),
    APIRoute(.cancelNotification, "DELETE", "/v1/notifications/{id}", .send),
    APIRoute(.retryNotification, "POST", "/v1/notifications/{id}/retry", .send),
    APIRoute(.retryDeliveries, "POST", "/v1/deliveries:retry", .send),
    APIRoute(.cancelDeliveries, "POST", "/v1/deliveries:cancel", .send),
    APIRoute(.listMessageFindings, "GET", "/v1/messages/findings", .read),
    APIRoute(.listFeedback, "GET", "/v1/feedback", .read),
    APIRoute(.showStats, "GET", "/v1/stats", .read),
    APIRoute(.showHistory, "GET", "/v1/stats/history", .read),
    APIRoute(.listTemplates, "GET", "/v1/templates", .preview),
    APIRoute(.showTemplate, "GET", "/v1/templates/{template}", .preview),
    APIRoute(.previewTemplate, "POST", "/v1/templates/{template}/preview", .preview),
    APIRoute(.previewMessage, "POST", "/v1/messages/preview", .preview),
    APIRoute(.showMatrix, "GET", "/v1/matrix", .preview),
    APIRoute(.showIcon, "GET", "/v1/icons/{icon}", .preview),
    APIRoute(.health, "GET", "/healthz", nil),
    APIRoute(.readiness, "GET", "/readyz", nil),
    APIRoute(.metrics, "GET", "/metrics", nil),
    APIRoute(.openAPI, "GET", "/openapi.json", nil),
    APIRoute(.console, "GET", "/", nil),
    APIRoute(.console, "GET", "/console/{folder}/{file}", nil),
    APIRoute(.problem, "GET", "/problems/{slug}", nil),
  ]

  /// `/v1/notifications/{id}`, for logs and metrics.
  let template: String

  /// Whether a request is a ping of the server as a whole (RFC 9110 §9.3.7).
  static func isPing(_ head: HTTPRequestHead) -> Bool { head.target == "*" }

  /// The answer to a ping: the methods of all routes.
  static var ping: HTTPResponse {
    let methods = Set(table.map(\.method)).union(["HEAD", "OPTIONS"]).sorted().joined(separator: ", ")
    return HTTPResponse(status: 204, headers: ["Allow": methods])
  }

  /// A route that matches a request, with the text in place of its parameter.
  struct Match: Sendable {
    let route: APIRoute
    let parameter: String
  }

  /// Finds the route of a request. HEAD is allowed on every route with GET (RFC 9110 §9.3.2).
  static func match(_ head: HTTPRequestHead) throws(APIError) -> Match {
    let method = head.method == "HEAD" ? "GET" : head.method
    let fitting = fitting(head.path)
    if let match = fitting.first(where: { $0.route.method.hasSameBytes(as: method) }) { return match }
    let allowed = fitting.flatMap { $0.route.method == "GET" ? ["GET", "HEAD"] : [$0.route.method] }
    guard !allowed.isEmpty else {
      let nearest = pathWithoutSlash(head.path) ?? nearestName(to: head.path, among: table.map(\.template))
      let advice = nearest.map { "Did you mean \($0)?" } ?? "GET /openapi.json lists the paths."
      throw APIError(.notFound, "There is nothing at this path. \(advice)")
    }
    let names = allowed.sorted().joined(separator: ", ")
    var error = APIError(.methodNotAllowed, "\(names) may be used here.")
    error.headers.append(("Allow", names))
    throw error
  }

  /// The path that was meant, of one with a slash too many at its end.
  private static func pathWithoutSlash(_ path: String) -> String? {
    guard path.utf8.last == UInt8(ascii: "/") else { return nil }
    let meant = String(path.dropLast())
    return fitting(meant).isEmpty ? nil : meant
  }

  /// A route with the path of a request, whatever its method; all of them have one template.
  static func atPath(of head: HTTPRequestHead) -> APIRoute? { fitting(head.path).first?.route }

  /// The routes that a path matches. A path that the table lists literally is never an id: only its own
  /// routes match.
  private static func fitting(_ path: String) -> [Match] {
    // `OPTIONS *` asks about the server as a whole (RFC 9110 §9.3.7).
    if let found = speltOut[ExactText(path.hasSameBytes(as: "*") ? "/" : path)] { return found }
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
    return withParameter.compactMap { route in
      route.parameter(in: parts).map { Match(route: route, parameter: $0) }
    }
  }

  /// The routes whose paths have no parameter, by path.
  private static let speltOut: [ExactText: [Match]] = Dictionary(
    grouping: table.filter(\.isSpeltOut).map { Match(route: $0, parameter: "") },
    by: { ExactText($0.route.template) })

  private static let withParameter = table.filter { !$0.isSpeltOut }

  /// The parameter's decoded text, "" for a route without one, nil if the path does not match.
  private func parameter(in parts: ArraySlice<Substring.UTF8View>) -> String? {
    guard parts.count == segments.count else { return nil }
    var parameter = ""
    for (segment, part) in zip(segments, parts) {
      switch segment {
      case .literal(let text):
        guard part.elementsEqual(text.utf8) else { return nil }
      case .parameter:
        guard !part.isEmpty, let decoded = HTTPRequestHead.percentDecoded(Substring(part)) else { return nil }
        parameter = decoded
      }
    }
    return parameter
  }
}
