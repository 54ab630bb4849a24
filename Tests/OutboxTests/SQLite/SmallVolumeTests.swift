import Foundation
import Telemetry
import Testing

@testable import Outbox
@testable import SQL

/// A queue on a volume that is small or full. The volume is a tmpfs, which only root can mount.
@Suite(
  .serialized,
  .enabled(if: TemporaryVolume.isPossible, "only root can mount a volume, so that none of these tests ran"))
struct SmallVolumeTests {
  private let clock = TestClock()

  private func open(_ volume: TemporaryVolume) throws -> DurableOutboxStore {
    let clock = clock
    var configuration = OutboxConfiguration()
    configuration.inspectionIntervalMilliseconds = 10
    return try DurableOutboxStore(
      path: volume.path + "/queue.db", configuration: configuration, log: .silent, clock: { clock.now })
  }

  /// The log used to grow to 32 MB before it was first moved into the database.
  @Test func aLogNeverFillsASmallVolume() async throws {
    let volume = try TemporaryVolume(mebibytes: 24)
    let store = try open(volume)
    for _ in 0..<1_500 { try await store.enqueue([notification(count: 1)]) }
    #expect(store.degradation == nil)
    #expect(try await store.counts() == [.queued: 1_500])
    await store.close()
  }

  /// The log grows while somebody reads an old state, such as a backup.
  @Test func healsWhenALongReadEnds() async throws {
    let volume = try TemporaryVolume(mebibytes: 16)
    let store = try open(volume)
    try await store.enqueue([notification()])
    let reader = try SQLiteConnection(path: volume.path + "/queue.db")
    try reader.execute("BEGIN")
    _ = try reader.integer("SELECT count(*) FROM dragoman_deliveries")
    var accepted = 1
    await #expect(throws: OutboxError.self) {
      while true {
        try await store.enqueue([notification(count: 100)])
        accepted += 100
      }
    }
    #expect(store.degradation?.description.contains("another process reads it") ?? false)
    try reader.execute("COMMIT")
    try await eventually { store.degradation == nil }
    try await store.enqueue([notification()])
    #expect(try await store.counts() == [.queued: accepted + 1])
    await store.close()
  }

  @Test func healsWhenAFullVolumeHasSpaceAgain() async throws {
    let volume = try TemporaryVolume(mebibytes: 24)
    let store = try open(volume)
    var accepted = 0
    for _ in 0..<50 {
      try await store.enqueue([notification(count: 10)])
      accepted += 10
    }
    try volume.fill()
    await #expect(throws: OutboxError.self) {
      while true {
        try await store.enqueue([notification(count: 100)])
        accepted += 100
      }
    }
    #expect(store.degradation?.code == .unavailable)
    // What is queued is settled although nothing more is accepted.
    try await eventually { store.degradation?.description.contains("disk is full") ?? false }
    let ids = try await store.claim(limit: 500).map(\.id)
    #expect(ids.count == 500)
    try await eventually {
      do {
        try await store.settle(
          ids.map { SettledDelivery($0, at: start, .sent(messageName: "n")) })
        return true
      } catch {
        return false
      }
    }
    #expect(try await store.counts()[.sent] == 500)
    try volume.empty()
    try await eventually { store.degradation == nil }
    try await store.enqueue([notification()])
    #expect(try await store.counts() == [.sent: 500, .queued: accepted - 500 + 1])
    await store.close()
  }

  @Test func opensAndSettlesOnAVolumeThatIsFullAtStart() async throws {
    let volume = try TemporaryVolume(mebibytes: 24)
    var store = try open(volume)
    for _ in 0..<50 { try await store.enqueue([notification(count: 10)]) }
    await store.close()
    try volume.fill()
    store = try open(volume)
    // From the start: a gateway that rejects notifications does not report itself as ready.
    #expect(store.degradation != nil)
    #expect(try await store.counts() == [.queued: 500])
    await #expect(throws: OutboxError.self) { try await store.enqueue([notification()]) }
    let ids = try await store.claim(limit: 500).map(\.id)
    try await store.settle(ids.map { SettledDelivery($0, at: start, .sent(messageName: "n")) })
    try volume.empty()
    try await eventually { store.degradation == nil }
    try await store.enqueue([notification()])
    await store.close()
  }

  @Test func reportsTheSpaceBeforeItIsTooLate() async throws {
    let volume = try TemporaryVolume(mebibytes: 24)
    let store = try open(volume)
    try await eventually { store.diskSpace?.isLow == false }
    try volume.fill(except: 3)
    try await eventually { store.diskSpace?.isLow == true }
    #expect(store.degradation == nil)
    try await store.enqueue([notification()])
    await store.close()
  }
}

/// A file system of a given size, which goes with its test.
final class TemporaryVolume: Sendable {
  static let isPossible = getuid() == 0 && (try? TemporaryVolume(mebibytes: 1)) != nil

  struct MountError: Error {}

  let path: String

  init(mebibytes: Int) throws {
    path = FileManager.default.temporaryDirectory.appending(path: "volume-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(mebibytes)m") == 0 else {
      rmdir(path)
      throw MountError()
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
  }

  /// Uses up the space, except for some mebibytes of it.
  func fill(except mebibytes: Int = 0) throws {
    let file = fopen(path + "/filler", "w")
    defer { fclose(file) }
    setvbuf(file, nil, _IONBF, 0)
    let block = [UInt8](repeating: 1, count: 4_096)
    while fwrite(block, 1, block.count, file) == block.count {}
    if mebibytes > 0 {
      var status = stat()
      fstat(fileno(file), &status)
      ftruncate(fileno(file), max(0, status.st_size - mebibytes << 20))
    }
  }

  func empty() throws { try FileManager.default.removeItem(atPath: path + "/filler") }
}
