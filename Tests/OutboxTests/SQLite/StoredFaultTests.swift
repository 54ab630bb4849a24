import TestSupport
import Testing

@testable import Outbox

/// What the file itself makes fail: a statement, or a number that no version could have written.
@Suite struct StoredFaultTests: SQLiteQueueTests {
  let folder: TemporaryFolder
  let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  /// A failure in the middle leaves no statement active, which would keep the log from starting over.
  @Test func prunesAgainAfterAFailure() async throws {
    let store = try open()
    for _ in 0..<3 { try await store.enqueue([notification(count: 3)]) }
    for claimed in try await store.claim(limit: 9) {
      try await store.settle(claimed.id, .failed(error: refusal))
    }
    await store.close()
    let reopened = try open()
    try execute(
      """
      CREATE TRIGGER fault BEFORE DELETE ON dragoman_deliveries WHEN old.row = (2 << 12) + 1
        BEGIN SELECT RAISE(ABORT, 'fault'); END
      """)
    let end = start.plus(seconds: 60)
    await #expect(throws: OutboxError.self) { _ = try await reopened.pruneAll(endedBy: end) }
    try execute("DROP TRIGGER fault")
    #expect(try await reopened.pruneAll(endedBy: end).deliveries == 9)
    #expect(try await reopened.counts() == [:])
    await reopened.close()
  }

  @Test(arguments: [
    "UPDATE dragoman_marks SET value = 9223372036854775807 WHERE name = 'feedback'",
    "INSERT INTO dragoman_intakes VALUES (1, 9223372036854775807)",
    "UPDATE dragoman_notifications SET row = 9223372036854775807",
    "UPDATE dragoman_marks SET value = 9223372036854775807 WHERE name = 'next_row'",
  ])
  func callsANumberWithoutSuccessorDamage(_ change: String) async throws {
    let store = try open()
    try await store.enqueue([notification()])
    let claimed = try #require(try await store.claim(limit: 1).first)
    try await store.settle(claimed.id, .failed(error: refusal, deadRegistration: true))
    await store.close()
    try execute(change)
    let error = #expect(throws: OutboxError.self) { _ = try open() }
    #expect(error?.code == .corrupt)
  }
}
