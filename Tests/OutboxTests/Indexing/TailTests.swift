import Clock
import FCMMessage
import Foundation
import JSON
import Telemetry
import TestSupport
import Testing

@testable import Outbox

/// The newest notifications, which no index has yet.
@Suite struct TailTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ path: String? = nil, tail: Int = 1_024, clientDepthMax: Int = .max
  ) throws
    -> SQLiteOutboxStore
  {
    var configuration = OutboxConfiguration()
    configuration.tailDeliveriesMax = tail
    configuration.indexedDeliveriesMin = 2
    configuration.clientDepthMax = clientDepthMax
    return try SQLiteOutboxStore(
      path: path ?? folder.database, configuration: configuration, log: .silent, clock: { start })
  }

  /// Several in one transaction, one at a time, and one too large for one transaction.
  private func accept(in store: SQLiteOutboxStore) async throws -> [NewNotification] {
    var given = (0..<9).map {
      notification(client: $0 % 3 == 0 ? "orders" : nil, target: .token("t-\($0 % 4)"))
    }
    try await store.enqueue(given)
    for number in 9..<20 {
      let new = notification(
        sendAt: number == 12 ? start.plus(seconds: 60) : nil, client: number % 3 == 0 ? "orders" : nil,
        target: .token("t-\(number % 4)"))
      given.append(new)
      try await store.enqueue([new])
    }
    let large = (20..<24).map { _ in notification(count: 300, client: "bulk") }
    try await store.enqueue(large)
    return given + large
  }

  private func expect(
    _ given: [NewNotification], in store: SQLiteOutboxStore, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    for new in given {
      let stored = try #require(try await store.notification(new.id), sourceLocation: location)
      #expect(stored.id == new.id, sourceLocation: location)
      let areNamed = stored.deliveries.map { $0.messageName != nil }
      #expect(areNamed == stored.deliveries.map { $0.state == .sent }, sourceLocation: location)
    }
    let newest = Array(given.reversed())
    #expect(try await store.listAll(limit: 7) == newest.map(\.id), sourceLocation: location)
    for client in ["orders", "bulk"] {
      let wanted = newest.filter { $0.client == client }.map(\.id)
      let filter = NotificationFilter(owner: .client(client))
      #expect(try await store.listAll(filter, limit: 2) == wanted, sourceLocation: location)
    }
    for number in 0..<4 {
      let target = Target.token("t-\(number)")
      let wanted = newest.filter { $0.deliveries.contains { $0.target == target } }.map(\.id)
      #expect(
        try await store.listAll(NotificationFilter(target: target), limit: 2) == wanted,
        sourceLocation: location)
    }
  }

  /// Whatever the length of the tail, and after a crash, everything is found, counted and sent.
  @Test(arguments: [0, 1, 6, 1_024]) func isPartOfTheQueue(length: Int) async throws {
    let store = try open(tail: length)
    let given = try await accept(in: store)
    try await expect(given, in: store)
    let waiting = given.reduce(0) { $0 + $1.deliveries.count } - 1
    #expect(try await store.counts() == [.queued: waiting, .scheduled: 1])
    let some = try await store.claim(limit: 15)
    try await store.settle(
      some.enumerated().map { index, delivery in
        Settlement(
          delivery: delivery.id, at: start,
          result: index % 3 == 0
            ? .retry(at: start.plus(seconds: 5), error: refusal)
            : index % 3 == 1 ? .sent(messageName: "n") : .failed(error: refusal))
      })
    let counts = try await store.counts()
    #expect(counts[.sent] == 5)
    #expect(counts[.queued] == waiting - 10)

    for path in [try folder.crashed(), folder.database] {
      if path == folder.database { await store.close() }
      let survivor = try open(path, tail: 6, clientDepthMax: 1_211)
      try await expect(given, in: survivor)
      #expect(try await survivor.counts() == counts)
      // Each client has what it had: 1,200 deliveries, of which none has ended yet, and eleven more.
      try await survivor.enqueue([notification(count: 11, client: "bulk")])
      await #expect(throws: OutboxError.self) {
        try await survivor.enqueue([notification(client: "bulk")])
      }
      #expect(try await survivor.nextDue() == start)
      #expect(try await survivor.claim(limit: 5_000).count == waiting - 15 + 11)
      #expect(try await survivor.claim(limit: 5_000, now: start.plus(seconds: 60)).count == 6)
      await survivor.close()
      let connection = try SQLiteConnection(path: path)
      #expect(try connection.text("PRAGMA integrity_check") == "ok")
      #expect(
        try connection.integer(
          """
          SELECT count(*) FROM deliveries WHERE state = 7
            AND row >> 12 <= (SELECT value FROM marks WHERE name = 'indexed')
          """) == 0)
    }
  }

  /// The callers of a transaction wait for what it indexes, so it indexes little, and not what is newest.
  @Test func isIndexedInSmallParts() async throws {
    let store = try open(tail: 6)
    let connection = try SQLiteConnection(path: folder.database)
    var (indexed, parts): (Int64, [Int64]) = (0, [])
    for number in 1...20 {
      try await store.enqueue([notification()])
      let mark = try #require(try connection.integer("SELECT value FROM marks WHERE name = 'indexed'"))
      if mark > indexed { parts.append(mark - indexed) }
      indexed = mark
      #expect(indexed <= max(0, number - 5))
      #expect(indexed >= number - 6)
    }
    #expect(parts == Array(repeating: 2, count: 7))
    // What does not fit beside a long tail is indexed at once.
    try await store.enqueue([notification(count: 9)])
    try await store.enqueue([notification()])
    #expect(try connection.integer("SELECT value FROM marks WHERE name = 'indexed'") == 21)
    await store.close()
  }

  @Test(arguments: [0, 1_024]) func refusesAnIDThatItHas(length: Int) async throws {
    let store = try open(tail: length)
    let given = (0..<3).map { _ in notification() }
    try await store.enqueue(given)
    try await store.enqueue([notification()])
    for new in given {
      await #expect(throws: OutboxError.self) { try await store.enqueue([new]) }
    }
    await #expect(throws: OutboxError.self) {
      let new = notification()
      try await store.enqueue([new, new])
    }
    #expect(try await store.counts() == [.queued: 4])
    let fresh = notification()
    try await store.enqueue([fresh])
    #expect(try await store.notification(fresh.id) != nil)
    await store.close()
  }

  /// Each page costs 4 KiB on disk, for a message of about one.
  @Test func aSmallCommitWritesFewPages() async throws {
    let store = try open()
    let log = { () throws -> Int in
      try FileManager.default.attributesOfItem(atPath: folder.database + "-wal")[.size] as? Int ?? 0
    }
    let before = try log()
    for _ in 0..<60 {
      try await store.enqueue([notification()])
      let delivery = try #require(try await store.claim().first)
      try await store.settle(delivery.id, .sent(messageName: "projects/p/messages/1"))
    }
    // A page of each table for the message, one for its outcome, and some new ones.
    let pages = Double(try log() - before) / 4_120 / 60
    #expect(pages < 4)
    await store.close()
  }

  /// What earlier versions wrote into the index has to be found and removed.
  @Test(arguments: [
    "", "a", "1234567", "12345678", String(repeating: "x", count: 163) + "12345678", "é", "ab\u{0301}c",
    String(repeating: "日", count: 40), String(repeating: "😀", count: 7), String(repeating: "😀", count: 9),
    "topic-😀é日a", String(repeating: "aé日😀", count: 5),
  ])
  func endingOfATarget(_ target: String) throws {
    let connection = try SQLiteConnection(path: ":memory:")
    let statement = try connection.prepare(
      "SELECT \(SQLiteSchema.targetEnding("?1")), substr(?1, -\(RowLayout.indexedCharacters))")
    try statement.bind(1, target)
    #expect(try statement.step())
    #expect(statement.text(0) == String(String.UnicodeScalarView(target.unicodeScalars.suffix(8))))
    #expect(statement.text(0) == statement.text(1))
  }
}
