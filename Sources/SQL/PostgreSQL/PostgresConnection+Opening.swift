import CPostgres
import Clock
import Glibc

/// What a server that does not let a session begin, or a pooler in front of it, means.
extension PostgresConnection {
  /// How long the reason of a refusal may take to find.
  private static let refusalMillisecondsMax = 5_000

  /// Whether a server that refused a connection will refuse it until somebody changes something, such as a
  /// password, rather than until connections are free or a standby has become the primary.
  ///
  /// libpq reports the SQLSTATE of a failed connection within a verbose message only, which a connection that
  /// waits for the server cannot ask for. So it tries a second time.
  package static func isRefusalPermanent(_ settings: [(String, String)]) -> Bool {
    // A session that may only read shows that a standby answers.
    let settings = settings + [("target_session_attrs", "any")]
    var opened: OpaquePointer?
    withCStrings(settings.map(\.0)) { keywords in
      withCStrings(settings.map(\.1)) { values in opened = PQconnectStartParams(keywords, values, 1) }
    }
    guard let opened else { return false }
    defer { PQfinish(opened) }
    PQsetErrorVerbosity(opened, PQERRORS_VERBOSE)
    let deadline = ContinuousClock.now + .milliseconds(refusalMillisecondsMax)
    var progress = PGRES_POLLING_WRITING
    while progress != PGRES_POLLING_FAILED {
      guard progress != PGRES_POLLING_OK, PQsocket(opened) >= 0 else { return false }
      let left = Int32(clamping: (deadline - .now).wholeMilliseconds)
      let events = progress == PGRES_POLLING_READING ? POLLIN : POLLOUT
      var descriptor = pollfd(fd: PQsocket(opened), events: Int16(events), revents: 0)
      guard left > 0, poll(&descriptor, 1, left) != 0 else { return false }
      progress = PQconnectPoll(opened)
    }
    // libpq's own reasons, such as a certificate that it does not trust, have no state.
    guard let state = sqlState(in: String(cString: PQerrorMessage(opened))) else { return true }
    return isPermanent(state: state)
  }

  /// The SQLSTATE in a verbose message: `FATAL:  53300: sorry, too many clients already`.
  package static func sqlState(in message: String) -> String? {
    let parts = message.split(separator: ":").lazy.map { part in part.drop { $0 == " " } }
    let state = parts.first { part in
      part.utf8.count == 5 && part.contains(where: \.isNumber)
        && part.allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
    }
    return state.map { String($0) }
  }

  /// Whether a pooler gives this session another process of the server from transaction to transaction, as
  /// pgbouncer does with `pool_mode = transaction`. Settings, prepared statements and locks of a session do
  /// not last then.
  package func isPooledByTransaction() throws(DatabaseError) -> Bool {
    let first = try backendProcess()
    // Between PostgreSQL and libpq, nobody changes the number that belongs to the session.
    if first.process == Int64(ownProcess) || !first.isPostgres { return false }
    let other = try PostgresConnection(url)
    for _ in 0..<Self.poolerTriesMax {
      let (own, others) = (try backendProcess().process, try other.backendProcess().process)
      if own == others || own != first.process { return true }
    }
    return false
  }

  private static let poolerTriesMax = 5

  /// The process that serves this statement, and whether the server is PostgreSQL itself.
  private func backendProcess() throws(DatabaseError) -> (process: Int64, isPostgres: Bool) {
    let row = try runOnce("SELECT pg_backend_pid()::bigint AS id, version()").first
    return (row?.integer(0) ?? 0, row?.text(1)?.hasPrefix("PostgreSQL") ?? false)
  }
}

extension PostgresConnection {
  /// Whether an error with this SQLSTATE stays until somebody changes something: the authorization (28,
  /// 42501), the name of a database or schema (3D, 3F), the schema (42), what the server supports (0A,
  /// 08P01), or a parameter (22).
  package static func isPermanent(state: String) -> Bool {
    ["28", "3D", "3F", "42", "0A", "22", "08P01"].contains { state.hasPrefix($0) }
  }
}

extension DatabaseError {
  /// Whether to open the queue again is futile until somebody changes something.
  package var isPermanent: Bool {
    if kind == .refused || kind == .unusable { return true }
    let prefix = "SQLSTATE "
    guard let code, code.hasPrefix(prefix) else { return false }
    return PostgresConnection.isPermanent(state: String(code.dropFirst(prefix.count)))
  }
}
