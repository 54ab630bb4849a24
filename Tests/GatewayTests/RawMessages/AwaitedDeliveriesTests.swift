import Clock
import DeliveryReports
import FCM
import FCMMessage
import Foundation
import Outbox
import OutboxModel
import Synchronization
import Testing

@testable import API

@Suite(.blocking) struct AwaitedDeliveriesTests {
  private final class Ends: Sendable {
    private let ends = Mutex<[String]>([])
    private let signal = DispatchSemaphore(value: 0)

    func take(_ end: AwaitedDeliveries.End) {
      let text =
        switch end {
        case .sent(let name): "sent \(name)"
        case .other: "other"
        case .late: "late"
        }
      ends.withLock { $0.append(text) }
      signal.signal()
    }

    var all: [String] { ends.withLock { $0 } }

    func next() -> String? {
      guard signal.wait(timeout: .now() + 30) == .success else { return nil }
      return all.last
    }
  }

  private let awaited = AwaitedDeliveries()
  private let id = DeliveryID(UUIDv7())
  private let ends = Ends()

  private func sent(_ id: DeliveryID) -> DeliveryEvent {
    .attempted(
      app: "default", delivery: reference(id), outcome: .sent(name: "n"), milliseconds: 1,
      outcomeUnknown: false)
  }

  private func reference(_ id: DeliveryID) -> DeliveryReference {
    let now = Timestamp(milliseconds: 0)
    return DeliveryReference(
      ClaimedDelivery(
        id: id, notification: NotificationID(UUIDv7()), app: "default", target: .token("t"),
        message: SealedMessage(bytes: [], placeholders: []), priority: .high, attempts: 0, createdAt: now,
        expiresAt: now.adding(milliseconds: 60_000)))
  }

  @Test func tellsAllWhoWait() {
    let expected = awaited.expect(id)
    let again = awaited.expect(id)
    for each in [expected, again] { each.wait(until: .now + .seconds(60), completion: ends.take) }
    awaited.note(sent(DeliveryID(UUIDv7())))
    #expect(ends.all == [])
    awaited.note(sent(id))
    #expect(ends.all == ["sent n", "sent n"])
    // What has ended is told once.
    awaited.note(sent(id))
    #expect(ends.all.count == 2)
  }

  @Test func keepsTheEndUntilSomebodyAsks() {
    let expected = awaited.expect(id)
    let later = awaited.expect(id)
    awaited.note(sent(id))
    for each in [expected, later] { each.wait(until: .now + .seconds(60), completion: ends.take) }
    #expect(ends.all == ["sent n", "sent n"])
  }

  /// Whoever asks between FCM's answer and its record has missed the answer.
  @Test func theRecordIsAnEndToo() {
    awaited.expect(id).wait(until: .now + .seconds(600), completion: ends.take)
    awaited.note(sent(id))
    awaited.expect(id).wait(until: .now + .seconds(600), completion: ends.take)
    awaited.note(.recorded(app: "default", delivery: reference(id), outcome: .sent, milliseconds: 1))
    #expect(ends.all == ["sent n", "other"])
  }

  @Test func answersAtTheDeadline() {
    awaited.expect(id).wait(until: .now, completion: ends.take)
    #expect(ends.next() == "late")
  }

  @Test func answersAllWhenTheGatewayStops() {
    awaited.expect(id).wait(until: .now + .seconds(600), completion: ends.take)
    awaited.stop { true }
    #expect(ends.next() == "late")
  }

  @Test func attemptsThatFailAreNoEnd() {
    awaited.expect(id).wait(until: .now + .seconds(600), completion: ends.take)
    let failure = SendError(code: .unavailable, message: "m", disposition: .retry, scope: .service)
    awaited.note(
      .attempted(
        app: "default", delivery: reference(id), outcome: .failed(failure), milliseconds: 1,
        outcomeUnknown: false))
    #expect(ends.all == [])
    awaited.note(.recorded(app: "default", delivery: reference(id), outcome: .failed, milliseconds: 1))
    #expect(ends.all == ["other"])
  }
}
