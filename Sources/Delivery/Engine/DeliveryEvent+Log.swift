internal import DeliveryReports
internal import Clock
internal import FCM
internal import Outbox
internal import Telemetry

extension Log {
  /// Logs what an operator should know; metrics cover what happens with every delivery.
  func write(_ event: DeliveryEvent) {
    switch event {
    case .attempted(_, _, .sent, _, _): break
    case .attempted(let app, let delivery, .failed(let failure), let milliseconds, _):
      guard logs(.debug) else { return }
      about(delivery).debug(
        "attempt failed",
        [
          "app": .string(app), "code": .string(failure.code.rawValue),
          "milliseconds": .integer(Int(milliseconds)),
        ])
    case .recorded(let app, let delivery, let outcome, let milliseconds):
      guard logs(.debug) else { return }
      about(delivery).debug(
        "delivery ended",
        [
          "app": .string(app), "outcome": .string(outcome.rawValue),
          "milliseconds": .integer(Int(milliseconds)),
        ])
    case .outcomeUnknown(let app, let delivery, let code):
      guard logs(.debug) else { return }
      about(delivery).debug(
        "FCM may or may not have accepted a message; it is sent again with the same identity",
        ["app": .string(app), "code": .string(code.rawValue)])
    case .deadRegistration(let app, let delivery, let code):
      guard logs(.debug) else { return }
      about(delivery).debug("registration is dead", ["app": .string(app), "code": .string(code)])
    case .deadActivity(let app, let delivery, let code):
      guard logs(.debug) else { return }
      about(delivery).debug("Live Activity is dead", ["app": .string(app), "code": .string(code)])
    case .thirdPartyAuth(let app, let failure):
      error("Firebase's APNs or web push credentials of the app are refused", fields(app, failure))
    case .slowed(let app, let rate, let hold):
      warning(
        "project quota used up; the app slows down",
        [
          "app": .string(app), "messages_per_second": .integer(Int(saturating: rate)),
          "hold_milliseconds": .integer(Int(hold)),
        ])
    case .retryAfterCapped(let app, let seconds):
      warning(
        "Retry-After exceeds the maximum and is cut",
        ["app": .string(app), "seconds": .integer(seconds)])
    default: writeState(event)
    }
  }

  /// A log whose lines name the delivery, with its target only as a short hash.
  private func about(_ delivery: DeliveryReference) -> Log {
    let ids: Fields = [
      "notification_id": .string(delivery.notification.description),
      "delivery_id": .string(delivery.delivery.description), "target": .string(delivery.targetHash),
    ]
    guard let trace = delivery.trace else { return with(ids) }
    return with(ids).with(["trace_id": .string(trace.traceID)])
  }

  private func writeState(_ event: DeliveryEvent) {
    switch event {
    case .breakerOpened(let app, let failure):
      error("breaker open: a run of server errors; the app's queue waits", fields(app, failure))
    case .breakerClosed(let app): info("breaker closed", ["app": .string(app)])
    case .paused(let app, let failure):
      error("app paused: only probes are sent until one is accepted", fields(app, failure))
    case .resumed(let app): info("app resumed", ["app": .string(app)])
    // The store says so itself, once.
    case .storeFailed(let reason) where reason.code == .unavailable:
      debug("queue failed; sending waits for it", ["reason": .string(reason.description)])
    case .storeFailed(let reason):
      error("queue failed; sending waits for it", ["reason": .string(reason.description)])
    case .storeRecovered: info("queue recovered")
    case .stoppedUnsettled(let count):
      error("stopped before all outcomes were recorded", ["deliveries": .integer(count)])
    default: break
    }
  }

  func fields(_ app: String, _ failure: SendError) -> Log.Fields {
    [
      "app": .string(app), "code": .string(failure.code.rawValue),
      "http_status": .integer(failure.httpStatus ?? 0), "reason": .string(failure.message),
      "phase": .string(failure.phase), "peer": .string(failure.peer),
    ]
  }
}
