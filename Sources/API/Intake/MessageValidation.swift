internal import Clock
internal import DeliveryReports
internal import FCM
internal import FCMMessage
internal import HTTPServer
internal import JSON
internal import Outbox
internal import Synchronization

/// `validate_only`: sends each target's message to FCM with its own `validate_only`, queues nothing, and
/// answers after all of FCM's verdicts have arrived.
final class MessageValidation: Sendable {
  private struct Verdict: Sendable {
    let json: [UInt8]
    let isValid: Bool
  }

  private struct Progress: Sendable {
    var verdicts: [Verdict?]
    var waiting: Int
    var outage: SendError?
  }

  private let progress: Mutex<Progress>
  private let call: APICall

  private init(count: Int, call: APICall) {
    progress = Mutex(Progress(verdicts: Array(repeating: nil, count: count), waiting: count))
    self.call = call
  }

  /// Sends the messages of an accepted notification to FCM and answers the call.
  static func start(_ accepted: Intake.Accepted, by engine: any DeliveryService, _ call: APICall) {
    let notification = accepted.notification
    let validation = MessageValidation(count: notification.deliveries.count, call: call)
    for (index, request) in requests(of: notification).enumerated() {
      engine.validate(
        app: accepted.app.name, request.body, to: request.target, trace: notification.trace
      ) { outcome in
        validation.record(index, target: request.target, message: request.message, outcome: outcome)
      }
    }
  }

  /// What FCM is asked about each target of a notification.
  static func requests(
    of notification: NewNotification
  ) -> [(target: Target, message: [UInt8], body: [UInt8])] {
    let dueAt = notification.start.dueAt
    return notification.deliveries.map { delivery in
      let values = SealedMessage.PlaceholderValues(
        deliveryID: delivery.id.description, dueSince: dueAt, expiresAt: notification.expiresAt,
        activityAt: dueAt, now: dueAt)
      return (
        delivery.target, notification.message.message(to: delivery.target, values: values),
        notification.message.sendRequestBody(to: delivery.target, values: values, validateOnly: true)
      )
    }
  }

  private func record(_ index: Int, target: Target, message: [UInt8], outcome: SendOutcome) {
    var writer = JSONWriter(reserving: message.count + 256)
    writer.appendRaw("{\"target\":")
    writer.append(JSON.object(.init([(target.field, .string(target.value))])))
    writer.appendRaw(",\"message\":")
    writer.appendRaw(message)
    writer.appendRaw(",\"message_bytes\":")
    writer.appendRaw(text: String(message.count))
    var outage: SendError?
    if case .failed(let failure) = outcome {
      if failure.disposition != .permanent || failure.scope == .unsent || failure.scope == .configuration {
        outage = failure
      }
      writer.appendRaw(",\"error\":")
      writer.append(DeliveryError(failure).json)
    }
    writer.appendRaw("}")
    let verdict = Verdict(json: writer.bytes, isValid: outcome.isSent)
    let finished: Progress? = progress.withLock { progress in
      progress.verdicts[index] = verdict
      progress.outage = progress.outage ?? outage
      progress.waiting -= 1
      return progress.waiting == 0 ? progress : nil
    }
    if let finished { call.respond(Self.response(finished)) }
  }

  private static func response(_ progress: Progress) -> HTTPResponse {
    if let outage = progress.outage {
      var error = APIError(.upstreamUnavailable, "FCM could not be reached: \(outage.code.rawValue).")
      error.members = [("error", DeliveryError(outage).json)]
      return error.response
    }
    let verdicts = progress.verdicts.compactMap { $0 }
    var writer = JSONWriter(reserving: verdicts.reduce(64) { $0 + $1.json.count })
    writer.appendRaw("{\"valid\":")
    writer.append(.bool(verdicts.allSatisfy(\.isValid)))
    writer.appendRaw(",\"deliveries\":[")
    for (index, verdict) in verdicts.enumerated() {
      if index > 0 { writer.appendRaw(",") }
      writer.appendRaw(verdict.json)
    }
    writer.appendRaw("]}")
    return .json(200, writer.bytes)
  }
}

extension SendOutcome {
  fileprivate var isSent: Bool { if case .sent = self { true } else { false } }
}
