import CPostgres
internal import Clock

/// The columns that statements return, by their names there.
enum PostgresColumn: String {
  case activity, app, at, attempts, body, bytes, checksum, client, code, copy, count, deliveries, delivery
  case dictionary, fingerprint, fsync, headers, id, key, message, name
  case notification, open, owner, place, row, state, status, target, template, trace, ttl, version
  case activityAt = "activity_at"
  case activityEvent = "activity_event"
  case changedAt = "changed_at"
  case claimedBy = "claimed_by"
  case climbAt = "climb_at"
  case climbRate = "climb_rate"
  case createdAt = "created_at"
  case errorAPNsReason = "error_apns_reason"
  case errorCode = "error_code"
  case errorMessage = "error_message"
  case errorStatus = "error_status"
  case expiresAt = "expires_at"
  case heldUntil = "held_until"
  case messageName = "message_name"
  case nextAttemptAt = "next_attempt_at"
  case probeAt = "probe_at"
  case quotaAt = "quota_at"
  case stopAt = "stop_at"
  case stopReason = "stop_reason"
  case stopSince = "stop_since"
  case synchronousCommit = "synchronous_commit"
  case targetKind = "target_kind"
  case updatedAt = "updated_at"
  case usedAt = "used_at"
}

/// The result of a statement, in the binary format.
final class PostgresRows {
  private let result: OpaquePointer
  private let positions: [PostgresColumn: Int32]
  let count: Int
  /// Rows that an INSERT, UPDATE or DELETE changed.
  let changed: Int

  /// Takes ownership of the result.
  init(_ result: OpaquePointer) {
    self.result = result
    count = Int(PQntuples(result))
    changed = Int(String(cString: PQcmdTuples(result))) ?? 0
    var positions: [PostgresColumn: Int32] = [:]
    for position in 0..<PQnfields(result) {
      guard let name = PQfname(result, position) else { continue }
      if let column = PostgresColumn(rawValue: String(cString: name)) { positions[column] = position }
    }
    self.positions = positions
  }

  deinit { PQclear(result) }

  var isEmpty: Bool { count == 0 }

  /// Each row, in order.
  var rows: some Sequence<Row> { (0..<count).lazy.map { Row(rows: self, index: Int32($0)) } }

  /// The integer in the first column of the first row; nil if there is no row.
  var value: Int64? { first?.integer(at: 0) }

  var first: Row? { count > 0 ? Row(rows: self, index: 0) : nil }

  /// One row of it.
  struct Row {
    fileprivate let rows: PostgresRows
    fileprivate let index: Int32

    func isNull(_ column: PostgresColumn) -> Bool {
      rows.positions[column].map { PQgetisnull(rows.result, index, $0) == 1 } ?? true
    }

    /// Of a bigint; 0 for NULL.
    func integer(_ column: PostgresColumn) -> Int64 {
      rows.positions[column].map { integer(at: $0) } ?? 0
    }

    fileprivate func integer(at position: Int32) -> Int64 {
      let bytes = raw(at: position)
      return bytes.count == 8 ? Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)) : 0
    }

    func optionalInteger(_ column: PostgresColumn) -> Int64? { isNull(column) ? nil : integer(column) }

    /// Of a bytea; empty for NULL.
    func bytes(_ column: PostgresColumn) -> [UInt8] { Array(raw(column)) }

    /// Of a bytea or a text; nil for NULL.
    func text(_ column: PostgresColumn) -> String? {
      isNull(column) ? nil : String(decoding: raw(column), as: UTF8.self)
    }

    /// Of a uuid; nil for NULL.
    func uuid(_ column: PostgresColumn) -> UUIDv7? { UUIDv7(bytes: raw(column)) }

    func time(_ column: PostgresColumn) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    func optionalTime(_ column: PostgresColumn) -> Timestamp? {
      optionalInteger(column).map { Timestamp(milliseconds: $0) }
    }

    private func raw(_ column: PostgresColumn) -> UnsafeRawBufferPointer {
      rows.positions[column].map { raw(at: $0) } ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// libpq keeps the bytes as long as the result lives, which `rows` keeps alive.
    private func raw(at position: Int32) -> UnsafeRawBufferPointer {
      let count = Int(PQgetlength(rows.result, index, position))
      return UnsafeRawBufferPointer(start: PQgetvalue(rows.result, index, position), count: count)
    }
  }
}
