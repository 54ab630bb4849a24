import DeliveryReports
import FCM
import FCMMessage
import Outbox
import Testing

@testable import Delivery

/// A message that FCM alone answers with server errors does not stop its app.
struct FailingMessagesTests {
  private let poison = SealedMessage(bytes: Array("poison".utf8), placeholders: [])
  private let other = SealedMessage(bytes: Array("other".utf8), placeholders: [])

  private func failed(_ messages: inout FailingMessages, _ numbers: ClosedRange<Int>, now: Int64) -> [Bool] {
    numbers.map { messages.failed(poison, deliveryID($0), now: now) }
  }

  @Test func setsAMessageAsideWhereOthersSucceed() {
    var messages = FailingMessages(countMax: 100)
    #expect(failed(&messages, 1...5, now: 0) == Array(repeating: false, count: 5))
    #expect(messages.areSuspects)
    #expect(messages.heldUntil(poison, now: 0) == nil)
    messages.answered(other, isSent: true, now: 1000)
    #expect(messages.heldUntil(poison, now: 1000) == 61_000)
    #expect(messages.heldUntil(other, now: 1000) == nil)
    // Those that were under way say nothing about FCM any more.
    #expect(failed(&messages, 6...7, now: 2000) == [true, true])
    #expect(messages.heldUntil(poison, now: 2000) == 61_000)
  }

  @Test func triesOneDeliveryAtGrowingIntervals() {
    var messages = FailingMessages(countMax: 100)
    _ = failed(&messages, 1...3, now: 0)
    messages.answered(other, isSent: true, now: 0)
    var now: Int64 = 60_000
    for wait: Int64 in [120_000, 240_000, 480_000, 900_000, 900_000] {
      #expect(messages.heldUntil(poison, now: now) == nil)
      messages.began(deliveryID(8), poison)
      #expect(messages.heldUntil(poison, now: now) != nil)
      let isAside = messages.failed(poison, deliveryID(8), now: now)
      #expect(isAside)
      #expect(messages.heldUntil(poison, now: now) == now + wait)
      now += wait
    }
    messages.began(deliveryID(8), poison)
    messages.answered(poison, isSent: false, now: now)
    #expect(messages.heldUntil(poison, now: now) == nil)
    #expect(messages.isEmpty)
  }

  @Test func anotherTrialFollowsOneWithoutAnAnswer() {
    var messages = FailingMessages(countMax: 100)
    _ = failed(&messages, 1...3, now: 0)
    messages.answered(other, isSent: true, now: 0)
    messages.began(deliveryID(8), poison)
    #expect(messages.heldUntil(poison, now: 60_000) != nil)
    messages.withdrew(deliveryID(8))
    #expect(messages.heldUntil(poison, now: 60_000) == nil)
  }

  @Test func aFewFailuresOrAnOutageSetNothingAside() {
    var messages = FailingMessages(countMax: 100)
    _ = failed(&messages, 1...2, now: 0)
    messages.answered(other, isSent: true, now: 0)
    #expect(messages.heldUntil(poison, now: 0) == nil)
    for number in 0..<5 {
      let message = SealedMessage(bytes: [UInt8(number)], placeholders: [])
      _ = messages.failed(message, nil, now: 0)
    }
    #expect(!messages.areSuspects)
  }

  /// 590 targets of one notification were once probed one by one, every 30 seconds.
  @Test func probesOtherMessagesAndGoesOn() {
    var bench = CoreBench()
    _ = bench.give((1...10).map { delivery($0, message: 0) })
    bench.tell(.nextDue(app: 0, .success(nil)))
    bench.tell((1...10).map { answer($0, unavailable) }, at: moment(0))
    #expect(bench.health()?.isBreakerOpen == true)
    bench.tell(.settled(.success([])))
    #expect(bench.tell(.due(app: 0), at: 5000) == ["claim 500 for 0"])
    // Only deliveries of that message are found: one is probed, and the others make room.
    let hidden = (100..<600).map { delivery($0, message: 0) }
    let first = bench.tell(.claimed(app: 0, .success(hidden)), at: 5000)
    #expect(first.filter { $0.hasPrefix("send") }.count == 1)
    #expect(bench.settled.count == 499)
    #expect(bench.settled.allSatisfy { $0 == .deferred(until: 65_000) })
    bench.tell(.settled(.success([])), at: 5000)
    bench.tell(answer(100, unavailable), .settled(.success([])), at: 5100)
    // The search goes on sooner than after 30 s.
    #expect(bench.timer(at: 5100) == 6100)
    #expect(bench.tell(.timer, at: 6100) == ["claim 500 for 0"])
    let found = (600..<620).map { delivery($0, message: 0) } + [delivery(1000), delivery(1001)]
    let second = bench.tell(.claimed(app: 0, .success(found)), at: 6100)
    #expect(second.filter { $0.hasPrefix("send") } == ["send 1000 for 0", "send 1001 for 0"])
    #expect(bench.tell(accept(1000), at: 6200).contains("closed default"))
    #expect(bench.health(at: 6200)?.isBreakerOpen == false)
    bench.tell(accept(1001), .settled(.success([])), .nextDue(app: 0, .success(nil)), at: 6200)
    // The message is set aside; others are sent.
    let after = bench.give([delivery(620, message: 0), delivery(1002)], at: 7000)
    #expect(after.filter { $0.hasPrefix("send") } == ["send 1002 for 0"])
  }
}
