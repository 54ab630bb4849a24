internal import HTTPServer
internal import Outbox

/// `GET /v1/events` and `GET /v1/notifications/{id}/events`: server-sent events (WHATWG HTML §9.2).
struct EventsResource: Sendable {
  let state: APIState
  let hub: EventHub
  let notifications: NotificationsResource

  /// All that the caller may see, with the state of the queue.
  func showAll(_ call: APICall) throws(APIError) {
    let permit = try hub.permits.take(for: call.principal.client)
    start(hub.channel(for: call.principal), call, permit)
  }

  /// The states and attempts of one notification, until all of it is final.
  func show(_ call: APICall) throws(APIError) {
    let permit = try hub.permits.take(for: call.principal.client)
    notifications.find(call) { stored in
      // A browser does not connect again after a 204.
      if lastID(call)?.isLast == true, stored.isFinal { return call.respond(HTTPResponse(status: 204)) }
      start(hub.follow(stored, after: lastID(call)), call, permit)
    }
  }

  private func lastID(_ call: APICall) -> EventID? {
    call.head.headers["Last-Event-ID"].flatMap(EventID.init)
  }

  private func start(_ feed: any EventFeed, _ call: APICall, _ permit: StreamPermit) {
    // An id of another feed, or of none, is older than all events here.
    let hasID = call.head.headers["Last-Event-ID"].map { !$0.isEmpty } ?? false
    let place = feed.number(of: lastID(call)) ?? (hasID ? -1 : nil)
    let stream = EventStream(feed, from: place, permit: permit) { isStillAllowed(call) }
    call.respond(
      HTTPResponse(
        status: 200,
        headers: [
          "Content-Type": "text/event-stream", "Cache-Control": "no-store",
          // nginx would hold events back otherwise.
          "X-Accel-Buffering": "no",
        ], stream: stream))
  }

  /// Whether the caller's key still means the same after reloads.
  private func isStillAllowed(_ call: APICall) -> Bool {
    let snapshot = state.snapshot
    guard snapshot !== call.snapshot else { return true }
    guard let principal = try? snapshot.authenticator.principal(of: call.head) else { return false }
    return principal.hasSameRights(as: call.principal)
  }
}

extension Principal {
  /// Whether it is the same client, and may do the same.
  func hasSameRights(as other: Principal) -> Bool {
    client == other.client && scopes == other.scopes && apps == other.apps && templates == other.templates
  }
}
