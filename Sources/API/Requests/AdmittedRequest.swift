internal import HTTPServer

/// A request that the API has admitted, with the decisions made on its head: its route, its caller, and the
/// apps and catalogs that answer it.
final class AdmittedRequest: HTTPRequestHandler {
  let head: HTTPRequestHead
  let route: APIRoute
  /// The text in place of the route's parameter.
  let parameter: String
  let principal: Principal
  let snapshot: APIState.Snapshot
  let origin: RequestOrigin
  private let resources: APIResources
  private let observer: RequestObserver

  init(
    head: HTTPRequestHead, match: APIRoute.Match, principal: Principal, snapshot: APIState.Snapshot,
    resources: APIResources, observer: RequestObserver
  ) {
    self.head = head
    route = match.route
    parameter = match.parameter
    self.principal = principal
    self.snapshot = snapshot
    origin = RequestOrigin(head)
    self.resources = resources
    self.observer = observer
  }

  func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    let started = ContinuousClock.now
    let observed = responder.finishing { [self] response in
      observer.observe(
        &response, to: head, route: route, principal: principal, origin: origin, started: started)
    }
    resources.answer(APICall(admitted: self, body: request.body, responder: observed), route.action)
  }
}

/// A ping of the server as a whole, `OPTIONS *` (RFC 9110 §9.3.7).
struct PingRequest: HTTPRequestHandler {
  let observer: RequestObserver

  func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    var response = APIRoute.ping
    observer.observe(
      &response, to: request.head, route: nil, principal: nil, origin: RequestOrigin(request.head),
      started: ContinuousClock.now)
    responder.respond(response)
  }
}
