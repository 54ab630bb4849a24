extension PostgresConnection {
  /// A statement of a migration may take so long: an index of many million rows takes minutes. A server that
  /// is gone is noticed earlier, by TCP's keepalives.
  private static let migrationStatementMax = Duration.seconds(3_600)

  /// Runs the statements of the versions after the newest one in `table`, the first of which is 1, and then
  /// `tuning` if the server is PostgreSQL itself. One process at a time does, under the advisory lock `lock`.
  package func migrate(
    through versions: [String], table: String, lock: Int64, tuning: String
  ) throws(DatabaseError) {
    let usual = responseMax
    responseMax = Self.migrationStatementMax
    defer { responseMax = usual }
    do throws(DatabaseError) {
      // A server that knows the setting ends the migration of a process that is gone; the next one can begin.
      try execute(
        """
        BEGIN; SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = 0;
        SELECT set_config('client_connection_check_interval', '10s', true) FROM pg_settings
          WHERE name = 'client_connection_check_interval';
        SELECT pg_advisory_xact_lock(\(lock));
        CREATE TABLE IF NOT EXISTS \(table) (version BIGINT NOT NULL)
        """)
      let found = try newestVersion(in: table)
      for (index, statements) in versions.enumerated().dropFirst(Int(clamping: max(0, found))) {
        try execute("\(statements); INSERT INTO \(table) VALUES (\(index + 1))")
      }
      if try isPostgreSQL() { try execute(tuning) }
      try execute("COMMIT")
    } catch {
      if !error.isConnectionLost { try execute("ROLLBACK") }
      throw error
    }
  }

  package func newestVersion(in table: String) throws(DatabaseError) -> Int64 {
    try run("SELECT coalesce(max(version), 0)::bigint FROM \(table)").value ?? 0
  }

  package func hasTable(_ name: String) throws(DatabaseError) -> Bool {
    try run("SELECT CASE WHEN to_regclass('\(name)') IS NOT NULL THEN 1 ELSE 0 END::bigint").value == 1
  }

  private func isPostgreSQL() throws(DatabaseError) -> Bool {
    try run("SELECT version()").first?.text(0)?.hasPrefix("PostgreSQL") ?? false
  }
}
