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
    let found = try connection.identity()
    // Before anything in it is changed.
    let refusal = refusal(
      application: found.application, version: found.version, newest: QueueSchema.version + migrations.count)
    if let refusal, !found.isEmpty { throw refusal }
    if found.isEmpty { try connection.execute("PRAGMA page_size = \(pageBytes)") }
    // A commit after a tree was balanced looks at each page in the cache (`pcache1TruncateUnsafe`).
    try configure(connection, cacheKiB: 2_048)
    let bytes = try connection.integer(
      "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
    if !found.isEmpty, bytes ?? 0 <= Int64(checkedBytesMax) { try connection.checkPages() }
    try connection.migrate(
      from: Int(found.version), through: [tables] + migrations, application: applicationID)
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
}
