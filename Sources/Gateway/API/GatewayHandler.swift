import Catalog
import Delivery
import Dispatch
import HTTPServer
import JSON
import Outbox

/// Answers the API's requests: who asks, for what, with which body; the rest is `Intake`'s and the store's.
final class GatewayHandler: HTTPHandler {
  let state: GatewayState
  let store: any OutboxStore
  let engine: DeliveryEngine
  /// For what takes too long for an event loop.
  let workQueue = DispatchQueue(label: "dragoman.work", attributes: .concurrent)

  init(state: GatewayState, store: any OutboxStore, engine: DeliveryEngine) {
    self.state = state
    self.store = store
    self.engine = engine
  }

  /// One request on its way to an answer.
  struct Call: Sendable {
    let request: HTTPRequest
    let parameter: String
    let principal: Principal
    let snapshot: GatewayState.Snapshot
    let responder: HTTPResponder

    func respond(_ response: HTTPResponse) { responder.respond(response) }
    func respond(_ problem: Problem) { responder.respond(problem.response) }
  }

  func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
    do throws(Problem) {
      _ = try authorize(head, state.snapshot)
      return .accept(bodyBytesMax: nil)
    } catch {
      return .refuse(error.response)
    }
  }

  func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    let snapshot = state.snapshot
    do throws(Problem) {
      let (match, principal) = try authorize(request.head, snapshot)
      let call = Call(
        request: request, parameter: match.parameter, principal: principal, snapshot: snapshot,
        responder: responder)
      try perform(match.route.action, call)
    } catch {
      responder.respond(error.response)
    }
  }

  /// What decides on a request before its body is read.
  private func authorize(
    _ head: HTTPRequestHead, _ snapshot: GatewayState.Snapshot
  ) throws(Problem) -> (Route.Match, Principal) {
    let match = try Route.match(head)
    guard let scope = match.route.scope else { return (match, .anonymous) }
    let principal = try snapshot.authenticator.principal(of: head)
    guard principal.may(scope) else {
      throw Problem(.forbidden, "The client lacks the scope \"\(scope.rawValue)\".")
    }
    if match.route.takesJSON { try requireJSON(head) }
    if match.route.method != "GET" {
      if state.isShuttingDown { throw Problem(.shuttingDown, "The gateway is shutting down.") }
    }
    return (match, principal)
  }

  private func requireJSON(_ head: HTTPRequestHead) throws(Problem) {
    let type = head.headers["Content-Type"] ?? ""
    if type.hasSameBytes(as: "application/json") { return }
    let essence = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    guard essence == "application/json" else {
      throw Problem(
        .unsupportedMediaType, "The Content-Type is \(essence.isEmpty ? "missing" : "not application/json").")
    }
  }

  private func perform(_ action: Route.Action, _ call: Call) throws(Problem) {
    switch action {
    case .acceptNotification: try acceptNotification(call)
    case .acceptBatch: try acceptBatch(call)
    case .showNotification: showNotification(call)
    case .listNotifications: try listNotifications(call)
    case .cancelNotification: cancelNotification(call)
    case .retryNotification: retryNotification(call)
    case .listFeedback: try listFeedback(call)
    case .showStats: try showStats(call)
    case .listTemplates: try listTemplates(call)
    case .showTemplate: try showTemplate(call)
    case .previewTemplate: try previewTemplate(call)
    case .health:
      call.respond(
        HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: Array("ok\n".utf8)))
    case .readiness: showReadiness(call)
    case .problem: try showProblem(call)
    }
  }

  func response(to error: HTTPProtocolError) -> HTTPResponse {
    let kind: ProblemKind =
      switch error.status {
      case 408: .requestTimeout
      case 413: .payloadTooLarge
      case 414: .uriTooLong
      case 417: .expectationFailed
      case 431: .headersTooLarge
      case 501: .notImplemented
      case 503: state.isShuttingDown ? .shuttingDown : .tooManyConnections
      case 505: .versionNotSupported
      default: .badRequest
      }
    return Problem(kind, error.detail).response
  }

  private func showProblem(_ call: Call) throws(Problem) {
    guard let kind = ProblemKind.all.first(where: { $0.slug == call.parameter }) else {
      throw Problem(.notFound, "There is no problem of this name.")
    }
    let text = "\(kind.title)\n\nStatus \(kind.status). \(kind.explanation)\n"
    call.respond(
      HTTPResponse(
        status: 200, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8)))
  }
}

extension HTTPResponse {
  /// An answer whose body is JSON already.
  static func json(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body)
  }
}

extension Problem {
  init(_ error: JSONParseError) {
    self.init(.malformedJSON, "At line \(error.line), column \(error.column): \(error.reason).")
    if !error.pointer.description.isEmpty { members.append(("pointer", .string(error.pointer.description))) }
  }

  init(_ error: OutboxError) {
    switch error.code {
    case .full: self.init(.queueFull, "The queue holds as many deliveries as it may.")
    case .closed: self.init(.shuttingDown, "The gateway is shutting down.")
    case .unavailable, .corrupt: self.init(.storageUnavailable, "The queue could not be read or written.")
    }
  }
}
