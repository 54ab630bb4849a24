/// Whose a database is, by the numbers in its header (sqlite.org/pragma.html).
package struct SQLiteIdentity {
  /// The program's number.
  package let application: Int64
  /// The version of its tables.
  package let version: Int64
  /// Whether it is new.
  package let isEmpty: Bool
}

extension SQLiteConnection {
  package func identity() throws(DatabaseError) -> SQLiteIdentity {
    let application = try integer("PRAGMA application_id") ?? 0
    let version = try integer("PRAGMA user_version") ?? 0
    let tables = try integer("SELECT count(*) FROM sqlite_schema") ?? 0
    return SQLiteIdentity(
      application: application, version: version, isEmpty: application == 0 && version == 0 && tables == 0)
  }

  /// Runs the statements of the versions after one, each in a transaction of its own. The first version is 1.
  package func migrate(
    from version: Int, through versions: [String], application: Int64
  ) throws(DatabaseError) {
    for (index, statements) in versions.enumerated().dropFirst(version) {
      do throws(DatabaseError) {
        try execute(
          """
          BEGIN IMMEDIATE; \(statements); PRAGMA application_id = \(application);
          PRAGMA user_version = \(index + 1); COMMIT
          """)
      } catch {
        if isInTransaction { try execute("ROLLBACK") }
        throw error
      }
    }
  }
}
