package import DeliveryReports
package import HTTPServer
internal import JSON
package import Outbox
package import Telemetry

/// The HTTP API: decides once, on a request's head, who requests what and whether that is allowed.
package final class APIHandler: HTTPHandler {
  private let state: APIState
  let resources: APIResources
  private let observer: RequestObserver
  private let logins: LoginGuard

  package convenience init(
    state: APIState, store: any OutboxStore, engine: any DeliveryService, events: EventHub = EventHub(),
    metrics: DragomanMetrics, log: Log, onAnswer: AnswerListener? = nil
  ) {
    self.init(
      state: state, store: store, engine: engine, events: events, metrics: metrics, pool: WorkPool(),
      log: log, onAnswer: onAnswer)
  }

  init(
    state: APIState, store: any OutboxStore, engine: any DeliveryService, events: EventHub = EventHub(),
    metrics: DragomanMetrics, pool: WorkPool, log: Log, onAnswer: AnswerListener? = nil
  ) {
    self.state = state
    observer = RequestObserver(log: log, metrics: metrics, onAnswer: onAnswer)
    logins = LoginGuard(log: log)
    resources = APIResources(
      state: state, store: store, engine: engine, events: events, metrics: metrics, logins: logins,
      pool: pool,
      log: log)
  }

  /// Keeps what happens for `GET /v1/stats/history` from now on, over a restart in the file.
  package func startHistory(keptIn file: HistoryFile?) { resources.history.start(keptIn: file) }

  package func admit(_ received: HTTPRequestHead) -> HTTPAdmission {
    if APIRoute.isPing(received) { return .accept(by: PingRequest(observer: observer), bodyBytesMax: 0) }
    let started = ContinuousClock.now
    let snapshot = state.snapshot
    let publicPath = snapshot.publicPath.prefix(for: received)
    let head = PublicPath.strip(publicPath, from: received)
    if APIRoute.atPath(of: head) == nil, !publicPath.isEmpty, head.path.hasSameBytes(as: publicPath) {
      return redirect(head, to: "\(publicPath)/", started)
    }
    var route: APIRoute?
    do throws(APIError) {
      let match = try APIRoute.match(head)
      route = match.route
      if let hosts = snapshot.hosts, !hosts.allows(head), match.route.action != .health {
        throw APIError(
          .forbidden,
          "The Host field is not a name of this gateway; use an IP address, or add the name to "
            + "server.allowed_hosts.")
      }
      let principal = try authorize(head, match.route, snapshot)
      if let verdict = principal.rate?.take(), !verdict.isAllowed {
        var error = APIError(
          .rateLimited, "The client's rate is \(verdict.quota) requests in \(verdict.windowSeconds) s.")
        error.headers += verdict.headers
        throw error
      }
      let admitted = AdmittedRequest(
        head: head, match: match, principal: principal, snapshot: snapshot, publicPath: publicPath,
        resources: resources, observer: observer, started: started)
      return .accept(by: admitted, bodyBytesMax: nil)
    } catch {
      let origin = RequestOrigin(head)
      let refusal = error.code.status == 401 ? logins.refusal(of: error, head, origin) : error
      let place = route ?? APIRoute.atPath(of: head)
      var response = refusal.response(to: place)
      let refused = RefusedRequest(
        &response, head: head, route: place, origin: origin, observer: observer,
        started: started)
      return .refuse(response, observer: refused)
    }
  }

  /// The console's links are relative to the path with the slash at its end.
  private func redirect(
    _ head: HTTPRequestHead, to path: String, _ started: ContinuousClock.Instant
  ) -> HTTPAdmission {
    var response = HTTPResponse(status: 308, headers: ["Location": path])
    let redirected = RefusedRequest(
      &response, head: head, route: nil, origin: RequestOrigin(head), observer: observer, started: started)
    return .refuse(response, observer: redirected)
  }

  private func authorize(
    _ head: HTTPRequestHead, _ route: APIRoute, _ snapshot: APIState.Snapshot
  ) throws(APIError) -> Principal {
    guard let scope = route.scope else { return .anonymous }
    let principal = try snapshot.authenticator.principal(of: head)
    guard principal.may(scope) else {
      throw APIError(.forbidden, "The client lacks the scope \"\(scope.rawValue)\".")
    }
    if route.takesJSON || isForgeable(head) { try requireJSON(head) }
    if route.method != "GET", state.isShuttingDown {
      throw APIError(.shuttingDown, "The gateway is shutting down.")
    }
    return principal
  }

  /// RFC 9110 §8.4 and §12.5.3: a content coding that is not supported gets 415, which names those that are.
  private func refuseContentCoding(_ head: HTTPRequestHead) throws(APIError) {
    guard head.headers["Content-Encoding"] != nil else { return }
    let codings = head.headers.values(of: "Content-Encoding").flatMap { $0.split(separator: ",") }
      .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
    guard codings.contains(where: { !$0.isEmpty && $0 != "identity" }) else { return }
    var error = APIError(
      .unsupportedMediaType, "The body has a Content-Encoding; send it without one, as plain JSON.")
    error.headers.append(("Accept-Encoding", "identity"))
    throw error
  }

  /// Whether a page of another site could have made a browser send this, without the consent of this site.
  ///
  /// A browser adds `Origin` to every POST (Fetch §3.2), and sends `Authorization` and JSON only with
  /// consent.
  private func isForgeable(_ head: HTTPRequestHead) -> Bool {
    guard head.method == "POST", head.headers["Authorization"] == nil else { return false }
    return ["Origin", "Sec-Fetch-Site", "Referer", "Content-Type"].contains { head.headers[$0] != nil }
  }

  private func requireJSON(_ head: HTTPRequestHead) throws(APIError) {
    try refuseContentCoding(head)
    // The spelling that nearly all clients use.
    if head.headers.has("Content-Type", "application/json") { return }
    let type = head.headers["Content-Type"] ?? ""
    let essence = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    guard essence == "application/json" else {
      throw APIError(
        .unsupportedMediaType, "The Content-Type is \(essence.isEmpty ? "missing" : "not application/json").")
    }
  }

  package func response(to error: HTTPProtocolError) -> HTTPResponse {
    var response = APIError(error, isShuttingDown: state.isShuttingDown).response
    observer.observe(&response, refusedFor: error)
    return response
  }
}

extension APIError {
  /// What the server has against a request.
  init(_ error: HTTPProtocolError, isShuttingDown: Bool) {
    let code: ProblemType =
      switch error.status {
      case 408: .requestTimeout
      case 413: .payloadTooLarge
      case 414: .uriTooLong
      case 417: .expectationFailed
      case 431: .headersTooLarge
      case 501: .notImplemented
      case 503: isShuttingDown ? .shuttingDown : .tooManyConnections
      case 505: .versionNotSupported
      default: .badRequest
      }
    let advice = error.status == 413 ? " Send fewer notifications, or raise server.max_body_bytes." : ""
    self.init(code, error.detail + advice)
  }
}
