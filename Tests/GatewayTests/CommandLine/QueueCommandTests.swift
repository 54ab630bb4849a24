import Foundation
import JSON
import Outbox
import Telemetry
import TestSupport
import Testing

/// `dragoman queue` as a process.
@Suite(.blocking) struct QueueCommandTests {
  private let folder: TemporaryFolder
  private var path: String { "\(folder.path)/queue.db" }

  init() async throws {
    folder = try TemporaryFolder()
    let store = try DurableOutboxStore(path: "\(folder.path)/queue.db", log: .silent)
    await store.close()
  }

  @Test func checksAndSalvagesAnIntactQueue() throws {
    let checked = try DragomanProcess.run(["queue", "check", "--url", "sqlite:\(path)"])
    #expect(checked.status == 0, "\(checked.errors)")
    #expect(checked.output.hasPrefix("no damage; verified: 0 notifications with 0 deliveries"))
    let new = "\(folder.path)/new.db"
    let salvaged = try DragomanProcess.run(
      ["queue", "salvage", new, "--format", "json"], environment: ["DRAGOMAN_QUEUE_URL": "sqlite:\(path)"])
    #expect(salvaged.status == 0, "\(salvaged.errors)")
    let report = try JSON.parse(Array(salvaged.output.utf8))
    #expect(report["lost"] == [])
    #expect(report["kept"]?["deliveries"] == 0)
    #expect(FileManager.default.fileExists(atPath: new))
  }

  @Test func listsDamage() throws {
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[20] ^= 1
    try bytes.write(to: URL(filePath: path))
    let text = try DragomanProcess.run(["queue", "check", "--url", "sqlite:\(path)"])
    #expect(text.status == 1)
    #expect(text.output.hasPrefix("page 1: the database's header has a value that no queue has\nverified: "))
    let json = try DragomanProcess.run(["queue", "check", "--url", "sqlite:\(path)", "--format=json"])
    #expect(json.status == 1)
    let damage = try JSON.parse(Array(json.output.utf8))["damage"]?.array
    #expect(damage?.count == 1)
    #expect(damage?.first?["page"] == 1)
  }

  @Test(arguments: [
    (["queue"], "missing argument; use one of check, salvage"),
    (["queue", "chek"], "unknown action chek; did you mean check?"),
    (["queue", "check", "x"], "unexpected argument x"),
    (["queue", "check"], "--url is missing"),
    (["queue", "salvage"], "missing argument; name the new queue's file"),
    (["queue", "check", "--url", "queue.db"], "--url must be sqlite:PATH or postgres://"),
    (["queue", "check", "--url", "sqlite:/nowhere.db"], "/nowhere.db: cannot be opened: no such file"),
    (["queue", "salvage", "new.db", "--url", "postgres://u:s3cret@h/q"], "with pg_dump"),
    (["queue", "check", "--url", "postgres://u:s3cret@127.0.0.1:1/q"], "postgres://u@127.0.0.1:1/q: "),
  ])
  func exitsWith2ForWhatCannotBeChecked(_ arguments: [String], _ message: String) throws {
    let result = try DragomanProcess.run(arguments)
    #expect(result.status == 2)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(!result.errors.contains("s3cret"))
  }
}
