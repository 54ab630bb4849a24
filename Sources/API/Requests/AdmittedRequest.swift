internal import HTTPServer
internal import Synchronization

/// A request that the API has admitted, with the decisions made on its head: its route, its caller, and the
/// apps and catalogs that answer it.
final class AdmittedRequest: HTTPRequestHandler {
  let head: HTTPRequestHead
  let route: APIRoute
  /// The text in place of the route's parameter.
  let parameter: String
  let principal: Principal
  let snapshot: APIState.Snapshot
  /// Where the caller finds the gateway: a path, "" for the root.
  let publicPath: String
  let origin: RequestOrigin
  private let resources: APIResources
  private let observer: RequestObserver
  private let started: ContinuousClock.Instant
  /// The answer until it is logged, once.
  private let answer = Mutex<RequestObserver.Answer?>(nil)

  init(
    head: HTTPRequestHead, match: APIRoute.Match, principal: Principal, snapshot: APIState.Snapshot,
    publicPath: String, resources: APIResources, observer: RequestObserver, started: ContinuousClock.Instant
  ) {
    self.head = head
    route = match.route
    parameter = match.parameter
    self.principal = principal
    self.snapshot = snapshot
    self.publicPath = publicPath
    origin = RequestOrigin(head)
    self.resources = resources
    self.observer = observer
    self.started = started
  }

  var client: String? { principal.client }

  /// Nobody holds an answer any more that was not written: the client is gone.
  deinit { log(isWhole: false) }

  func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    let observed = responder.finishing { [self] response in
      if !publicPath.isEmpty, let location = response.headers["Location"] {
        response.headers["Location"] = publicPath + location
      }
      let prepared = observer.prepare(&response, to: head, route: route, principal: principal, origin: origin)
      answer.withLock { $0 = prepared }
    }
    resources.answer(APICall(admitted: self, body: request.body, responder: observed), route.action)
  }

  func response(to error: HTTPProtocolError) -> HTTPResponse? {
    var response = APIError(error, isShuttingDown: resources.state.isShuttingDown)
      .response(to: route)
    let prepared = observer.prepare(&response, to: head, route: route, principal: principal, origin: origin)
    answer.withLock { $0 = prepared }
    return response
  }

  func answerWasWritten() { log(isWhole: true) }

  private func log(isWhole: Bool) {
    guard let answer = answer.withLock({ $0.take() }) else { return }
    observer.log(
      answer, to: head, route: route, client: principal.client, origin: origin, started: started,
      isWhole: isWhole)
  }
}

/// The answer to a request that the API refused on its head.
final class RefusedRequest: HTTPAnswerObserver {
  private let head: HTTPRequestHead
  private let route: APIRoute?
  private let origin: RequestOrigin
  private let observer: RequestObserver
  private let started: ContinuousClock.Instant
  private let answer: RequestObserver.Answer
  private let isWritten = Atomic<Bool>(false)

  /// Completes `response`; `route` is nil if none matches.
  init(
    _ response: inout HTTPResponse, head: HTTPRequestHead, route: APIRoute?, origin: RequestOrigin,
    observer: RequestObserver, started: ContinuousClock.Instant
  ) {
    answer = observer.prepare(&response, to: head, route: route, principal: nil, origin: origin)
    self.head = head
    self.route = route
    self.origin = origin
    self.observer = observer
    self.started = started
  }

  deinit {
    observer.log(
      answer, to: head, route: route, client: nil, origin: origin, started: started,
      isWhole: isWritten.load(ordering: .relaxed))
  }

  func answerWasWritten() { isWritten.store(true, ordering: .relaxed) }
}

/// A ping of the server as a whole, `OPTIONS *` (RFC 9110 §9.3.7).
struct PingRequest: HTTPRequestHandler {
  let observer: RequestObserver

  func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    var response = APIRoute.ping
    let origin = RequestOrigin(request.head)
    let answer = observer.prepare(&response, to: request.head, route: nil, principal: nil, origin: origin)
    observer.log(
      answer, to: request.head, route: nil, client: nil, origin: origin, started: ContinuousClock.now,
      isWhole: true)
    responder.respond(response)
  }
}
