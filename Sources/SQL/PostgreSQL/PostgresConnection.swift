import CPostgres
internal import Clock
import Glibc

/// One connection to a PostgreSQL database, which it closes when it is released. Confined to its owner: one
/// thread at a time.
package final class PostgresConnection: SQLConnection {
  private let handle: OpaquePointer
  package let url: PostgresURL
  /// The names of the statements prepared on the server, by their text.
  private var prepared: [String: String] = [:]
  /// The number of warnings that the server has sent.
  private let warnings: UnsafeMutablePointer<Int32>
  /// How long a statement may take. The server's own limit is shorter; this one is for a server that has
  /// stopped answering.
  package var responseMax = Duration.seconds(20)

  /// Settings that a URL may override: a host that is gone is noticed within half a minute, and of several
  /// hosts the writable one is chosen.
  private static let defaults = [
    ("connect_timeout", "5"), ("keepalives", "1"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
    ("keepalives_count", "3"), ("tcp_user_timeout", "20000"), ("target_session_attrs", "read-write"),
    ("fallback_application_name", "dragoman"),
  ]

  package var dialect: SQLDialect { .postgres }

  /// Connects, which may take up to `connect_timeout` for each host.
  package init(_ url: PostgresURL) throws(DatabaseError) {
    self.url = url
    let settings = Self.defaults + [("dbname", url.libpqText)]
    var opened: OpaquePointer?
    var ping = PQPING_NO_ATTEMPT
    Self.withCStrings(settings.map(\.0)) { keywords in
      Self.withCStrings(settings.map(\.1)) { values in
        opened = PQconnectdbParams(keywords, values, 1)
        if PQstatus(opened) != CONNECTION_OK { ping = PQpingParams(keywords, values, 1) }
      }
    }
    guard let opened else { throw DatabaseError(message: "out of memory") }
    guard PQstatus(opened) == CONNECTION_OK else {
      let message = url.redacted(String(cString: PQerrorMessage(opened)))
      PQfinish(opened)
      let isRefused = ping == PQPING_OK && Self.isRefusalPermanent(settings)
      throw DatabaseError(isRefused ? .refused : .connectionLost, message: message)
    }
    warnings = .allocate(capacity: 1)
    warnings.initialize(to: 0)
    dragoman_pq_count_warnings(opened, warnings)
    PQsetnonblocking(opened, 1)
    handle = opened
  }

  deinit {
    PQfinish(handle)
    warnings.deallocate()
  }

  /// Runs statements that bind nothing and whose rows are ignored.
  package func execute(_ sql: String) throws(DatabaseError) {
    _ = try check(try result(ofSending: PQsendQuery(handle, sql)))
  }

  /// Runs statements that commit. Throws `notReplicated` if the server warns that a standby has not confirmed
  /// it (PostgreSQL 15, `SyncRepWaitForLSN`): the transaction is committed on the server then.
  package func executeCommitting(_ sql: String) throws(DatabaseError) {
    warnings.pointee = 0
    try execute(sql)
    if warnings.pointee > 0 { throw .notReplicated }
  }

  /// Runs one statement, which the server prepares once for the connection.
  @discardableResult
  package func run(_ sql: String, _ values: [SQLValue]) throws(DatabaseError) -> SQLResult {
    try check(try result(ofSending: send(values, to: try name(of: sql))))
  }

  @discardableResult
  package func run(_ statement: PostgresBatch.Statement) throws(DatabaseError) -> SQLResult {
    try run(statement.sql, statement.values)
  }

  /// Runs the statements of `batch` in one round trip (libpq's pipeline mode, PostgreSQL 15 manual, §34.5);
  /// returns the result of each, or throws the error of the first that failed. Without a BEGIN among them or
  /// before, they are one transaction.
  @discardableResult
  package func run(_ batch: PostgresBatch) throws(DatabaseError) -> [SQLResult] {
    guard !batch.isEmpty else { return [] }
    var names: [String] = []
    for statement in batch.statements { names.append(try name(of: statement.sql)) }
    var isSent = PQenterPipelineMode(handle) == 1
    for (statement, name) in zip(batch.statements, names) where isSent {
      isSent = send(statement.values, to: name) == 1
    }
    let deadline = ContinuousClock.now + responseMax
    guard isSent, PQpipelineSync(handle) == 1, try flush(until: deadline) else { throw lost }
    var results: [SQLResult] = []
    var failure: DatabaseError?
    for _ in batch.statements {
      // One result, and then nil for its end.
      guard let result = try nextResult(until: deadline) else { throw lost }
      if failure != nil {
        PQclear(result)
      } else {
        do throws(DatabaseError) { results.append(try check(result)) } catch { failure = error }
      }
      if let failure, failure.isConnectionLost { throw failure }
      while let more = try nextResult(until: deadline) {
        PQclear(more)
        guard PQstatus(handle) == CONNECTION_OK else { throw lost }
      }
    }
    PQclear(try nextResult(until: deadline))
    guard PQexitPipelineMode(handle) == 1 else { throw lost }
    if let failure { throw failure }
    return results
  }

  /// Runs a batch that ends with a COMMIT. Throws `notReplicated` as `executeCommitting` does.
  package func runCommitting(_ batch: PostgresBatch) throws(DatabaseError) {
    warnings.pointee = 0
    try run(batch)
    if warnings.pointee > 0 { throw .notReplicated }
  }

  /// Passes a prepared statement to libpq; 1 if that succeeded.
  private func send(_ values: [SQLValue], to name: String) -> Int32 {
    var buffer: [UInt8] = []
    var places: [(start: Int, count: Int)?] = []
    for value in values {
      let start = buffer.count
      places.append(value.encode(into: &buffer) ? (start, buffer.count - start) : nil)
    }
    // An empty value must not look like NULL, whose pointer is nil.
    buffer.append(0)
    let formats = [Int32](repeating: 1, count: values.count)
    let lengths = places.map { Int32(truncatingIfNeeded: $0?.count ?? 0) }
    return buffer.withUnsafeBytes { raw in
      let base = raw.bindMemory(to: CChar.self).baseAddress
      let pointers = places.map { place in place.flatMap { place in base.map { $0 + place.start } } }
      return PQsendQueryPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 1)
    }
  }

  /// Runs one statement that binds nothing, and leaves nothing in the session.
  package func runOnce(_ sql: String) throws(DatabaseError) -> SQLResult {
    try check(try result(ofSending: PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1)))
  }

  /// The server's process of this session, as the server said when it began.
  package var ownProcess: Int32 { PQbackendPID(handle) }

  /// The last result of what was sent; nil when the connection was lost. Throws when the server does not
  /// answer in time: the connection cannot be used any more then.
  private func result(ofSending isSent: Int32) throws(DatabaseError) -> OpaquePointer? {
    guard isSent == 1 else { return nil }
    let deadline = ContinuousClock.now + responseMax
    guard try flush(until: deadline) else { return nil }
    var last: OpaquePointer?
    while true {
      let next: OpaquePointer?
      do throws(DatabaseError) {
        next = try nextResult(until: deadline)
      } catch {
        PQclear(last)
        throw error
      }
      guard let next else { return last }
      PQclear(last)
      last = next
      if PQstatus(handle) != CONNECTION_OK { return last }
    }
  }

  /// Sends everything that libpq still has, and reads meanwhile; false if that failed.
  private func flush(until deadline: ContinuousClock.Instant) throws(DatabaseError) -> Bool {
    while true {
      let left = PQflush(handle)
      guard left == 1 else { return left == 0 }
      try wait(for: Int16(POLLIN | POLLOUT), until: deadline)
      guard PQconsumeInput(handle) == 1 else { return false }
    }
  }

  /// Waits for libpq's next result; nil at the end of a statement.
  private func nextResult(until deadline: ContinuousClock.Instant) throws(DatabaseError) -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      try wait(for: Int16(POLLIN), until: deadline)
      if PQconsumeInput(handle) == 0 { break }
    }
    return PQgetResult(handle)
  }

  private func wait(for events: Int16, until deadline: ContinuousClock.Instant) throws(DatabaseError) {
    while true {
      let left = Int32(clamping: (deadline - .now).wholeMilliseconds)
      var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
      let count = left > 0 ? poll(&descriptor, 1, left) : 0
      if count > 0 || count < 0 && errno != EINTR { return }
      if count == 0 {
        throw DatabaseError(
          .connectionLost, message: "the server has not answered for \(responseMax.components.seconds) s")
      }
    }
  }

  private func name(of sql: String) throws(DatabaseError) -> String {
    if let known = prepared[sql] { return known }
    let name = "s\(prepared.count)"
    _ = try check(try result(ofSending: PQsendPrepare(handle, name, sql, 0, nil)))
    prepared[sql] = name
    return name
  }

  /// The error of a connection that has ended, in libpq's words.
  private var lost: DatabaseError {
    DatabaseError(.connectionLost, message: url.redacted(String(cString: PQerrorMessage(handle))))
  }

  /// Turns results into errors, in this one place.
  private func check(_ result: OpaquePointer?) throws(DatabaseError) -> SQLResult {
    guard let result else { throw lost }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return PostgresRows(result).sqlResult
    default:
      defer { PQclear(result) }
      func field(_ code: Character) -> String? {
        code.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }.map { String(cString: $0) }
      }
      // The detail is omitted, because it quotes values.
      let message = field("M") ?? String(cString: PQerrorMessage(handle))
      let state = field("C")
      let isLost = PQstatus(handle) != CONNECTION_OK || Self.endsSession(state)
      throw DatabaseError(
        isLost ? .connectionLost : Self.kind(state), code: state.map { "SQLSTATE \($0)" },
        message: url.redacted(message))
    }
  }

  /// What an error with this SQLSTATE (PostgreSQL 15 manual, appendix A) is.
  private static func kind(_ state: String?) -> DatabaseError.Kind {
    switch state {
    case "40001", "40P01": .conflict
    case "55P03": .lockTimeout
    // A server that has become read-only, because another one has taken its place.
    case "25006": .connectionLost
    case let state? where state.hasPrefix("23"): .constraint
    default: .statement
    }
  }

  /// Whether the connection has ended, which libpq may not know yet: the server closes it (SQLSTATE classes
  /// 08 and 57P0, and 25P03 for a transaction that was idle for too long), or libpq could not send, and its
  /// own error has no SQLSTATE.
  private static func endsSession(_ state: String?) -> Bool {
    guard let state else { return true }
    return state.hasPrefix("08") || state.hasPrefix("57P0") || state == "25P03"
  }

  /// Calls `body` with the texts as a C array that ends with NULL.
  package static func withCStrings(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Void
  ) {
    var bytes: [CChar] = []
    var starts: [Int] = []
    for text in texts {
      starts.append(bytes.count)
      bytes += text.utf8CString
    }
    bytes.withUnsafeBufferPointer { buffer in
      let pointers = starts.map { start in buffer.baseAddress.map { $0 + start } } + [nil]
      pointers.withUnsafeBufferPointer { if let base = $0.baseAddress { body(base) } }
    }
  }
}
