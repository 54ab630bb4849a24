/// The settings of a session that writes.
extension PostgresConnection {
  /// Checks that what the session commits is durable, and configures it. Returns whether a failover can lose
  /// it nevertheless (`synchronous_commit=local`).
  package func configureSession() throws(DatabaseError) -> Bool {
    let row = try run(
      "SELECT current_setting('synchronous_commit', true), current_setting('fsync', true), version()"
    ).first
    let synchronous = row?.text(0) ?? "on"
    guard synchronous != "off" else {
      throw DatabaseError(
        .unusable,
        message: "PostgreSQL has synchronous_commit=off, with which what it has confirmed can be lost: "
          + "ALTER DATABASE or ALTER ROLE … SET synchronous_commit = on")
    }
    guard row?.text(1) ?? "on" != "off" else {
      throw DatabaseError(
        .unusable,
        message:
          "PostgreSQL has fsync=off, with which what it has confirmed can be lost and the database be "
          + "damaged: turn it on in postgresql.conf")
    }
    // What was checked remains so for the session, whatever the configuration becomes.
    try execute("SET synchronous_commit = '\(synchronous)'; SET statement_timeout = '15s'")
    if row?.text(2)?.hasPrefix("PostgreSQL") ?? false {
      // A plan made while the tables were empty must not scan them when they are full.
      try execute(
        "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off")
    }
    return synchronous == "local"
  }

  /// Limits how long a session that was left alone keeps what others wait for, and how long it waits itself.
  /// A process that freezes within a transaction loses the session, and one whose host is gone is noticed by
  /// the server, so that others wait for neither longer than five seconds and a keepalive.
  package func limitWaits() throws(DatabaseError) {
    try run(
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
  package func planOnce() throws(DatabaseError) {
    try run(
      """
      SELECT set_config(s.name, 'force_generic_plan', false) FROM pg_settings AS s
      WHERE s.name = 'plan_cache_mode'
      """)
  }
}
