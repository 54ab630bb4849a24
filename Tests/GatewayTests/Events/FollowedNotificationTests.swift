import Clock
import FCMMessage
import HTTPServer
import Outbox
import Testing

@testable import API

/// What a stream shows of a notification between two readings of the queue.
@Suite struct FollowedNotificationTests {
  private let notification = NotificationID(UUIDv7())
  private let delivery = DeliveryID(UUIDv7())

  private func stored(_ state: DeliveryState, attempts: Int) -> StoredNotification {
    StoredNotification(
      id: notification, app: "default", template: "t", client: nil, createdAt: .now,
      deliveries: [
        StoredNotification.Delivery(
          id: delivery, target: .token("t"), state: state, attempts: attempts, nextAttemptAt: .now,
          messageName: nil, error: nil, updatedAt: .now, expiresAt: .now)
      ])
  }

  private func events(of followed: FollowedNotification) -> [String] {
    let bytes = followed.read(after: nil).frames.bytes
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("event: ") }
      .map { String($0.dropFirst("event: ".count)) }
  }

  /// The attempt has ended, and the queue still says that it is under way.
  @Test func aStreamThatBeginsAfterAnAttemptShowsIt() {
    let followed = FollowedNotification(stored(.sending, attempts: 0)) { _ in }
    let attempt = DeliveryAttempt(
      subject: DeliverySubject(
        notification: notification, delivery: delivery, app: "default", template: "welcome", client: nil),
      number: 1, error: DeliveryError(code: "UNAVAILABLE", httpStatus: 503, message: "", apnsReason: nil),
      milliseconds: 5, at: .now)
    followed.note(attempt)
    #expect(events(of: followed) == ["notification", "attempt"])
    // Once the queue shows it, the notification itself does.
    followed.note(stored(.queued, attempts: 1))
    #expect(events(of: followed) == ["notification"])
  }
}
