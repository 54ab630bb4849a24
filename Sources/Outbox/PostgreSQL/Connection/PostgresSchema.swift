import Telemetry

/// The tables of the queue in PostgreSQL, their migrations, and the checks of a connection's durability.
///
/// Plain SQL, so that other databases that speak PostgreSQL's protocol can be used.
enum PostgresSchema {
  /// The version of a database after the last migration.
  static var version: Int64 { Int64(migrations.count) }

  /// "Drgm" in ASCII: the advisory lock under which one gateway at a time migrates.
  private static let lock: Int64 = 0x4472_676D

  /// A claimed delivery has the number of the replica that claimed it; a number is used once, and its lease
  /// is one row. `counts` has separate rows for each replica, so that no two wait for each other; a count is
  /// their sum. State 2 counts claimed deliveries, which are counted as `queued` as well.
  ///
  /// Each migration runs once, in order, in a transaction of its own. They are never edited, only added to.
  private static let migrations = [
    """
    CREATE TABLE dragoman_apps (id BIGINT PRIMARY KEY, name BYTEA NOT NULL UNIQUE);
    CREATE SEQUENCE dragoman_app_ids;

    CREATE TABLE dragoman_notifications (
      row BIGINT PRIMARY KEY,
      id UUID NOT NULL UNIQUE,
      app BIGINT NOT NULL,
      template BYTEA NOT NULL,
      client BYTEA,
      created_at BIGINT NOT NULL,
      priority BIGINT NOT NULL,
      ttl BIGINT NOT NULL,
      deliveries BIGINT NOT NULL,
      message BYTEA NOT NULL,
      trace BYTEA
    );
    CREATE SEQUENCE dragoman_notification_rows;
    CREATE INDEX dragoman_notifications_by_client ON dragoman_notifications (client, row)
      WHERE client IS NOT NULL;
    CREATE INDEX dragoman_notifications_by_time ON dragoman_notifications (created_at, row);

    CREATE TABLE dragoman_deliveries (
      row BIGINT PRIMARY KEY,
      app BIGINT NOT NULL,
      priority BIGINT NOT NULL,
      state BIGINT NOT NULL,
      attempts BIGINT NOT NULL,
      next_attempt_at BIGINT,
      updated_at BIGINT NOT NULL,
      expires_at BIGINT NOT NULL,
      claimed_by BIGINT,
      cancel_asked BOOLEAN NOT NULL,
      id UUID NOT NULL,
      target_kind BIGINT NOT NULL,
      target BYTEA NOT NULL,
      message_name BYTEA,
      error_code BYTEA,
      error_status BIGINT,
      error_message BYTEA,
      error_apns_reason BYTEA
    );
    CREATE INDEX dragoman_deliveries_waiting ON dragoman_deliveries (app, priority, next_attempt_at, row)
      WHERE state < 3 AND claimed_by IS NULL;
    CREATE INDEX dragoman_deliveries_scheduled ON dragoman_deliveries (app, next_attempt_at) WHERE state = 0;
    CREATE INDEX dragoman_deliveries_claimed ON dragoman_deliveries (claimed_by) WHERE claimed_by IS NOT NULL;

    CREATE TABLE dragoman_counts (
      app BIGINT NOT NULL, replica BIGINT NOT NULL, state BIGINT NOT NULL, deliveries BIGINT NOT NULL,
      PRIMARY KEY (app, replica, state)
    );

    CREATE TABLE dragoman_idempotency (
      owner BYTEA NOT NULL,
      key BYTEA NOT NULL,
      fingerprint BYTEA NOT NULL,
      expires_at BIGINT NOT NULL,
      status BIGINT NOT NULL,
      headers BYTEA NOT NULL,
      body BYTEA NOT NULL,
      PRIMARY KEY (owner, key)
    );
    CREATE INDEX dragoman_idempotency_by_end ON dragoman_idempotency (expires_at);

    CREATE TABLE dragoman_feedback (
      id BIGINT PRIMARY KEY,
      app BIGINT NOT NULL,
      target_kind BIGINT NOT NULL,
      target BYTEA NOT NULL,
      code BYTEA NOT NULL,
      notification UUID NOT NULL,
      at BIGINT NOT NULL,
      trace BYTEA
    );
    CREATE INDEX dragoman_feedback_by_time ON dragoman_feedback (at);

    CREATE TABLE dragoman_marks (name TEXT PRIMARY KEY, value BIGINT NOT NULL);
    INSERT INTO dragoman_marks VALUES ('feedback', 0);

    CREATE TABLE dragoman_replicas (
      id BIGINT PRIMARY KEY, until TIMESTAMPTZ NOT NULL, batch BIGINT NOT NULL, lost BOOLEAN NOT NULL
    );
    CREATE SEQUENCE dragoman_replica_ids;
    CREATE TABLE dragoman_turns (name TEXT PRIMARY KEY, replica BIGINT NOT NULL);
    """,
    // Deliveries that are not final, by client and replica. A client is X'00' for anonymous callers,
    // otherwise X'01' and the name.
    """
    CREATE TABLE dragoman_client_counts (
      client BYTEA NOT NULL, replica BIGINT NOT NULL, deliveries BIGINT NOT NULL,
      PRIMARY KEY (client, replica)
    );
    INSERT INTO dragoman_client_counts
      SELECT CASE WHEN n.client IS NULL THEN decode('00', 'hex') ELSE decode('01', 'hex') || n.client END, 0,
        count(*)
      FROM dragoman_deliveries AS d
        JOIN dragoman_notifications AS n ON n.row = \(RowLayout.notificationRowSQL(of: "d.row"))
      WHERE d.state < 3 GROUP BY 1;
    """,
    // See `RowChecksum`. NULL for what earlier versions wrote, which is read as it is.
    """
    ALTER TABLE dragoman_notifications ADD COLUMN checksum BIGINT;
    ALTER TABLE dragoman_deliveries ADD COLUMN checksum BIGINT;
    """,
    // See `AppLimits`. `changed_at` is the database's time; a prober is the replica that sends the probes of
    // the stop that was decided at `stop_at`.
    """
    CREATE TABLE dragoman_limits (
      app BIGINT PRIMARY KEY, changed_at BIGINT NOT NULL,
      climb_at BIGINT, climb_rate BIGINT, used_at BIGINT, quota_at BIGINT, held_until BIGINT,
      stop_at BIGINT, stop_reason BIGINT, stop_since BIGINT, probe_at BIGINT,
      error_code BYTEA, error_status BIGINT, error_message BYTEA,
      prober BIGINT, prober_until BIGINT
    );
    CREATE TABLE dragoman_target_holds (
      app BIGINT NOT NULL, target_kind BIGINT NOT NULL, target BYTEA NOT NULL, held_until BIGINT NOT NULL,
      changed_at BIGINT NOT NULL,
      PRIMARY KEY (app, target_kind, target)
    );
    CREATE INDEX dragoman_target_holds_by_change ON dragoman_target_holds (changed_at);
    """,
    // See `LiveActivity` and `ActivityOrder`; NULL for ordinary messages. The first index finds those of an
    // activity that have not ended, the second one its newest.
    """
    ALTER TABLE dragoman_deliveries ADD COLUMN activity BYTEA;
    ALTER TABLE dragoman_deliveries ADD COLUMN activity_event BIGINT;
    ALTER TABLE dragoman_deliveries ADD COLUMN activity_at BIGINT;
    CREATE INDEX dragoman_deliveries_of_open_activity ON dragoman_deliveries (app, activity)
      WHERE activity IS NOT NULL AND state < 3;
    CREATE INDEX dragoman_deliveries_by_activity ON dragoman_deliveries (app, activity, activity_at)
      WHERE activity IS NOT NULL;
    ALTER TABLE dragoman_feedback ADD COLUMN activity BYTEA;
    """,
    // For searches by target (see `RowLayout.groupBits`) and by error code.
    """
    CREATE INDEX dragoman_deliveries_by_target ON dragoman_deliveries
      ((row >> \(RowLayout.groupBits)), \(targetKey("target")));
    CREATE INDEX dragoman_deliveries_by_error ON dragoman_deliveries (error_code, row)
      WHERE error_code IS NOT NULL;
    """,
    // How deliveries have ended, for the webhook, until its receiver has it; empty unless a gateway's
    // configuration asks for it. What cannot change is read from the delivery; a retry changes `attempts` and
    // `code`.
    """
    CREATE TABLE dragoman_outcomes (
      id BIGINT PRIMARY KEY,
      delivery BIGINT NOT NULL,
      state BIGINT NOT NULL,
      attempts BIGINT NOT NULL,
      code BYTEA,
      at BIGINT NOT NULL
    );
    """,
    // Each gateway looks once a second which of its claims are to be cancelled. In the index of claims,
    // nearly all entries are of claims that have ended.
    """
    CREATE INDEX dragoman_deliveries_cancelled ON dragoman_deliveries (claimed_by) WHERE cancel_asked;
    """,
    // See `PostgresDictionaries`. A message with a dictionary is stored as its delta from it; NULL for what
    // is stored whole, as all that earlier versions wrote. Many messages need a dictionary, so that it has a
    // copy. `schema` is what a gateway can read; without a default, since gateways of earlier versions must
    // not take new leases. The order of the tables is that in which gateways lock them.
    """
    ALTER TABLE dragoman_replicas ADD COLUMN schema BIGINT NOT NULL DEFAULT 8;
    ALTER TABLE dragoman_replicas ALTER COLUMN schema DROP DEFAULT;
    ALTER TABLE dragoman_notifications ADD COLUMN dictionary BIGINT;
    CREATE TABLE dragoman_message_dictionaries (
      key BIGINT PRIMARY KEY,
      bytes BYTEA NOT NULL,
      copy BYTEA NOT NULL,
      used_at TIMESTAMPTZ NOT NULL,
      last_row BIGINT
    );
    """,
  ]

  /// The first version whose gateways can read messages that are stored with dictionaries.
  static let firstWithDictionaries: Int64 = 9

  /// The part of a target that is in the index.
  static func targetKey(_ target: String) -> String {
    let count = RowLayout.indexedCharacters
    return "substring(\(target) FROM greatest(1, length(\(target)) - \(count - 1)))"
  }

  /// How PostgreSQL keeps the tables small. Its defaults wait until a fifth of a table is dead, which for a
  /// queue is more than it usually holds; and the rows of counts and leases change with each transaction, so
  /// that their pages keep room for the next versions.
  private static let tuning = """
    ALTER TABLE dragoman_deliveries SET (autovacuum_vacuum_scale_factor = 0.02,
      autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_scale_factor = 0.05,
      autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);
    ALTER TABLE dragoman_notifications SET (autovacuum_vacuum_scale_factor = 0.02,
      autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_scale_factor = 0.05,
      autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);
    ALTER TABLE dragoman_idempotency SET (autovacuum_vacuum_scale_factor = 0.05,
      autovacuum_vacuum_threshold = 2000);
    ALTER TABLE dragoman_outcomes SET (autovacuum_vacuum_scale_factor = 0.05,
      autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 1);
    ALTER TABLE dragoman_counts SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
    ALTER TABLE dragoman_client_counts SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
    ALTER TABLE dragoman_replicas SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
    ALTER TABLE dragoman_marks SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
    ALTER TABLE dragoman_limits SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0,
      autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)
    """

  private static func isPostgreSQL(_ connection: PostgresConnection) throws(PostgresError) -> Bool {
    try connection.run("SELECT version()").first?.text(.version)?.hasPrefix("PostgreSQL") ?? false
  }

  /// Prepares a connection: checks that what it commits is durable, and migrates the database to this
  /// version.
  static func prepare(_ connection: PostgresConnection, log: Log) throws(PostgresOpeningError) {
    // First of all, since nothing else means anything behind such a pooler.
    guard try !opening({ () throws(PostgresError) in try connection.isPooledByTransaction() }) else {
      throw PostgresOpeningError(
        "the queue's database is behind a pooler that changes the server's process after each transaction "
          + "(pgbouncer with pool_mode=transaction or statement): connect to PostgreSQL itself, or set "
          + "pool_mode=session")
    }
    try configure(connection, log: log)
    let found = try opening { () throws(PostgresError) in try version(in: connection) }
    try refuseNewer(found)
    guard found < version else { return }
    try opening { () throws(PostgresError) in
      do throws(PostgresError) {
        try migrate(connection)
      } catch {
        if !error.isConnectionLost { try connection.execute("ROLLBACK") }
        guard error.isLockTimeout else { throw error }
        throw PostgresError(state: error.state, message: "another gateway migrates the queue's tables")
      }
    }
    // Another gateway may have migrated it meanwhile, to a newer version.
    try refuseNewer(try opening { () throws(PostgresError) in try version(in: connection) })
  }

  private static func refuseNewer(_ found: Int64) throws(PostgresOpeningError) {
    guard found > version else { return }
    throw PostgresOpeningError(
      "the queue was written by a newer dragoman (schema \(found), this one knows \(version)): "
        + "run that version, or name another database")
  }

  private static func version(in connection: PostgresConnection) throws(PostgresError) -> Int64 {
    let known = try connection.run("SELECT 1::bigint WHERE to_regclass('dragoman_schema') IS NOT NULL")
    guard !known.isEmpty else { return 0 }
    return try connection.run("SELECT coalesce(max(version), 0)::bigint FROM dragoman_schema").value ?? 0
  }

  /// A statement of a migration may take so long: an index of many million rows takes minutes. A server that
  /// is gone is noticed earlier, by TCP's keepalives.
  private static let migrationStatementMax = Duration.seconds(3_600)

  private static func migrate(_ connection: PostgresConnection) throws(PostgresError) {
    let usual = connection.responseMax
    connection.responseMax = migrationStatementMax
    defer { connection.responseMax = usual }
    // A server that knows the setting ends the migration of a gateway that is gone; the next one can begin.
    try connection.execute(
      """
      BEGIN; SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = 0;
      SELECT set_config('client_connection_check_interval', '10s', true) FROM pg_settings
        WHERE name = 'client_connection_check_interval';
      SELECT pg_advisory_xact_lock(\(lock));
      CREATE TABLE IF NOT EXISTS dragoman_schema (version BIGINT NOT NULL)
      """)
    let found = try version(in: connection)
    for (index, migration) in migrations.enumerated().dropFirst(Int(max(0, found))) {
      try connection.execute("\(migration); INSERT INTO dragoman_schema VALUES (\(index + 1))")
    }
    if try isPostgreSQL(connection) { try connection.execute(tuning) }
    try connection.execute("COMMIT")
  }

  /// Configures a session, and checks that what it commits is durable.
  static func configure(
    _ connection: PostgresConnection, log: Log = .silent
  ) throws(PostgresOpeningError) {
    let settings = try opening { () throws(PostgresError) in
      try connection.run(
        """
        SELECT current_setting('synchronous_commit', true) AS synchronous_commit,
          current_setting('fsync', true) AS fsync, version()
        """)
    }
    let row = settings.first
    let synchronous = row?.text(.synchronousCommit) ?? "on"
    guard synchronous != "off" else {
      throw PostgresOpeningError(
        "PostgreSQL has synchronous_commit=off, with which an accepted notification can be lost: "
          + "ALTER DATABASE or ALTER ROLE … SET synchronous_commit = on")
    }
    if synchronous == "local" {
      log.warning(
        "queue: PostgreSQL has synchronous_commit=local: a failover can lose accepted notifications")
    }
    guard row?.text(.fsync) ?? "on" != "off" else {
      throw PostgresOpeningError(
        "PostgreSQL has fsync=off, with which accepted notifications can be lost and the database be "
          + "damaged: turn it on in postgresql.conf")
    }
    try opening { () throws(PostgresError) in
      // What was checked remains so for the session, whatever the configuration becomes.
      try connection.execute("SET synchronous_commit = '\(synchronous)'; SET statement_timeout = '15s'")
      guard row?.text(.version)?.hasPrefix("PostgreSQL") ?? false else { return }
      // A plan made while the tables were empty must not scan them when they are full.
      try connection.execute(
        "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off")
    }
  }

  /// Limits how long a session that was left alone keeps what others wait for, and how long it waits itself.
  /// A gateway that freezes within a transaction loses the session, and one whose host is gone is noticed by
  /// the server, so that claims move within the lease and five seconds.
  static func limitWaits(_ connection: PostgresConnection) throws(PostgresError) {
    try connection.run(
      """
      SELECT set_config(s.name, w.value, false)
      FROM (VALUES ('idle_in_transaction_session_timeout', '5s'), ('lock_timeout', '5s'),
        ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '3'),
        ('tcp_user_timeout', '20s'), ('client_connection_check_interval', '5s')) AS w(name, value)
        JOIN pg_settings AS s ON s.name = w.name
      """)
  }

  /// Has the server plan each statement of a writer once: planning for small arrays takes longer than
  /// executing, and the best plan never depends on the values.
  static func planOnce(_ connection: PostgresConnection) throws(PostgresError) {
    try connection.run(
      """
      SELECT set_config(s.name, 'force_generic_plan', false) FROM pg_settings AS s
      WHERE s.name = 'plan_cache_mode'
      """)
  }

  /// Runs `body` and throws its error as a reason not to open the queue.
  static func opening<Value>(
    _ body: () throws(PostgresError) -> Value
  ) throws(PostgresOpeningError) -> Value {
    do throws(PostgresError) {
      return try body()
    } catch {
      throw PostgresOpeningError(underlying: error.outboxError, isPermanent: error.isPermanent)
    }
  }
}
