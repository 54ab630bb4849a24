import TestSupport
import Testing

@testable import SQL

/// Sessions that the server ends.
@Suite(.enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresSessionTests {
  @Test func endsASessionThatIsLeftWithinATransaction() async throws {
    let cluster = try PostgresCluster.shared
    let connection = try PostgresConnection(try PostgresURL(try cluster.newSchema().url))
    try connection.limitWaits()
    for setting in ["idle_in_transaction_session_timeout", "lock_timeout"] {
      let found = try connection.run("SELECT current_setting($1) AS name", [.text(setting)])
      #expect(found.first?.text(0) == "5s")
    }
    let process = try #require(try connection.run("SELECT pg_backend_pid()::bigint").value)
    try connection.execute("SET idle_in_transaction_session_timeout = 10")
    try connection.execute("BEGIN")
    let end = ContinuousClock.now + .seconds(30)
    while try cluster.query("SELECT count(*) FROM pg_stat_activity WHERE pid = \(process)") != "0" {
      try #require(ContinuousClock.now < end)
      await Task.yield()
    }
    let error = #expect(throws: DatabaseError.self) { try connection.execute("SELECT 1") }
    #expect(error?.isConnectionLost == true)
  }
}

/// What the reason of a refusal means.
@Suite struct PostgresRefusalTests {
  @Test(arguments: [
    ("FATAL:  53300: sorry, too many clients already\nLOCATION:  InitProcess", "53300"),
    (#"connection to server at "::1", port 5432 failed: FATAL:  28P01: password failed"#, "28P01"),
    (#"connection to server on socket "/s" failed: Connection refused"#, nil),
    ("SSL error: certificate verify failed", nil),
  ])
  func findsTheStateOfARefusal(_ message: String, _ state: String?) {
    #expect(PostgresConnection.sqlState(in: message) == state)
  }

  @Test(arguments: ["28P01", "28000", "3D000", "42501", "42P01", "0A000", "08P01"])
  func givesUpOnWhatStays(_ state: String) { #expect(PostgresConnection.isPermanent(state: state)) }

  @Test(arguments: ["53300", "53100", "57P03", "57P01", "25006", "40001", "55P03", "08006", "57014"])
  func waitsForWhatPasses(_ state: String) { #expect(!PostgresConnection.isPermanent(state: state)) }
}
