import CPostgres

/// What PostgreSQL or libpq answered in place of success.
struct PostgresError: Error {
  /// SQLSTATE (PostgreSQL 15 manual, appendix A); nil where there was no answer.
  let state: String?
  let message: String
  /// Whether the connection went with it.
  let isConnectionLost: Bool
  /// Whether a server answers there that did not let us in.
  private(set) var isRefused = false

  init(state: String? = nil, message: String, isConnectionLost: Bool = false, isRefused: Bool = false) {
    self.state = state
    self.message = message
    self.isConnectionLost = isConnectionLost
    self.isRefused = isRefused
  }

  /// Whether the statement broke a rule of the schema, an id that exists already say (class 23).
  var isConstraint: Bool { state?.hasPrefix("23") ?? false }

  /// Whether the same transaction may well succeed when it is run again: serialization failure, deadlock.
  var isPassing: Bool { state == "40001" || state == "40P01" }

  /// Whether the lease of this gateway had ended; see `PostgresWriter+Leases.swift`.
  var isLeaseLost: Bool { state == Self.leaseLost.state }

  /// Thrown where the lease of this gateway has ended.
  static let leaseLost = PostgresError(state: "lease lost", message: "the lease was taken over")

  /// Whether another connection is needed: this one is lost, or its server has become read-only (SQLSTATE 25006),
  /// because another one has taken its place.
  var isConnectionUseless: Bool { isConnectionLost || state == "25006" }

  /// What callers and operators are told. Nothing that was bound to a statement is in it.
  var outboxError: OutboxError {
    if isConstraint {
      return OutboxError(
        code: .unavailable, description: "the queue holds such a notification already; nothing was kept")
    }
    let code = state.map { ", SQLSTATE \($0)" } ?? ""
    return OutboxError(
      code: .unavailable, description: "the queue's database failed (\(message)\(code)); nothing was kept")
  }
}

/// One connection to a PostgreSQL database; closes it when it goes. Confined to whoever made it: one thread at a time.
final class PostgresConnection {
  private let handle: OpaquePointer
  private let url: PostgresURL
  /// The names of the statements that the server has compiled, by their text.
  private var prepared: [String: String] = [:]

  /// Settings that a URL may replace: a host that is gone is noticed within half a minute, and of several hosts the
  /// one is taken that can be written to.
  private static let defaults = [
    ("connect_timeout", "5"), ("keepalives", "1"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
    ("keepalives_count", "3"), ("tcp_user_timeout", "20000"), ("target_session_attrs", "read-write"),
    ("fallback_application_name", "dragoman"),
  ]

  /// Connects, which may take as long as `connect_timeout` says for each host.
  init(_ url: PostgresURL) throws(PostgresError) {
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
    guard let opened else { throw PostgresError(message: "out of memory") }
    guard PQstatus(opened) == CONNECTION_OK else {
      let message = url.redacted(String(cString: PQerrorMessage(opened)))
      PQfinish(opened)
      throw PostgresError(message: message, isConnectionLost: true, isRefused: ping == PQPING_OK)
    }
    dragoman_pq_silence(opened)
    handle = opened
  }

  deinit { PQfinish(handle) }

  /// Runs statements that bind nothing and whose rows do not matter.
  func execute(_ sql: String) throws(PostgresError) { _ = try check(PQexec(handle, sql)) }

  /// Runs one statement. The server compiles it once for the connection.
  @discardableResult
  func run(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) -> PostgresRows {
    let name = try name(of: sql)
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
    let result = buffer.withUnsafeBytes { raw in
      let base = raw.bindMemory(to: CChar.self).baseAddress
      let pointers = places.map { place in place.flatMap { place in base.map { $0 + place.start } } }
      return PQexecPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 1)
    }
    return try check(result)
  }

  private func name(of sql: String) throws(PostgresError) -> String {
    if let known = prepared[sql] { return known }
    let name = "s\(prepared.count)"
    _ = try check(PQprepare(handle, name, sql, 0, nil))
    prepared[sql] = name
    return name
  }

  /// The one place where answers become errors.
  private func check(_ result: OpaquePointer?) throws(PostgresError) -> PostgresRows {
    guard let result else {
      throw PostgresError(
        message: url.redacted(String(cString: PQerrorMessage(handle))), isConnectionLost: true)
    }
    switch PQresultStatus(result) {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return PostgresRows(result)
    default:
      defer { PQclear(result) }
      func field(_ code: Character) -> String? {
        code.asciiValue.flatMap { PQresultErrorField(result, Int32($0)) }.map { String(cString: $0) }
      }
      // Not the detail, which quotes values.
      let message = field("M") ?? String(cString: PQerrorMessage(handle))
      let state = field("C")
      let isLost = PQstatus(handle) != CONNECTION_OK || Self.endsSession(state)
      throw PostgresError(state: state, message: url.redacted(message), isConnectionLost: isLost)
    }
  }

  /// Whether the connection is of no use any more, which libpq may not know yet: the server says goodbye (SQLSTATE classes
  /// 08 and 57P0), or it is libpq's own error, which has no SQLSTATE, because it could not send.
  private static func endsSession(_ state: String?) -> Bool {
    guard let state else { return true }
    return state.hasPrefix("08") || state.hasPrefix("57P0")
  }

  /// Calls `body` with the texts as a C array that ends with NULL.
  private static func withCStrings(
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
