import Dispatch
import Synchronization

/// Large enqueues have a connection and a thread of their own: PostgreSQL shows nothing of a transaction
/// before its COMMIT, and others write meanwhile.
extension PostgresBackend {
  package func enqueue(_ large: LargeEnqueue, in store: Store) {
    bulk.async { [self] in
      guard large.begin() else { return store.finish(large, .failure(.late)) }
      guard isReachable else { return store.finish(large, .failure(store.outOfReach)) }
      let result = write(large)
      switch result {
      case .success(let commit):
        if !commit.isReplicated {
          isConfirmed.store(false, ordering: .releasing)
          store.degraded(.notReplicated)
        }
        store.finish(large, commit.isReplicated ? commit.outcome : .failure(.notReplicated))
        store.writing.async { [self] in
          memory.prefetch.note(due: commit.result.due)
          store.complete([], with: .success(commit.result))
        }
      case .failure(let error): store.finish(large, .failure(error))
      }
    }
  }

  private func write(_ large: LargeEnqueue) -> Result<PostgresLargeCommit, OutboxError> {
    do throws(PostgresWriteError) {
      return .success(try openBulkWriter().write(large))
    } catch {
      if error.underlying.isConnectionUseless { bulkWriter = nil }
      return .failure(error.isUncertain ? .unknownOutcome : error.underlying.outboxError)
    }
  }

  private func openBulkWriter() throws(PostgresWriteError) -> PostgresWriter {
    if let bulkWriter { return bulkWriter }
    do throws(PostgresError) {
      let connection = try openConnection()
      try PostgresSchema.planOnce(connection)
      // Its counts belong to no replica, so that it needs no lease.
      let opened = PostgresWriter(
        connection: connection, configuration: configuration,
        memory: PostgresMemory(
          clock: databaseClock, outcomes: loggedOutcomes, prefetch: PostgresPrefetch(appMax: 0, totalMax: 0)))
      bulkWriter = opened
      return opened
    } catch {
      throw PostgresWriteError(underlying: error, isUncertain: false, batch: 0)
    }
  }
}
