import Clock
import FCMMessage
import Telemetry
import TestSupport
import Testing

@testable import Outbox

/// FCM's names of messages in a queue in SQLite, which stores once what all names of a project begin with.
@Suite struct MessageNameTests: SQLiteQueueTests {
  let folder: TemporaryFolder
  let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private func prefixCount() throws -> Int64? { try integer("SELECT count(*) FROM message_name_prefixes") }

  /// The number of names that are stored with a prefix.
  private func shortenedCount() throws -> Int64? {
    try integer(
      "SELECT count(*) FROM deliveries WHERE typeof(message_name) = 'blob' AND message_name > zeroblob(999)")
  }

  /// Accepts a notification, and records that its deliveries were sent with these names.
  private func send(_ names: [String], _ store: SQLiteOutboxStore) async throws -> NotificationID {
    let new = notification(count: names.count)
    try await store.enqueue([new])
    let claimed = try await store.claim(limit: names.count)
    try await store.settle(settlements(of: claimed, names))
    return new.id
  }

  private func settlements(of claimed: [ClaimedDelivery], _ names: [String]) -> [Settlement] {
    zip(claimed, names).map {
      Settlement(delivery: $0.id, at: start, result: .sent(messageName: $1))
    }
  }

  private func names(of id: NotificationID, _ store: SQLiteOutboxStore) async throws -> [String?] {
    try #require(try await store.notification(id)).deliveries.map(\.messageName)
  }

  /// A name as FCM gives them.
  private func name(_ number: Int, project: String = "my-project") -> String {
    "projects/\(project)/messages/0:150041531445527\(number % 10)%31bd1c9631bd1c96"
  }

  @Test func storesAPrefixOnce() async throws {
    let given = [0, 1, 2].flatMap { [name($0), name($0, project: "other")] }
    let store = try open()
    store.logOutcomes([.sent])
    let id = try await send(given, store)
    #expect(try await names(of: id, store) == given)
    #expect(try await store.webhookEvents().events.map(\.outcome?.messageName) == given)
    #expect(try await store.list().notifications[0].deliveries.map(\.messageName) == given)
    #expect(try prefixCount() == 2)
    #expect(try integer("SELECT max(length(message_name)) FROM deliveries") == 36)
    await store.close()

    let reopened = try open()
    reopened.logOutcomes([.sent])
    #expect(try await names(of: id, reopened) == given)
    let more = [name(7, project: "other"), name(8, project: "third"), name(9)]
    let next = try await send(more, reopened)
    let survivor = try open(try folder.crashed())
    for store in [reopened, survivor] {
      #expect(try await names(of: id, store) == given)
      #expect(try await names(of: next, store) == more)
      #expect(try await store.webhookEvents().events.map(\.outcome?.messageName) == given + more)
    }
    #expect(try prefixCount() == 3)
    #expect(try shortenedCount() == 9)
    await survivor.close()
    await reopened.close()
  }

  @Test func storesOtherNamesWhole() async throws {
    let long = String(repeating: "p", count: StoredMessageNames.prefixBytesMax)
    let given = [
      "", "n", "/", "a/b", "projects/p/messages", "projects/p/topics/1", "projects/\(long)/messages/1",
    ]
    let store = try open()
    store.logOutcomes([.sent])
    let id = try await send(given, store)
    #expect(try await names(of: id, store) == given)
    #expect(try await store.webhookEvents().events.map(\.outcome?.messageName) == given)
    #expect(try prefixCount() == 0)
    #expect(try integer("SELECT count(*) FROM deliveries WHERE typeof(message_name) = 'text'") == 7)

    let unusual = ["projects/p/messages/", "projects/é/messages/é\u{0}x", "projects/a/b/messages/1"]
    let next = try await send(unusual, store)
    #expect(try await names(of: next, store) == unusual)
    #expect(try prefixCount() == 3)
    await store.close()
  }

  @Test func storesTheNamesOfFurtherProjectsWhole() async throws {
    let given = (0..<300).map { name($0, project: "project-\($0)") }
    let store = try open()
    let id = try await send(given, store)
    #expect(try await names(of: id, store) == given)
    #expect(try prefixCount() == Int64(StoredMessageNames.prefixesMax))
    #expect(try shortenedCount() == Int64(StoredMessageNames.prefixesMax))
    await store.close()

    let reopened = try open()
    let more = [name(1, project: "project-299"), name(1, project: "project-254"), name(1, project: "new")]
    let next = try await send(more, reopened)
    #expect(try await names(of: id, reopened) == given)
    #expect(try await names(of: next, reopened) == more)
    #expect(try prefixCount() == Int64(StoredMessageNames.prefixesMax))
    #expect(try shortenedCount() == Int64(StoredMessageNames.prefixesMax) + 1)
    await reopened.close()
  }

  /// What a failed transaction has added is not there for the next one, whose prefix gets the same key.
  @Test func addsAPrefixAgainAfterAFullDisk() async throws {
    let store = try open()
    let first = try await send([name(0)], store)
    let new = notification(count: 200)
    try await store.enqueue([new])
    let claimed = try await store.claim(limit: 200)
    // So long that they do not fit into the existing pages.
    let rest = String(repeating: "x", count: 300)
    let given = (0..<200).map { "projects/project-\($0 % 5)/messages/\($0)\(rest)" }
    await store.limitPages(to: 1)
    await #expect(throws: OutboxError.self) { try await store.settle(settlements(of: claimed, given)) }
    #expect(try prefixCount() == 1)
    await store.limitPages(to: 0)
    let second = try await send([name(1, project: "project-4"), name(2)], store)
    try await store.settle(settlements(of: claimed, given))
    #expect(try prefixCount() == 6)
    let survivor = try open(try folder.crashed())
    for store in [store, survivor] {
      #expect(try await names(of: first, store) == [name(0)])
      #expect(try await names(of: second, store) == [name(1, project: "project-4"), name(2)])
      #expect(try await names(of: new.id, store) == given)
    }
    await survivor.close()
    await store.close()
  }

  /// A delivery has room for a name as long as the one before it.
  @Test func storesNamesThatAreLongerOrShorterThanTheRoom() async throws {
    let store = try open()
    let room = { try integer("SELECT length(message_name) FROM deliveries ORDER BY row DESC LIMIT 1") }
    var sent: [(id: NotificationID, name: String)] = []
    for length in [36, 35, 1, 0, 400, 36, 90] {
      let name = "projects/p/messages/" + String(repeating: "7", count: length)
      let waiting = notification()
      try await store.enqueue([waiting])
      if let last = sent.last {
        #expect(try room() == Int64(min(last.name.utf8.count - 19, 256)))
      }
      #expect(try await names(of: waiting.id, store) == [nil])
      let claimed = try await store.claim()
      try await store.settle(claimed[0].id, .sent(messageName: name))
      sent.append((waiting.id, name))
    }
    for (id, name) in sent { #expect(try await names(of: id, store) == [name]) }
    await store.close()
    #expect(try SQLiteConnection(path: folder.database).text("PRAGMA integrity_check") == "ok")
  }

  @Test func showsNoNameWithoutItsPrefix() async throws {
    let store = try open()
    let id = try await send([name(0), name(1, project: "other")], store)
    await store.close()
    try execute("DELETE FROM message_name_prefixes WHERE prefix = 'projects/other/messages/'")
    let damaged = try open()
    damaged.logOutcomes([.sent])
    #expect(try await names(of: id, damaged) == [name(0), nil])
    // The next name of that project brings it again.
    let next = try await send([name(2, project: "other")], damaged)
    #expect(try await names(of: next, damaged) == [name(2, project: "other")])
    #expect(try await names(of: id, damaged) == [name(0), name(1, project: "other")])
    await damaged.close()
  }

  /// Four deliveries to registration tokens fit into a page of 1 KiB, before and after they are sent.
  @Test func fourDeliveriesShareAPage() async throws {
    let store = try open()
    _ = try await send([name(0)], store)
    let base = notification()
    let new = NewNotification(
      id: base.id, app: base.app, template: base.template, client: base.client, createdAt: base.createdAt,
      sendAt: nil, expiresAt: base.expiresAt, priority: base.priority, message: base.message,
      deliveries: (1000..<1400).map {
        (DeliveryID(UUIDv7()), .token("\($0)" + String(repeating: "x", count: 138)))
      })
    let pages = { try #require(try integer("PRAGMA page_count")) }
    let before = try pages()
    try await store.enqueue([new])
    let waiting = try pages()
    let claimed = try await store.claim(limit: 400)
    try await store.settle(settlements(of: claimed, (0..<400).map { name($0) }))
    // Of 100 leaves, an inner page has at least 50.
    #expect(waiting - before <= 104)
    #expect(try pages() == waiting)
    await store.close()
  }

  /// The time to live is stored only where the other times do not give it.
  @Test func storesTheTimeToLiveOfScheduledNotifications() async throws {
    let store = try open()
    let sendAt = start.plus(seconds: 60)
    let plain = notification(ttlMilliseconds: 90_000)
    let scheduled = notification(sendAt: sendAt, ttlMilliseconds: 90_000)
    try await store.enqueue([plain, scheduled])
    #expect(try integer("SELECT count(*) FROM notifications WHERE ttl IS NULL") == 1)
    #expect(try integer("SELECT ttl FROM notifications WHERE ttl NOT NULL") == 30_000)
    await store.close()

    let reopened = try open()
    let claimed = try await reopened.claim(now: sendAt)
    #expect(claimed.map(\.dueSince) == [start, sendAt])
    for delivery in claimed { try await reopened.settle(delivery.id, at: sendAt, .failed(error: refusal)) }
    let later = start.plus(seconds: 100)
    for id in [plain.id, scheduled.id] { _ = try await reopened.retry(id, now: later) }
    let again = try await reopened.claim(now: later)
    #expect(again.map(\.expiresAt) == [later.plus(seconds: 90), later.plus(seconds: 30)])
    await reopened.close()
  }
}
