import DeliveryReports
import FCM
import Synchronization
import Telemetry
import Testing

@testable import Delivery

/// What an operator reads of attempts that fail.
struct FailureCountsTests {
  @Test func theFirstThenTheNumberEachMinuteThenTheEnd() {
    var counts = FailureCounts()
    #expect(counts.failed("a", unavailable) == .began(unavailable))
    for _ in 0..<29 { _ = counts.failed("a", unavailable) }
    #expect(counts.minutePassed().map(\.line) == [.goesOn(unavailable, count: 29)])
    counts.sent("a")
    #expect(counts.failed("a", unavailable) == nil)
    #expect(counts.minutePassed().map(\.line) == [.goesOn(unavailable, count: 1)])
    // Without a message that was sent, nothing is known to be over.
    #expect(counts.minutePassed().isEmpty)
    counts.sent("b")
    #expect(counts.minutePassed().isEmpty)
    counts.sent("a")
    #expect(counts.minutePassed().map(\.line) == [.ended(unavailable, count: 31)])
    #expect(counts.isEmpty)
    #expect(counts.failed("a", unavailable) == .began(unavailable))
  }

  @Test func distinguishesAppsCodesAndReasons() {
    var counts = FailureCounts()
    let other = SendError(
      code: .unavailable, message: "other", disposition: .retry, scope: .service)
    #expect(counts.failed("a", unavailable) != nil)
    #expect(counts.failed("b", unavailable) != nil)
    #expect(counts.failed("a", unregistered) != nil)
    #expect(counts.failed("a", other) != nil)
    #expect(counts.failed("a", other) == nil)
  }

  @Test func boundsTheReasons() {
    var counts = FailureCounts()
    let lines = (0..<200).compactMap { number in
      counts.failed(
        "a", SendError(code: .unavailable, message: "\(number)", disposition: .retry, scope: .service))
    }
    #expect(lines.count == 101)
  }

  @Test func forgetsWhatHasNotHappenedForAnHour() {
    var counts = FailureCounts()
    _ = counts.failed("a", unavailable)
    for _ in 0..<60 { #expect(counts.minutePassed().isEmpty) }
    #expect(counts.isEmpty)
  }

  /// 30 of 30 deliveries once failed without a line.
  @Test func logsTheReasonWithPhaseAndPeer() {
    let written = Mutex("")
    let resume = Mutex<(@Sendable () -> Void)?>(nil)
    let log = Log { lines in written.withLock { $0 += String(decoding: lines, as: UTF8.self) } }
    let failures = FailureLog(log: log) { seconds, next in
      #expect(seconds == 60)
      resume.withLock { $0 = next }
    }
    for number in 1...30 {
      let reference = DeliveryReference(delivery(number))
      failures.note(
        .attempted(
          app: "default", delivery: reference, outcome: .failed(unregistered), milliseconds: 1,
          outcomeUnknown: false))
    }
    resume.withLock { $0 }?()
    log.flush()
    let lines = written.withLock { $0 }.split(separator: "\n")
    #expect(lines.count == 2)
    for field in [
      #""level":"warning""#, #""app":"default""#, #""code":"UNREGISTERED""#, #""reason":"why""#,
      #""phase":"answer""#, #""peer":"fcm""#,
    ] {
      #expect(lines.allSatisfy { $0.contains(field) }, "\(lines)")
    }
    #expect(lines.last?.contains(#""failures":29"#) == true)
  }
}
