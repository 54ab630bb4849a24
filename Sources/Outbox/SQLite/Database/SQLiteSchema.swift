/// The tables of the queue in SQLite and their migrations.
enum SQLiteSchema {
  /// "Drgm" in ASCII, in the file's header (sqlite.org/pragma.html#pragma_application_id).
  static let applicationID: Int64 = 0x4472_676D

  /// The version of a database after the last migration.
  static var version: Int { migrations.count }

  /// Each migration runs once, in order, in a transaction of its own. They are never edited, only added to.
  private static let migrations = [
    """
    CREATE TABLE apps (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

    CREATE TABLE notifications (
      row INTEGER PRIMARY KEY,
      id BLOB NOT NULL UNIQUE,
      app INTEGER NOT NULL,
      template TEXT NOT NULL,
      client TEXT,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      priority INTEGER NOT NULL,
      message BLOB NOT NULL
    );

    CREATE TABLE deliveries (
      row INTEGER PRIMARY KEY,
      app INTEGER NOT NULL,
      priority INTEGER NOT NULL,
      state INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      next_attempt_at INTEGER,
      updated_at INTEGER NOT NULL,
      id BLOB NOT NULL,
      target_kind INTEGER NOT NULL,
      target TEXT NOT NULL,
      message_name TEXT,
      error_code TEXT,
      error_status INTEGER,
      error_message TEXT,
      error_apns_reason TEXT
    );
    CREATE INDEX deliveries_waiting ON deliveries (app, priority, next_attempt_at) WHERE state < 3;
    CREATE INDEX deliveries_scheduled ON deliveries (app, next_attempt_at, state) WHERE state = 0;

    CREATE TABLE counts (
      app INTEGER NOT NULL, state INTEGER NOT NULL, deliveries INTEGER NOT NULL, PRIMARY KEY (app, state)
    ) WITHOUT ROWID;

    CREATE TABLE probe (writes INTEGER NOT NULL);
    INSERT INTO probe VALUES (0);
    """,
    // A retry computes a delivery's own expiry from `ttl`, which is NULL where it is the time from
    // `created_at` to `expires_at`.
    // `cancellations` holds the cancel requests for claimed deliveries; they survive a crash.
    """
    ALTER TABLE notifications ADD COLUMN ttl INTEGER;
    ALTER TABLE deliveries ADD COLUMN expires_at INTEGER;
    CREATE INDEX notifications_by_client ON notifications (client) WHERE client IS NOT NULL;

    CREATE TABLE cancellations (delivery INTEGER PRIMARY KEY, asked_at INTEGER NOT NULL);

    CREATE TABLE idempotency (
      row INTEGER PRIMARY KEY,
      client TEXT,
      key TEXT NOT NULL,
      fingerprint BLOB NOT NULL,
      expires_at INTEGER NOT NULL,
      status INTEGER NOT NULL,
      headers BLOB NOT NULL,
      body BLOB NOT NULL
    );
    CREATE INDEX idempotency_by_key ON idempotency (key);
    CREATE INDEX idempotency_by_end ON idempotency (expires_at);

    CREATE TABLE feedback (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      app INTEGER NOT NULL,
      target_kind INTEGER NOT NULL,
      target TEXT NOT NULL,
      code TEXT NOT NULL,
      notification BLOB NOT NULL,
      at INTEGER NOT NULL
    );
    CREATE INDEX feedback_by_time ON feedback (at);

    CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    """,
    // The W3C trace of the request; NULL for none, and for what earlier versions accepted.
    """
    ALTER TABLE notifications ADD COLUMN trace TEXT;
    ALTER TABLE feedback ADD COLUMN trace TEXT;
    """,
    // The rows of notifications that are being written in parts, which nothing may show yet.
    """
    CREATE TABLE intakes (first INTEGER PRIMARY KEY, last INTEGER NOT NULL);
    """,
    // See `RowChecksum`. NULL for what earlier versions wrote, which is read as it is.
    """
    ALTER TABLE notifications ADD COLUMN checksum INTEGER;
    ALTER TABLE deliveries ADD COLUMN checksum INTEGER;
    """,
    // See `LiveActivity` and `ActivityOrder`; NULL for ordinary messages. The first index finds those of an
    // activity that have not ended, the second one its newest.
    """
    ALTER TABLE deliveries ADD COLUMN activity TEXT;
    ALTER TABLE deliveries ADD COLUMN activity_event INTEGER;
    ALTER TABLE deliveries ADD COLUMN activity_at INTEGER;
    CREATE INDEX deliveries_of_open_activity ON deliveries (app, activity)
      WHERE activity NOT NULL AND state < 3;
    CREATE INDEX deliveries_by_activity ON deliveries (app, activity, activity_at) WHERE activity NOT NULL;
    ALTER TABLE feedback ADD COLUMN activity TEXT;
    """,
    // For searches by target (see `RowLayout.groupBits`) and by error code.
    """
    CREATE INDEX deliveries_by_target
      ON deliveries ((row >> \(RowLayout.groupBits)), substr(target, -\(RowLayout.indexedCharacters)));
    CREATE INDEX deliveries_by_error ON deliveries (error_code) WHERE error_code IS NOT NULL;
    """,
    // How deliveries have ended, for the webhook, until its receiver has it; empty unless the configuration
    // asks for it. What cannot change is read from the delivery; a retry changes `attempts` and `code`.
    """
    CREATE TABLE outcomes (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      delivery INTEGER NOT NULL,
      state INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      code TEXT,
      at INTEGER NOT NULL
    );
    """,
    // Three indexes become tables that are filled for many notifications at once: see `Tail`. SQLite stores
    // a table WITHOUT ROWID, whose primary key comes first, exactly as it stores an index of the same columns
    // with the row at the end (SQLite, "Database File Format", 2.4 and 2.5). So only their descriptions
    // change, and a queue of any size is migrated at once. The view makes SQLite read them again.
    """
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, 'id BLOB NOT NULL UNIQUE', 'id BLOB NOT NULL')
      WHERE type = 'table' AND name = 'notifications';
    UPDATE sqlite_schema SET type = 'table', name = 'notification_ids', tbl_name = 'notification_ids',
        sql = 'CREATE TABLE notification_ids (id BLOB PRIMARY KEY, row INTEGER NOT NULL) WITHOUT ROWID'
      WHERE name = 'sqlite_autoindex_notifications_1';
    UPDATE sqlite_schema SET type = 'table', name = 'client_notifications',
        tbl_name = 'client_notifications',
        sql = 'CREATE TABLE client_notifications (client TEXT, row INTEGER,'
          || ' PRIMARY KEY (client, row)) WITHOUT ROWID'
      WHERE name = 'notifications_by_client';
    UPDATE sqlite_schema SET type = 'table', name = 'delivery_targets', tbl_name = 'delivery_targets',
        sql = 'CREATE TABLE delivery_targets (section INTEGER, ending TEXT, delivery INTEGER,'
          || ' PRIMARY KEY (section, ending, delivery)) WITHOUT ROWID'
      WHERE name = 'deliveries_by_target';
    CREATE VIEW reread AS SELECT 1; DROP VIEW reread;

    INSERT INTO marks (name, value) VALUES ('indexed', max(
      coalesce((SELECT max(row) FROM notifications), 0), coalesce((SELECT max(last) FROM intakes), 0)));
    """,
    // See `MessageDictionary`. A message with a dictionary is stored as its delta from it; NULL for what is
    // stored whole, as all that earlier versions wrote. Many messages need a dictionary, so that it has a
    // copy.
    """
    CREATE TABLE message_dictionaries (key INTEGER PRIMARY KEY, bytes BLOB NOT NULL, copy BLOB NOT NULL);
    ALTER TABLE notifications ADD COLUMN dictionary INTEGER;
    """,
    // See `StoredMessageNames`. Keys are blobs of one byte.
    """
    CREATE TABLE message_name_prefixes (key BLOB PRIMARY KEY, prefix TEXT NOT NULL) WITHOUT ROWID;
    """,
  ]

  /// What the index has of a target, in SQL: its last characters. SQLite would count all characters of a long
  /// target to find them, so that it only gets the bytes that they can have.
  static func targetEnding(_ target: String) -> String {
    let count = RowLayout.indexedCharacters
    let end = "CAST(substr(CAST(\(target) AS BLOB), -\(4 * count)) AS TEXT)"
    return "coalesce(substr(\(end), -\(count)), '')"
  }

  /// A condition in SQL: whether the notification in `row` is not being written in parts. The table is nearly
  /// always empty.
  static func isWhole(_ row: String) -> String {
    "NOT EXISTS (SELECT 1 FROM intakes AS i WHERE \(row) BETWEEN i.first AND i.last)"
  }

  /// The page size of a new database; an existing one keeps its own.
  static let pageBytes = 1_024

  /// Prepares the writing connection: checks, configures and migrates the database.
  static func prepare(_ connection: SQLiteConnection, checkedBytesMax: Int) throws(OutboxError) {
    let isNew = try identify(connection)
    if isNew {
      // A small commit writes one page of each table and index that it changes, however little of it changes.
      try outbox { () throws(SQLiteError) in try connection.execute("PRAGMA page_size = \(pageBytes)") }
    }
    try configure(connection, cacheKiB: 16_384)
    if !isNew { try checkPages(connection, bytesMax: checkedBytesMax) }
    try migrate(connection, to: migrations.count)
    connection.takeOverCheckpoints()
  }

  /// Configures a connection, and checks that what it writes is durable.
  static func configure(_ connection: SQLiteConnection, cacheKiB: Int) throws(OutboxError) {
    try outbox { () throws(SQLiteError) in
      try connection.execute(
        "PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY")
    }
    let journal = try outbox { () throws(SQLiteError) in
      try connection.execute("PRAGMA synchronous = FULL")
      try connection.execute("PRAGMA cache_size = -\(cacheKiB); PRAGMA journal_size_limit = 67108864")
      return try connection.text("PRAGMA journal_mode = WAL")
    }
    guard journal == "wal" else {
      throw OutboxError(
        code: .unavailable,
        description: "the queue's journal mode is \(journal ?? "unknown"), not WAL: "
          + "put the queue on a local file system that supports shared memory")
    }
    let synchronous = try outbox { () throws(SQLiteError) in try connection.integer("PRAGMA synchronous") }
    guard synchronous == 2 else {
      throw OutboxError(
        code: .unavailable,
        description: "SQLite refuses synchronous=FULL, without which an accepted notification can be lost: "
          + "use a SQLite library that has it")
    }
  }

  /// Refuses a database that is newer or of another program, before anything in it is changed. True for an
  /// empty one.
  private static func identify(_ connection: SQLiteConnection) throws(OutboxError) -> Bool {
    let (application, version, tables) = try outbox { () throws(SQLiteError) in
      (
        try connection.integer("PRAGMA application_id") ?? 0,
        try connection.integer("PRAGMA user_version") ?? 0,
        try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
      )
    }
    if application == 0, version == 0, tables == 0 { return true }
    guard application == applicationID else {
      throw OutboxError(
        code: .corrupt, description: "the queue's file is a database of another program: name another file")
    }
    guard version <= migrations.count else {
      throw OutboxError(
        code: .corrupt,
        description: "the queue was written by a newer dragoman (schema \(version), this one knows "
          + "\(migrations.count)): run that version, or name another file")
    }
    return false
  }

  /// Migrates a database to `target`, which is the current version except in tests of older ones.
  static func migrate(_ connection: SQLiteConnection, to target: Int) throws(OutboxError) {
    try outbox { () throws(SQLiteError) in
      let version = try connection.integer("PRAGMA user_version") ?? 0
      for (index, migration) in migrations.prefix(target).enumerated().dropFirst(Int(version)) {
        if connection.isInTransaction { try connection.execute("ROLLBACK") }
        try connection.execute(
          "BEGIN IMMEDIATE; \(migration); PRAGMA application_id = \(applicationID); "
            + "PRAGMA user_version = \(index + 1); COMMIT; PRAGMA writable_schema = RESET")
      }
    }
  }

  private static func checkPages(_ connection: SQLiteConnection, bytesMax: Int) throws(OutboxError) {
    try outbox { () throws(SQLiteError) in
      let pages = try connection.integer("PRAGMA page_count") ?? 0
      let pageBytes = try connection.integer("PRAGMA page_size") ?? 0
      if pages * pageBytes <= Int64(bytesMax) { try check(connection) }
    }
  }

  /// Checks all pages of a database.
  static func check(_ connection: SQLiteConnection) throws(SQLiteError) {
    guard let finding = try connection.text("PRAGMA quick_check(1)"), finding != "ok" else { return }
    throw .damagedFile(finding)
  }

  /// How often a step of opening the database is tried before an error of reading or writing ends it.
  private static let triesMax = 3

  /// Runs `body` and throws its error as the store's. What fails to be read or written is tried again: one
  /// such error says nothing about the next. So is what looks like damage, because SQLite calls it damage
  /// when a read fails while it recovers the log.
  static func outbox<Value>(
    _ body: () throws(SQLiteError) -> Value
  ) throws(OutboxError) -> Value {
    var tries = 1
    while true {
      do throws(SQLiteError) {
        return try body()
      } catch {
        guard error.isReadOrWrite || error.isDamage, tries < triesMax else { throw error.outboxError }
        tries += 1
      }
    }
  }
}
