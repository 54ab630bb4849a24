import CSQLite

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
