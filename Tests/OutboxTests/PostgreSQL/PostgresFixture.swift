import Foundation
import Outbox
import Synchronization
import Telemetry
import TestSupport
import Testing
@testable import SQL

/// A queue in its own schema, for as many stores as a test opens.
struct SharedQueue {
  let cluster: PostgresCluster
  let schema: String
  let url: String

  init(_ cluster: PostgresCluster? = nil) throws {
    self.cluster = try cluster ?? PostgresCluster.shared
    (schema, url) = try self.cluster.newSchema()
  }

  /// A gateway's store. `watches`: it polls, so that it notices other gateways' work by itself.
  func open(
    watches: Bool = false, depthMax: Int = 1_000_000, prefetchMilliseconds: Int = 3_600_000,
    log: Log = .silent, parameters: String = ""
  ) throws -> DurableOutboxStore {
    var configuration = OutboxConfiguration()
    configuration.depthMax = depthMax
    configuration.prefetchMilliseconds = prefetchMilliseconds
    configuration.watchIntervalMilliseconds = watches ? 10 : 3_600_000
    configuration.reconnectMillisecondsMin = 10
    configuration.reconnectMillisecondsMax = 50
    return try DurableOutboxStore(
      url: try PostgresURL(url + parameters), configuration: configuration, log: log, clock: { start })
  }

  @discardableResult
  func query(_ sql: String) throws -> String { try cluster.query(sql, schema: schema) }

  /// Ends the leases of all current gateways.
  func endLeases() throws {
    try query("UPDATE dragoman_leases SET until = clock_timestamp() - INTERVAL '1 second'")
  }
}

/// Polls; each query waits for its turn on the store's own threads.
func eventually(_ isSo: () async throws -> Bool) async throws {
  let end = ContinuousClock.now + .seconds(30)
  while try await !isSo() {
    guard ContinuousClock.now < end else {
      Issue.record("it never came to be")
      return
    }
    await Task.yield()
  }
}

/// A signal that a test waits for.
final class Signal: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream(of: Void.self) }

  func send() { continuation.yield() }

  func wait() async { for await _ in stream.prefix(1) {} }
}
