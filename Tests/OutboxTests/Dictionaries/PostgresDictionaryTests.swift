import Clock
import FCMMessage
import Telemetry
import TestSupport
import Testing

@testable import Outbox

/// Messages in PostgreSQL are stored as their deltas from what those of their template have in common.
@Suite(.enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresDictionaryTests {
  private let queue: SharedQueue

  init() throws { queue = try SharedQueue() }

  private func given(_ template: SampleTemplate, _ arg: String = "Bob", count: Int = 1) -> NewNotification {
    notification(
      count: count, template: template.name, message: template.message(arg), dictionary: template.dictionary)
  }

  /// How many notifications are stored whole.
  private func wholeCount() throws -> String {
    try queue.query("SELECT count(*) FROM dragoman_notifications WHERE dictionary IS NULL")
  }

  private func dictionaryCount() throws -> String {
    try queue.query("SELECT count(*) FROM dragoman_message_dictionaries")
  }

  @Test func aGatewaySendsWhatAnotherHasStored() async throws {
    let templates = [SampleTemplate("new_message"), SampleTemplate("order_shipped")]
    let sent = (0..<40).map { given(templates[$0 % 2], "sender \($0)", count: 1 + $0 % 3) }
    let store = try queue.open()
    let other = try queue.open()
    try await store.enqueue(sent)
    #expect(try wholeCount() == "0")
    #expect(try dictionaryCount() == "2")
    #expect(try queue.query("SELECT max(length(message)) < 60 FROM dragoman_notifications") == "t")
    let claimed = try await other.claim(limit: 100)
    #expect(claimed.count == sent.reduce(0) { $0 + $1.deliveries.count })
    let expected = Dictionary(uniqueKeysWithValues: sent.map { ($0.id, $0.message) })
    for delivery in claimed { #expect(delivery.message == expected[delivery.notification]) }
    // The other one meets the template for the first time.
    let next = given(templates[0], "next")
    try await other.enqueue([next])
    #expect(try dictionaryCount() == "2")
    #expect(try await store.claim().map(\.message) == [next.message])
  }

  @Test func storesTheWholeMessageWhereADictionaryDoesNotHelp() async throws {
    let template = SampleTemplate("new_message")
    let short = notification(
      message: SealedMessage(bytes: [1, 2, 3], placeholders: []), dictionary: template.dictionary)
    let plain = notification(message: template.message("Bob"))
    let store = try queue.open()
    try await store.enqueue([short, plain])
    #expect(try wholeCount() == "2")
    #expect(try await store.claim().map(\.message) == [short.message, plain.message])
  }

  @Test func storesLargeRequestsInPartsWithADictionary() async throws {
    var configuration = OutboxConfiguration()
    configuration.partDeliveriesMax = 10
    configuration.watchIntervalMilliseconds = 3_600_000
    let template = SampleTemplate("new_message")
    let sent = (0..<95).map { given(template, "sender \($0)") }
    let store = try PostgresOutboxStore(
      url: try PostgresURL(queue.url), configuration: configuration, log: .silent, clock: { start })
    try await store.enqueue(sent)
    #expect(try wholeCount() == "0")
    #expect(Set(try await store.claim(limit: 200).map(\.notification)) == Set(sent.map(\.id)))
  }

  /// A gateway of an earlier version would take what it cannot read for damaged.
  @Test func storesWholeMessagesWhileAnOlderGatewayRuns() async throws {
    let template = SampleTemplate("new_message")
    let first = try queue.open()
    try queue.query(
      """
      INSERT INTO dragoman_replicas (id, until, batch, lost, schema)
      VALUES (99, clock_timestamp() + INTERVAL '1 hour', 0, false, 8)
      """)
    try await first.enqueue([given(template)])
    #expect(try wholeCount() == "1")
    #expect(try dictionaryCount() == "0")
    try queue.query("UPDATE dragoman_replicas SET lost = true WHERE id = 99")
    let second = try queue.open()
    try await second.enqueue([given(template)])
    #expect(try wholeCount() == "1")
    #expect(try await second.claim().map(\.message) == [template.message("Bob"), template.message("Bob")])
    // What it would do to take a new lease.
    #expect(throws: (any Error).self) {
      try queue.query(
        "INSERT INTO dragoman_replicas (id, until, batch, lost) VALUES (100, clock_timestamp(), 0, false)")
    }
  }

  @Test func asksForOlderGatewaysUntilThereAreNone() throws {
    let dictionaries = PostgresDictionaries()
    let now = ContinuousClock.now
    #expect(try !dictionaries.areReadByAll(at: now) { () throws(PostgresError) in 1 })
    #expect(try !dictionaries.areReadByAll(at: now + .milliseconds(999)) { () throws(PostgresError) in 0 })
    #expect(try dictionaries.areReadByAll(at: now + .seconds(1)) { () throws(PostgresError) in 0 })
    #expect(try dictionaries.areReadByAll(at: now + .seconds(9)) { () throws(PostgresError) in 1 })
    dictionaries.forget()
    #expect(try !dictionaries.areReadByAll(at: now + .seconds(9)) { () throws(PostgresError) in 1 })
  }

  /// What would put `#` in place of a byte.
  private func damage(_ column: String) -> String { "\(column) = overlay(\(column) PLACING '#' FROM 100)" }

  /// A bit that changes in what many messages need changes none of them.
  @Test(arguments: ["bytes", "copy"]) func sendsEverythingWithEitherCopy(_ column: String) async throws {
    let template = SampleTemplate("new_message")
    let store = try queue.open()
    try await store.enqueue([given(template, "a"), given(template, "b")])
    try queue.query("UPDATE dragoman_message_dictionaries SET \(damage(column))")
    let other = try queue.open()
    try await other.enqueue([given(template, "c")])
    #expect(try await other.claim().map(\.message) == ["a", "b", "c"].map(template.message))
    #expect(try wholeCount() == "0")
  }

  @Test func endsOnlyWhatNeedsADamagedDictionary() async throws {
    let (damaged, whole) = (SampleTemplate("new_message"), SampleTemplate("order_shipped"))
    let store = try queue.open()
    let sent = [given(damaged), given(whole), given(damaged), given(whole)]
    try await store.enqueue(sent)
    try queue.query(
      """
      UPDATE dragoman_message_dictionaries SET \(damage("bytes")), \(damage("copy"))
      WHERE key = \(damaged.dictionary.key)
      """)
    let other = try queue.open()
    #expect(try await other.claim().map(\.notification) == [sent[1].id, sent[3].id])
    #expect(try await other.counts() == [.failed: 2, .sending: 2])
    // The next message repairs it, with which a retry can read the others.
    try await other.enqueue([given(damaged)])
    _ = try await other.retry(sent[0].id)
    #expect(try await other.claim().map(\.message) == [sent[0].message, sent[0].message])
  }

  /// A damaged delta fails the notification's checksum, or is none at all.
  @Test(arguments: [2, 20]) func endsWhatHasADamagedDelta(_ place: Int) async throws {
    let template = SampleTemplate("new_message")
    let store = try queue.open()
    let sent = [given(template, "María José Carreño"), given(template, "Bob")]
    try await store.enqueue(sent)
    try queue.query(
      """
      UPDATE dragoman_notifications SET message = overlay(message PLACING '#' FROM \(place))
      WHERE id = '\(sent[0].id)'
      """)
    #expect(try await store.claim().map(\.notification) == [sent[1].id])
    #expect(try await store.counts() == [.failed: 1, .sending: 1])
  }

  @Test func leavesAnotherDictionaryOfTheSameKey() async throws {
    let (template, other) = (SampleTemplate("new_message"), SampleTemplate("order_shipped"))
    let dictionaries = PostgresDictionaries()
    let new = given(template)
    #expect(dictionaries.unrecorded(of: [new, new]).count == 1)
    dictionaries.note(template.dictionary, isUsable: false)
    #expect(dictionaries.stored(new, row: 1).dictionary == nil)
    dictionaries.note(template.dictionary, isUsable: true)
    #expect(dictionaries.stored(new, row: 1).dictionary == template.dictionary.key)
    #expect(dictionaries.stored(given(other), row: 1).dictionary == nil)
  }

  @Test func recordsADictionaryAgainAfterAnHour() throws {
    let dictionaries = PostgresDictionaries()
    let new = given(SampleTemplate("new_message"))
    let dictionary = try #require(new.dictionary)
    let now = ContinuousClock.now
    dictionaries.note(dictionary, isUsable: true, at: now)
    #expect(dictionaries.unrecorded(of: [new], at: now + .seconds(3_599)).isEmpty)
    #expect(dictionaries.unrecorded(of: [new], at: now + .seconds(3_600)).count == 1)
    dictionaries.forget()
    #expect(dictionaries.unrecorded(of: [new], at: now).count == 1)
  }

  /// As if nobody had recorded them for more than a day.
  private func age() throws {
    try queue.query("UPDATE dragoman_message_dictionaries SET used_at = used_at - INTERVAL '25 hours'")
  }

  @Test func removesADictionaryWithTheLastMessageThatNeedsIt() async throws {
    let (old, new) = (SampleTemplate("new_message"), SampleTemplate("order_shipped"))
    let store = try queue.open()
    try await store.enqueue([given(old), given(new)])
    let claimed = try await store.claim()
    try await store.settle(claimed[0].id, .sent(messageName: "n"))
    #expect(try await store.pruneAll(endedBy: start).notifications == 1)
    // It was recorded only now.
    #expect(try dictionaryCount() == "2")
    try age()
    #expect(try await store.pruneAll(endedBy: start).notifications == 0)
    // Other notifications of that time are there.
    #expect(try dictionaryCount() == "2")
    // A gateway that uses one keeps it.
    let other = try queue.open()
    let next = given(new, "next")
    try await other.enqueue([next])
    try await store.settle(claimed[1].id, .sent(messageName: "n"))
    #expect(try await store.pruneAll(endedBy: start).notifications == 1)
    #expect(
      try queue.query("SELECT key FROM dragoman_message_dictionaries") == "\(new.dictionary.key)")
    #expect(try await store.claim().map(\.message) == [next.message])
  }

  /// A server that takes the place of another may lack what was recorded last.
  @Test func recordsADictionaryAgainAfterTheConnectionWasLost() async throws {
    let template = SampleTemplate("new_message")
    let store = try queue.open(parameters: "&application_name=\(queue.schema)")
    try await store.enqueue([given(template, "a")])
    try queue.query("DELETE FROM dragoman_message_dictionaries; DELETE FROM dragoman_deliveries")
    try queue.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(queue.schema)'")
    let again = given(template, "b")
    try await eventually {
      do { try await store.enqueue([again]) } catch is OutboxError { return false }
      return true
    }
    #expect(try dictionaryCount() == "1")
    #expect(try await store.claim().map(\.message) == [again.message])
  }
}
