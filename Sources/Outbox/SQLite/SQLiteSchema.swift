package import SQL

/// How a queue in SQLite is created, checked and configured.
package enum SQLiteSchema {
  /// "Drgq" in ASCII, in the file's header (sqlite.org/pragma.html#pragma_application_id).
  package static let applicationID: Int64 = 0x4472_6771

  /// The page size of a new database; an existing one keeps its own. A small commit writes one page of each
  /// table and index that it changes, however little of it changes.
  package static let pageBytes = 1_024

  /// `dragoman_intakes` has the rows of notifications that are being written in parts, which nothing may show
  /// yet. The mark `claimed_from` is the first delivery that can have been accepted as claimed, and
  /// `next_row` the least row that no notification has had.
  package static let tables =
    QueueSchema.tables(key: "INTEGER PRIMARY KEY", row: "INTEGER PRIMARY KEY") + """
      CREATE INDEX dragoman_deliveries_by_target ON dragoman_deliveries
        ((row >> \(RowLayout.groupBits)), \(SQLDialect.sqlite.ending("target")));
      CREATE TABLE dragoman_intakes (first_row INTEGER PRIMARY KEY, last_row BIGINT NOT NULL);
      CREATE TABLE dragoman_probe (writes BIGINT NOT NULL);
      INSERT INTO dragoman_probe VALUES (0);
      INSERT INTO dragoman_marks (name, value) VALUES ('claimed_from', 0), ('next_row', 1);
      """

  /// Makes the tables in a new database.
  package static func create(_ connection: SQLiteConnection) throws(DatabaseError) {
    try prepare(connection, checkedBytesMax: 0)
  }

  /// Prepares the writing connection: checks, configures and creates or migrates the database.
  static func prepare(
    _ connection: SQLiteConnection, checkedBytesMax: Int, migrations: [String] = QueueSchema.migrations
  ) throws(DatabaseError) {
    let version = try identify(connection, newest: QueueSchema.version + migrations.count)
    if version == 0 { try connection.execute("PRAGMA page_size = \(pageBytes)") }
    try configure(connection, cacheKiB: 16_384)
    if version > 0 { try checkPages(connection, bytesMax: checkedBytesMax) }
    for (index, statements) in ([tables] + migrations).enumerated().dropFirst(version) {
      do throws(DatabaseError) {
        try connection.execute(
          """
          BEGIN IMMEDIATE; \(statements); PRAGMA application_id = \(applicationID);
          PRAGMA user_version = \(index + 1); COMMIT
          """)
      } catch {
        if connection.isInTransaction { try connection.execute("ROLLBACK") }
        throw error
      }
    }
    connection.takeOverCheckpoints()
  }

  /// Configures a connection, and checks that what it writes is durable.
  static func configure(_ connection: SQLiteConnection, cacheKiB: Int) throws(DatabaseError) {
    try connection.execute(
      """
      PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY;
      PRAGMA synchronous = FULL; PRAGMA cache_size = -\(cacheKiB); PRAGMA journal_size_limit = 67108864
      """)
    let journal = try connection.text("PRAGMA journal_mode = WAL")
    guard journal == "wal" else {
      throw .store(
        OutboxError(
          code: .unavailable,
          description: "the queue's journal mode is \(journal ?? "unknown"), not WAL: "
            + "put the queue on a local file system that supports shared memory"))
    }
    guard try connection.integer("PRAGMA synchronous") == 2 else {
      throw .store(
        OutboxError(
          code: .unavailable,
          description: "SQLite refuses synchronous=FULL, without which an accepted notification can be lost: "
            + "use a SQLite library that has it"))
    }
  }

  /// The version of the database; 0 for an empty one. Refuses one that is newer or of another program, before
  /// anything in it is changed.
  private static func identify(_ connection: SQLiteConnection, newest: Int) throws(DatabaseError) -> Int {
    let application = try connection.integer("PRAGMA application_id") ?? 0
    let version = try connection.integer("PRAGMA user_version") ?? 0
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    if application == 0, version == 0, tables == 0 { return 0 }
    if let refusal = refusal(application: application, version: version, newest: newest) { throw refusal }
    return Int(version)
  }

  /// Why a database whose header has these numbers is no queue that this version can read; nil if it is one.
  package static func refusal(
    application: Int64, version: Int64, newest: Int = QueueSchema.version + QueueSchema.migrations.count
  ) -> DatabaseError? {
    guard application == applicationID, version > 0 else {
      return DatabaseError(
        .unusable,
        message:
          "the queue's file is a database of another program, or of a dragoman before its first release: "
          + "name another file")
    }
    guard version > newest else { return nil }
    return DatabaseError(
      .unusable,
      message:
        "the queue was written by a newer dragoman (schema \(version), this one knows \(newest)): run that "
        + "version, or name another file")
  }

  private static func checkPages(_ connection: SQLiteConnection, bytesMax: Int) throws(DatabaseError) {
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    let pageBytes = try connection.integer("PRAGMA page_size") ?? 0
    if pages * pageBytes <= Int64(bytesMax) { try check(connection) }
  }

  /// Checks all pages of a database.
  static func check(_ connection: SQLiteConnection) throws(DatabaseError) {
    guard let finding = try connection.text("PRAGMA quick_check(1)"), finding != "ok" else { return }
    throw .finding(finding)
  }
}
