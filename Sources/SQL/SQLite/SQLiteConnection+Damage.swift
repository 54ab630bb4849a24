import CSQLite
import Glibc

extension SQLiteConnection {
  /// Fewer reads of a small database say little about a disk on which some reads fail.
  private static let readsMin = 512
  /// 256 MiB.
  private static let readsMax = 65_536
  private static let blockBytes = 4_096

  /// Whether the database and its log can be read without an error: all of it if it is not too large, and a
  /// small one several times.
  ///
  /// SQLite reports a read that fails with EIO as damage (`SQLITE_IOERR_CORRUPTFS` becomes `SQLITE_CORRUPT`
  /// in its VDBE), so that only reads beside its statements tell the two apart. They go through SQLite's own
  /// files, since to close another descriptor would release its locks (fcntl(2)).
  package func readsWithoutError() -> Bool {
    // The log is opened with the first statement.
    _ = try? execute("SELECT count(*) FROM sqlite_schema")
    let files = [SQLITE_FCNTL_FILE_POINTER, SQLITE_FCNTL_JOURNAL_POINTER].compactMap(file)
    guard !files.isEmpty else { return false }
    var count = 0
    repeat {
      for file in files {
        guard let read = Self.readAll(file, atMost: Self.readsMax - count) else { return false }
        // A database without pages was never written.
        count += max(read, 1)
      }
    } while count < Self.readsMin
    return true
  }

  private func file(_ kind: Int32) -> UnsafeMutablePointer<sqlite3_file>? {
    var file: UnsafeMutablePointer<sqlite3_file>?
    guard sqlite3_file_control(handle, "main", kind, &file) == SQLITE_OK, let file,
      file.pointee.pMethods != nil
    else { return nil }
    return file
  }

  /// How many reads there were; nil if one failed.
  private static func readAll(_ file: UnsafeMutablePointer<sqlite3_file>, atMost limit: Int) -> Int? {
    guard let methods = file.pointee.pMethods?.pointee, let size = methods.xFileSize, let read = methods.xRead
    else { return nil }
    var bytes: sqlite3_int64 = 0
    guard size(file, &bytes) == SQLITE_OK else { return nil }
    var block = [UInt8](repeating: 0, count: blockBytes)
    var count = 0
    for offset in stride(from: 0, to: bytes, by: blockBytes) where count < limit {
      let code = block.withUnsafeMutableBytes { read(file, $0.baseAddress, Int32(blockBytes), offset) }
      guard code == SQLITE_OK || Int(code) == dragoman_sqlite_ioerr_short_read else { return nil }
      count += 1
    }
    return count
  }
}

// MARK: - What looks like damage

extension SQLiteConnection {
  /// How often opening a database is tried before an error of reading or writing ends it, and the first pause
  /// between; each is longer than the one before, and all are 4.2 s.
  private static let triesMax = 7
  private static let pauseMicroseconds: UInt32 = 200_000

  /// Checks all pages of the database; throws what SQLite finds.
  package func checkPages() throws(DatabaseError) {
    guard let finding = try text("PRAGMA quick_check(1)"), finding != "ok" else { return }
    throw .finding(finding)
  }

  /// Calls `open` for a database, again where it fails.
  ///
  /// What fails to be read or written is tried again: one such error says nothing about the next. So is what
  /// looks like damage, because SQLite often calls it damage when a read fails; it is damage, and thrown, if
  /// it is found again in the same place while the files can be read without an error. If all tries fail, the
  /// error is `readOrWrite`.
  package static func opening<Opened>(
    _ path: String, _ open: () throws(DatabaseError) -> Opened
  ) throws(DatabaseError) -> Opened {
    var tries = 1
    var finding: String?
    while true {
      do throws(DatabaseError) {
        return try open()
      } catch {
        let isCertain = error.kind == .damage && readsWithoutError(path)
        if isCertain, error.message == finding { throw error }
        guard error.kind == .readOrWrite || error.kind == .sync || error.kind == .damage else { throw error }
        guard tries < triesMax else {
          let code = error.code.map { ", \($0)" } ?? ""
          let reason = error.kind == .damage && !isCertain ? "some reads fail" : "\(error.message)\(code)"
          throw DatabaseError(.readOrWrite, message: reason)
        }
        finding = isCertain ? error.message : nil
        usleep(pauseMicroseconds * UInt32(tries))
        tries += 1
      }
    }
  }

  /// Checks a database after what looked like damage; returns what is damaged, or nil if it was misread.
  /// Damage is a finding that is repeated in the same place without an error of reading.
  package static func damage(in path: String) throws(DatabaseError) -> String? {
    var findings: Set<String> = []
    for _ in 0..<2 {
      do throws(DatabaseError) {
        try SQLiteConnection(path: path).checkPages()
        return nil
      } catch {
        guard error.kind == .damage else { throw error }
        guard readsWithoutError(path) else {
          throw DatabaseError(.readOrWrite, message: "the database's pages cannot be read")
        }
        findings.insert(error.message)
      }
    }
    guard findings.count == 1 else {
      throw DatabaseError(.readOrWrite, message: "each check of the database's pages finds something else")
    }
    return findings.first
  }

  private static func readsWithoutError(_ path: String) -> Bool {
    (try? SQLiteConnection(path: path))?.readsWithoutError() ?? false
  }
}
