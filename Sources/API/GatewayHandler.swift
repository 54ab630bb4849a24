import Catalog
package import Delivery
import Dispatch
package import HTTPServer
import JSON
package import Outbox
package import Telemetry

/// Answers the API's requests: who asks, for what, with which body; the rest is `Intake`'s and the store's.
package final class GatewayHandler: HTTPHandler {
  let state: APIState
  let store: any OutboxStore
  let engine: DeliveryEngine
  let metrics: DragomanMetrics
  let log: Log
  /// For what takes too long for an event loop.
  let workQueue = DispatchQueue(label: "dragoman.work", attributes: .concurrent)
  private let loginGuard = LoginGuard()

  package init(
    state: APIState, store: any OutboxStore, engine: DeliveryEngine, metrics: DragomanMetrics, log: Log
  ) {
    self.state = state
    self.store = store
    self.engine = engine
    self.metrics = metrics
    self.log = log
  }

  /// One request on its way to an answer.
  final class Call: Sendable {
    let request: HTTPRequest
    let parameter: String
    let principal: Principal
    let snapshot: APIState.Snapshot
    let responder: HTTPResponder
    let origin: RequestOrigin

    init(
      request: HTTPRequest, parameter: String, principal: Principal, snapshot: APIState.Snapshot,
      responder: HTTPResponder, origin: RequestOrigin
    ) {
      self.request = request
      self.parameter = parameter
      self.principal = principal
      self.snapshot = snapshot
      self.responder = responder
      self.origin = origin
    }

    func respond(_ response: HTTPResponse) { responder.respond(response) }
    func respond(_ problem: Problem) { responder.respond(problem.response) }
  }

  /// What the log and the metrics tell of a request, beside its answer.
  private struct Asked: Sendable {
    let method: String
    let peer: String
    let route: String?
    let origin: RequestOrigin
    let started: ContinuousClock.Instant
    let client: String?
    let rate: ClientRate?

    init(
      _ head: HTTPRequestHead, _ route: Route?, _ origin: RequestOrigin, started: ContinuousClock.Instant,
      principal: Principal?
    ) {
      method = head.method
      peer = head.peer
      self.route = route?.template
      self.origin = origin
      self.started = started
      client = principal?.client
      rate = principal?.rate
    }
  }

  package func admit(_ head: HTTPRequestHead) -> HTTPAdmission {
    if Route.isPing(head) { return .accept(bodyBytesMax: 0) }
    let started = ContinuousClock.now
    let match = Result { () throws(Problem) in try Route.match(head) }
    do throws(Problem) {
      let principal = try authorize(head, match.get().route, state.snapshot)
      if let verdict = principal.rate?.take(), !verdict.isAllowed {
        var problem = Problem(.rateLimited, "The client's rate is \(verdict.quota) requests a second.")
        problem.headers += verdict.headers
        throw problem
      }
      return .accept(bodyBytesMax: nil)
    } catch {
      let origin = RequestOrigin(head)
      var refusal = error
      if error.kind.status == 401 { refusal = refused(login: error, head, origin) }
      var response = refusal.response
      let route = (try? match.get())?.route
      observe(&response, Asked(head, route, origin, started: started, principal: nil))
      return .refuse(response)
    }
  }

  package func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    let started = ContinuousClock.now
    let snapshot = state.snapshot
    let origin = RequestOrigin(request.head)
    if Route.isPing(request.head) {
      var response = Route.ping
      observe(&response, Asked(request.head, nil, origin, started: started, principal: nil))
      return responder.respond(response)
    }
    let match = Result { () throws(Problem) in try Route.match(request.head) }
    let authorization = Result { () throws(Problem) in
      try authorize(request.head, match.get().route, snapshot)
    }
    let asked = Asked(
      request.head, (try? match.get())?.route, origin, started: started, principal: try? authorization.get())
    let observed = responder.finishing { [self] response in observe(&response, asked) }
    do throws(Problem) {
      let match = try match.get()
      let call = Call(
        request: request, parameter: match.parameter, principal: try authorization.get(), snapshot: snapshot,
        responder: observed, origin: origin)
      try perform(match.route.action, call)
    } catch {
      observed.respond(error.response)
    }
  }

  /// What decides on a request before its body is read.
  private func authorize(
    _ head: HTTPRequestHead, _ route: Route, _ snapshot: APIState.Snapshot
  ) throws(Problem) -> Principal {
    guard let scope = route.scope else { return .anonymous }
    let principal = try snapshot.authenticator.principal(of: head)
    guard principal.may(scope) else {
      throw Problem(.forbidden, "The client lacks the scope \"\(scope.rawValue)\".")
    }
    if route.takesJSON { try requireJSON(head) }
    if route.method != "GET" {
      if state.isShuttingDown { throw Problem(.shuttingDown, "The gateway is shutting down.") }
    }
    return principal
  }

  /// Too many unknown keys from one address are answered otherwise, and not logged one by one.
  func refused(login problem: Problem, _ head: HTTPRequestHead, _ origin: RequestOrigin) -> Problem {
    guard head.headers["Authorization"] != nil else { return problem }
    let verdict = loginGuard.failed(head.peer)
    guard !verdict.isAllowed else {
      log.with(origin.fields).warning(
        "login failed", ["peer": .string(head.peer), "reason": .string(problem.detail)])
      return problem
    }
    var limited = Problem(.rateLimited, "The address tried too many unknown keys.")
    limited.headers.append(("Retry-After", String(verdict.secondsToNext)))
    return limited
  }

  /// Puts on an answer what all have, writes its line in the log, and counts it.
  private func observe(_ response: inout HTTPResponse, _ asked: Asked) {
    response.headers.add("X-Request-Id", asked.origin.requestID.description)
    response.forbidKeeping()
    if let rate = asked.rate {
      for header in rate.look().headers { response.headers.add(header.name, header.value) }
    }
    let line = AccessLine(
      method: asked.method, route: asked.route, status: response.status,
      duration: ContinuousClock.now - asked.started, bytes: response.body.count, client: asked.client,
      requestID: asked.origin.requestID, trace: asked.origin.trace, peer: asked.peer)
    log.access(line)
    metrics.record(line)
  }

  private func requireJSON(_ head: HTTPRequestHead) throws(Problem) {
    // As nearly all write it.
    if head.headers.has("Content-Type", "application/json") { return }
    let type = head.headers["Content-Type"] ?? ""
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
      call.respond(.text("ok\n"))
    case .readiness: showReadiness(call)
    case .metrics: showMetrics(call)
    case .console: call.respond(ConsolePage.response)
    case .openAPI: showOpenAPI(call)
    case .problem: try showProblem(call)
    }
  }

  package func response(to error: HTTPProtocolError) -> HTTPResponse {
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
    var response = Problem(kind, error.detail).response
    let requestID = RequestID.random()
    response.headers.add("X-Request-Id", requestID.description)
    response.forbidKeeping()
    metrics.httpRequests.with("other", AccessLine.unmatchedRoute, String(response.status)).add()
    log.info(
      "request refused",
      [
        "status": .integer(response.status), "reason": .string(error.detail),
        "request_id": .string(requestID.description),
      ])
    return response
  }

  private func showProblem(_ call: Call) throws(Problem) {
    guard let kind = ProblemKind.all.first(where: { $0.slug == call.parameter }) else {
      throw Problem(.notFound, "There is no problem of this name.")
    }
    call.respond(.text("\(kind.title)\n\nStatus \(kind.status). \(kind.explanation)\n"))
  }
}

extension HTTPResponse {
  /// An answer whose body is JSON already.
  static func json(_ status: Int, _ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(status: status, headers: ["Content-Type": "application/json"], body: body)
  }

  /// What the API says is true for now and for who asked: without a word, a cache may keep a 200 and some errors for
  /// as long as it thinks right (RFC 9111 §4.2.2). A 202 it may not.
  mutating func forbidKeeping() {
    guard status != 202, headers["Cache-Control"] == nil else { return }
    headers.add("Cache-Control", "no-store")
  }

  static func text(_ text: String) -> HTTPResponse {
    HTTPResponse(status: 200, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
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
