import Clock
import FCMMessage
import Telemetry
import TestSupport
import Testing

@testable import Outbox

/// Messages are stored as their deltas from what those of their template have in common.
@Suite struct DictionaryTests: SQLiteQueueTests {
  let folder: TemporaryFolder
  let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private func given(
    _ template: SampleTemplate, _ arg: String = "Bob", at: Timestamp = start, count: Int = 1
  ) -> NewNotification {
    notification(
      count: count, createdAt: at, template: template.name, message: template.message(arg),
      dictionary: template.dictionary)
  }

  @Test func storesWhatDiffersAndSendsTheWholeMessage() async throws {
    let templates = [SampleTemplate("new_message"), SampleTemplate("order_shipped")]
    let sent = (0..<40).map { given(templates[$0 % 2], "sender \($0)", count: 1 + $0 % 3) }
    let store = try open()
    try await store.enqueue(sent)
    await store.close()

    #expect(try integer("SELECT count(*) FROM message_dictionaries") == 2)
    #expect(try integer("SELECT count(*) FROM notifications WHERE dictionary IS NULL") == 0)
    #expect(try #require(try integer("SELECT max(length(message)) FROM notifications")) < 60)
    let reopened = try open()
    let claimed = try await reopened.claim(limit: 100)
    #expect(claimed.count == sent.reduce(0) { $0 + $1.deliveries.count })
    let expected = Dictionary(uniqueKeysWithValues: sent.map { ($0.id, $0.message) })
    for delivery in claimed { #expect(delivery.message == expected[delivery.notification]) }

    // A retry reads the message once more.
    try await reopened.settle(
      claimed.map {
        Settlement(delivery: $0.id, at: start, result: .failed(error: refusal, deadRegistration: false))
      })
    _ = try await reopened.retry(sent[7].id)
    #expect(try await reopened.claim().map(\.message).first == sent[7].message)
    await reopened.close()
  }

  /// After a restart, the first message of a template compares its dictionary with the one on disk, and a new
  /// version of the catalog adds another.
  @Test func keepsADictionaryForEachVersionOfATemplate() async throws {
    for version in 0..<3 {
      for _ in 0..<2 {
        let store = try open()
        for _ in 0..<2 { try await store.enqueue([given(SampleTemplate("new_message", version: version))]) }
        await store.close()
      }
    }
    #expect(try integer("SELECT count(*) FROM message_dictionaries") == 3)
    let store = try open()
    let texts = try await store.claim().map { String(decoding: $0.message.bytes, as: UTF8.self) }
    #expect(
      texts.map { $0.contains("version 0") } == Array(repeating: true, count: 4)
        + Array(repeating: false, count: 8))
    #expect(texts.count { $0.contains("version 2") } == 4)
    await store.close()
  }

  @Test func storesTheWholeMessageWhereADictionaryDoesNotHelp() async throws {
    let template = SampleTemplate("new_message")
    let store = try open()
    let short = notification(
      message: SealedMessage(bytes: [1, 2, 3], placeholders: []), dictionary: template.dictionary)
    let plain = notification(message: template.message("Bob"))
    try await store.enqueue([short, plain])
    await store.close()
    #expect(try integer("SELECT count(*) FROM notifications WHERE dictionary IS NULL") == 2)
    #expect(try integer("SELECT count(*) FROM message_dictionaries") == 0)
    let reopened = try open()
    #expect(try await reopened.claim().map(\.message) == [short.message, plain.message])
    await reopened.close()
  }

  /// What would put `#` in place of a byte.
  private func damage(_ column: String) -> String {
    "\(column) = CAST(substr(\(column), 1, 99) || '#' || substr(\(column), 101) AS BLOB)"
  }

  /// A bit that changes in what many messages need changes none of them.
  @Test(arguments: ["bytes", "copy"]) func sendsEverythingWithEitherCopy(_ column: String) async throws {
    let template = SampleTemplate("new_message")
    let store = try open()
    let sent = [given(template, "a"), given(template, "b")]
    try await store.enqueue(sent)
    await store.close()
    try execute("UPDATE message_dictionaries SET \(damage(column))")
    let reopened = try open()
    try await reopened.enqueue([given(template, "c")])
    #expect(try await reopened.claim().map(\.message) == ["a", "b", "c"].map(template.message))
    await reopened.close()
    #expect(try integer("SELECT count(*) FROM notifications WHERE dictionary IS NULL") == 0)
  }

  @Test func endsOnlyWhatNeedsADamagedDictionary() async throws {
    let (damaged, whole) = (SampleTemplate("new_message"), SampleTemplate("order_shipped"))
    let store = try open()
    let sent = [given(damaged), given(whole), given(damaged), given(whole)]
    try await store.enqueue(sent)
    await store.close()
    try execute(
      "UPDATE message_dictionaries SET \(damage("bytes")), \(damage("copy")) WHERE key = \(damaged.dictionary.key)"
    )
    let reopened = try open()
    #expect(try await reopened.claim().map(\.notification) == [sent[1].id, sent[3].id])
    try await eventually { try await reopened.counts() == [.failed: 2, .sending: 2] }
    await reopened.close()

    try execute("DELETE FROM message_dictionaries")
    let last = try open()
    #expect(try await last.claim().isEmpty)
    try await eventually { try await last.counts() == [.failed: 4] }
    // The next message brings it again, with which a retry can read the others.
    try await last.enqueue([given(whole)])
    _ = try await last.retry(sent[1].id)
    #expect(try await last.claim().map(\.message) == [sent[1].message, sent[1].message])
    await last.close()
  }

  @Test func removesADictionaryWithTheLastMessageThatNeedsIt() async throws {
    let (old, new) = (SampleTemplate("new_message"), SampleTemplate("order_shipped"))
    let store = try open()
    try await store.enqueue([given(old), given(new), given(old)])
    let claimed = try await store.claim()
    try await store.settle(claimed[0].id, .sent(messageName: "n"))
    #expect(try await store.pruneAll(endedBy: start).notifications == 1)
    #expect(try integer("SELECT count(*) FROM message_dictionaries") == 2)
    try await store.settle(claimed[1].id, .sent(messageName: "n"))
    #expect(try await store.pruneAll(endedBy: start).notifications == 1)
    #expect(try integer("SELECT key FROM message_dictionaries") == old.dictionary.key)
    try await store.settle(claimed[2].id, .sent(messageName: "n"))
    #expect(try await store.pruneAll(endedBy: start).notifications == 1)
    #expect(try integer("SELECT count(*) FROM message_dictionaries") == 0)

    // The next one is stored with it again. A restart does not know when it was last needed.
    let again = given(old, "again")
    try await store.enqueue([again])
    #expect(try integer("SELECT count(*) FROM message_dictionaries") == 1)
    await store.close()
    let reopened = try open()
    #expect(try await reopened.pruneAll(endedBy: start).notifications == 0)
    let last = try await reopened.claim()
    #expect(last.map(\.message) == [again.message])
    try await reopened.settle(last[0].id, .sent(messageName: "n"))
    _ = try await reopened.pruneAll(endedBy: start)
    #expect(try integer("SELECT count(*) FROM message_dictionaries") == 0)
    await reopened.close()
  }

  /// What a failed transaction has added is not there for the next one.
  @Test func addsADictionaryAgainAfterAFailure() async throws {
    let template = SampleTemplate("new_message")
    let store = try open()
    let first = given(template, "first")
    try await store.enqueue([notification()])
    // The same id twice: nothing of the transaction is kept.
    await #expect(throws: OutboxError.self) { try await store.enqueue([first, first]) }
    #expect(try integer("SELECT count(*) FROM message_dictionaries") == 0)
    let second = given(template, "second")
    try await store.enqueue([second])
    #expect(try integer("SELECT count(*) FROM message_dictionaries") == 1)
    let crashed = try folder.crashed()
    let survivor = try open(crashed)
    #expect(try await survivor.claim().map(\.message).last == second.message)
    await survivor.close()
    await store.close()
  }

  @Test func storesLargeRequestsInPartsWithADictionary() async throws {
    var configuration = OutboxConfiguration()
    configuration.partDeliveriesMax = 10
    let clock = clock
    let template = SampleTemplate("new_message")
    let sent = (0..<95).map { given(template, "sender \($0)") }
    let store = try SQLiteOutboxStore(
      path: folder.database, configuration: configuration, log: .silent, clock: { clock.now })
    try await store.enqueue(sent)
    #expect(try integer("SELECT count(*) FROM notifications WHERE dictionary IS NULL") == 0)
    #expect(try await store.claim(limit: 200).map(\.message) == sent.map(\.message))
    await store.close()
  }
}
