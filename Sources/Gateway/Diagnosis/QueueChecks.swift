internal import Foundation
internal import Outbox
internal import QueueRepair
internal import SQL

extension GatewayConfiguration.Queue {
  /// A larger file takes too long to verify.
  private static let verifiedBytesMax: Int64 = 256 << 20

  /// The checks of the queue and of its disk. May take seconds.
  var checks: [Diagnosis.Check] {
    switch store {
    case .sqlite(let path): [Self.check(ofFile: path), Self.diskCheck(path)]
    case .postgres(let url):
      [
        Self.check(of: url),
        .skipped(.disk, "the queue is in PostgreSQL; watch the disk of its server"),
      ]
    }
  }

  /// Why the files of a queue in SQLite cannot be used; nil if they can, or do not exist yet.
  static func accessProblem(_ path: String) -> String? {
    let files = [FileAccess.existingFolder(of: path), path, path + "-lock", path + "-wal", path + "-shm"]
    return files.lazy.compactMap(FileAccess.problem).first
  }

  private static func check(ofFile path: String) -> Diagnosis.Check {
    if let problem = accessProblem(path) {
      return .failed(
        .queue, problem,
        help: "Run the command as the gateway's user, or give the file to that user with chown.")
    }
    var status = stat()
    guard stat(path, &status) == 0 else {
      return .ok(.queue, "\(path) does not exist yet; the gateway makes it")
    }
    guard status.st_size <= verifiedBytesMax else {
      return .ok(
        .queue,
        "\(path) has \(status.st_size >> 20) MiB; `dragoman queue check` verifies it while the gateway is stopped"
      )
    }
    do throws(QueueRepairError) {
      let report = try DamagedQueue(path: path).check()
      guard report.damage.count == 0 else {
        return .failed(
          .queue, "\(path) is damaged\n\(report.text)",
          help: "See \"A damaged queue\" in docs/operations.md, which begins with `dragoman queue check`.")
      }
      return .ok(.queue, "\(path): \(report.text)")
    } catch {
      guard error.code == .refused else {
        return .failed(
          .queue, error.description, help: "Look for errors of the disk with `dmesg`, and try again.")
      }
      // A gateway has it open, or it has no tables yet.
      return .ok(.queue, error.description)
    }
  }

  private static func check(of url: PostgresURL) -> Diagnosis.Check {
    do throws(DatabaseError) {
      _ = try PostgresConnection(url).run("SELECT 1", [])
      return .ok(.queue, "\(url.printed) answers")
    } catch {
      return .failed(
        .queue, "\(url.printed): \(error.message)",
        help: "Try `psql` with the same URL, from the same machine and as the same user.")
    }
  }

  private static func diskCheck(_ path: String) -> Diagnosis.Check {
    let folder = FileAccess.existingFolder(of: path)
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else {
      return .failed(
        .disk, "\(folder): \(String(cString: strerror(errno)))",
        help: "Look for errors of the disk with `dmesg`, and try again.")
    }
    func bytes(_ blocks: fsblkcnt_t) -> Int64 {
      let (bytes, overflow) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(status.f_frsize))
      return overflow ? .max : Int64(clamping: bytes)
    }
    let space = OutboxDiskSpace(freeBytes: bytes(status.f_bavail), totalBytes: bytes(status.f_blocks))
    let detail = "\(space.freeBytes >> 20) MiB of \(space.totalBytes >> 20) MiB are free in \(folder)"
    guard !space.isLow else {
      return .failed(.disk, detail, help: "Free some space: a queue on a full disk accepts nothing.")
    }
    return .ok(.disk, detail)
  }
}
