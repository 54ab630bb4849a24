internal import DeliveryReports
internal import Clock
internal import JSON
internal import Outbox
internal import Telemetry

/// The parts of a Standard Webhooks request that all attempts of an event share.
struct WebhookMessage {
  /// The specification recommends payloads below 20 KB.
  static let bodyBytesMax = 20_000

  /// Identifies the event across attempts and restarts, and among those of all queues: each queue counts its
  /// events from 1. Has no full stop, which separates the parts of the signed text.
  let id: String
  let body: [UInt8]
  /// The trace of the notification that the event is about.
  private let trace: TraceContext?

  init(_ event: WebhookEvent) {
    id = "evt_\(event.subject)_\(event.id)"
    let payload: JSON = [
      "type": .string(event.type.rawValue), "timestamp": .string(event.at.rfc3339), "data": event.json,
    ]
    body = payload.serialized
    trace = event.trace
  }

  var fits: Bool { body.count < Self.bodyBytesMax }

  /// The header lines of an attempt at `timestamp` (UNIX seconds); nil when signing fails.
  func headers(timestamp: Int64, secrets: [WebhookSecret]) -> [String]? {
    let signatures = secrets.compactMap { $0.signature(id: id, timestamp: timestamp, body: body) }
    guard signatures.count == secrets.count else { return nil }
    return [
      "Content-Type: application/json", "webhook-id: \(id)", "webhook-timestamp: \(timestamp)",
      "webhook-signature: \(signatures.joined(separator: " "))", "Expect:",
    ] + (trace?.child().fields.map { "\($0.name): \($0.value)" } ?? [])
  }
}

extension WebhookEvent {
  /// What the event is about, which no other queue has.
  fileprivate var subject: UUIDv7 {
    switch self {
    case .dead(let event): event.notification.uuid
    case .outcome(let event): event.delivery.uuid
    }
  }
}
