import Foundation
import Outbox
import SQL
import Telemetry
import TestSupport
import Testing

@testable import QueueRepair

/// What is refused, with the reason.
@Suite struct RefusalTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/queue.db" }

  init() throws { folder = try TemporaryFolder() }

  private func refusal() throws -> String {
    let error = try #require(throws: QueueRepairError.self) { try DamagedQueue(path: path).check() }
    #expect(error.code == .refused)
    return error.description
  }

  @Test func refusesWhatIsNoQueue() throws {
    #expect(try refusal().hasSuffix("cannot be opened: no such file"))
    try folder.write("", to: "queue.db")
    #expect(try refusal().contains("is empty"))
    try folder.write(String(repeating: "no database ", count: 1_000), to: "queue.db")
    #expect(try refusal().contains("a database of another program"))
    try FileManager.default.removeItem(atPath: path)
    try SQLiteConnection(path: path).execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    #expect(try refusal().contains("a database of another program"))
  }

  @Test func refusesANewerQueue() async throws {
    let store = try DurableOutboxStore(path: path, log: .silent)
    await store.close()
    try SQLiteConnection(path: path).execute("PRAGMA user_version = 2; CREATE TABLE dragoman_new (x)")
    // What this version has made is still there: it may only be the number that is wrong.
    #expect(try DamagedQueue(path: path).check().damage.count == 2)
    try SQLiteConnection(path: path).execute("DROP TABLE dragoman_probe")
    #expect(try refusal().contains("written by a newer dragoman (schema 2, this one knows 1)"))
  }

  @Test func refusesAQueueThatAGatewayHasOpen() async throws {
    let store = try DurableOutboxStore(path: path, log: .silent)
    #expect(try refusal() == "a gateway has the queue \(path) open: stop it first")
    await store.close()
    let queue = try DamagedQueue(path: path)
    #expect(try queue.check().damage.count == 0)
    // And the other way round.
    #expect(throws: OutboxError.self) { try DurableOutboxStore(path: path, log: .silent) }
    withExtendedLifetime(queue) {}
  }

  @Test func reportsAMissingLog() async throws {
    let store = try DurableOutboxStore(path: path, log: .silent)
    try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
    try FileManager.default.copyItem(atPath: path + "-lock", toPath: path + ".copy-lock")
    await store.close()
    let damage = try DamagedQueue(path: path + ".copy").check().damage.listed
    #expect(damage.contains { $0.problem.contains("is missing although the queue was not closed") })
  }

  @Test func refusesAnExistingFileToSalvageTo() async throws {
    let store = try DurableOutboxStore(path: path, log: .silent)
    await store.close()
    let queue = try DamagedQueue(path: path)
    for (name, file) in [("new.db", "new.db"), ("other.db", "other.db-wal")] {
      try folder.write("x", to: file)
      let error = #expect(throws: QueueRepairError.self) { try queue.salvage(to: "\(folder.path)/\(name)") }
      #expect(error?.description == "\(folder.path)/\(file) exists already: name a new file")
    }
    let error = #expect(throws: QueueRepairError.self) { try queue.salvage(to: "/nowhere/new.db") }
    #expect(error?.description.contains("No such file or directory") == true)
  }

  @Test func changesNothing() async throws {
    let store = try DurableOutboxStore(path: path, log: .silent)
    await store.close()
    func files() throws -> [String: Data] {
      var files: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
        files[name] = FileManager.default.contents(atPath: "\(folder.path)/\(name)")
      }
      return files
    }
    let before = try files()
    _ = try DamagedQueue(path: path).check()
    #expect(try files() == before)
  }
}
