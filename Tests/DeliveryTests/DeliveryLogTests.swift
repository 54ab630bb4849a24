import DeliveryReports
import Outbox
import Synchronization
import Telemetry
import Testing

@testable import Delivery

/// What the engine logs for operators.
@Suite struct DeliveryLogTests {
  /// The store says once that it is out of reach, and the engine tries again several times a second.
  @Test func leavesAQueueOutOfReachToTheStore() {
    let written = Mutex("")
    let log = Log { lines in written.withLock { $0 += String(decoding: lines, as: UTF8.self) } }
    for _ in 0..<6 { log.write(.storeFailed(OutboxError(code: .unavailable, description: "no server"))) }
    log.write(.storeFailed(OutboxError(code: .outcomeUnknown, description: "no answer")))
    log.flush()
    let lines = written.withLock { $0 }.split(separator: "\n")
    #expect(lines.count == 1)
    #expect(lines.first?.contains("no answer") == true)
  }
}
