internal import Clock
internal import FCMMessage
internal import Outbox

/// A delivery's message with its placeholders filled in.
struct OutgoingMessage: Sendable {
  let delivery: ClaimedDelivery
  /// The request body for the moment at which it was created.
  let body: [UInt8]
  private let ttlSeconds: Int

  init(_ delivery: ClaimedDelivery, now: Timestamp) {
    self.delivery = delivery
    let values = SealedMessage.PlaceholderValues(for: delivery, now: now)
    ttlSeconds = values.ttlSeconds
    body = delivery.message.sendRequestBody(to: delivery.target, values: values)
  }

  /// The request body for `now`. Hardly any message waits so long that it has to be assembled again.
  func body(now: Timestamp) -> [UInt8] {
    if SealedMessage.PlaceholderValues.ttlSeconds(of: delivery, now: now) == ttlSeconds { return body }
    return OutgoingMessage(delivery, now: now).body
  }
}
