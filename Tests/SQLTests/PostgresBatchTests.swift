import TestSupport
import Testing

@testable import SQL

/// Statements that share a round trip.
@Suite(.enabled(if: PostgresCluster.isInstalled, Comment(rawValue: PostgresCluster.absence)))
struct PostgresBatchTests {
  private let connection: PostgresConnection
  private let cluster: PostgresCluster
  private let schema: String

  init() throws {
    cluster = try PostgresCluster.shared
    let url: String
    (schema, url) = try cluster.newSchema()
    connection = try PostgresConnection(try PostgresURL(url))
    try connection.execute("CREATE TABLE t (n BIGINT PRIMARY KEY)")
  }

  @Test func returnsTheResultOfEach() throws {
    var batch = PostgresBatch()
    batch.add("BEGIN")
    let insert = batch.add("INSERT INTO t SELECT unnest($1::bigint[])", [.integers([1, 2, 3])])
    let sum = batch.add("SELECT sum(n)::bigint FROM t")
    batch.add("COMMIT")
    let results = try connection.run(batch)
    #expect(results.count == 4)
    #expect(results[insert].changed == 3)
    #expect(results[sum].value == 6)
    #expect(try cluster.query("SELECT count(*) FROM t", schema: schema) == "3")
    #expect(try connection.run(PostgresBatch()).isEmpty)
  }

  /// More than fits into the buffers of both sides, in both directions at once.
  @Test func sendsAndReceivesAtTheSameTime() throws {
    let blob = [UInt8](repeating: 7, count: 1 << 20)
    var batch = PostgresBatch()
    for _ in 0..<32 { batch.add("SELECT $1::bytea AS message", [.bytes(blob)]) }
    let results = try connection.run(batch)
    #expect(results.allSatisfy { $0.first?.bytes(0) == blob })
  }

  @Test func skipsWhatFollowsAFailure() throws {
    var batch = PostgresBatch()
    batch.add("BEGIN")
    batch.add("INSERT INTO t VALUES (1)")
    batch.add("INSERT INTO t VALUES (1), (2)")
    batch.add("COMMIT")
    let error = #expect(throws: DatabaseError.self) { try connection.run(batch) }
    #expect(error?.kind == .constraint)
    #expect(error?.isConnectionLost == false)
    try connection.execute("ROLLBACK")
    // The connection goes on.
    #expect(try connection.run("SELECT count(*) FROM t").value == 0)
  }

  @Test func noticesALostConnection() throws {
    var batch = PostgresBatch()
    batch.add("SELECT 1")
    batch.add("SELECT pg_terminate_backend(pg_backend_pid())")
    batch.add("COMMIT")
    let error = #expect(throws: DatabaseError.self) { try connection.run(batch) }
    #expect(error?.isConnectionLost == true)
    #expect(throws: DatabaseError.self) { try connection.run(batch) }
  }
}
