/// An error of SQLite or PostgreSQL.
package struct DatabaseError: Error {
  package enum Kind: Sendable, Equatable {
    /// The database refused a statement; the connection still works.
    case statement
    /// A statement broke a rule of the schema, for example with an id that exists already.
    case constraint
    /// The same transaction may succeed when it is repeated: serialization failure, deadlock.
    case conflict
    /// A statement has waited too long for a lock.
    case lockTimeout
    /// One record cannot be read; the others can.
    case unreadableRecord
    /// SQLite found what it never writes. It may have been misread.
    case damage
    /// The system could not read or write a file, which may pass.
    case readOrWrite
    /// Only the sync to disk failed, so that the kernel has everything.
    case sync
    case full
    /// The connection is lost, could not be made, or its server has become read-only.
    case connectionLost
    /// A server answered, but refuses the connection until somebody changes something.
    case refused
    /// The lease of this gateway has ended.
    case leaseLost
    /// A COMMIT succeeded on the server alone: no standby has confirmed it.
    case notReplicated
    /// An operator must act: another program's file, a setting.
    case unusable
    /// Why this operation alone cannot be performed, or why none can, in the words of `underlying`.
    case operation, store
  }

  package let kind: Kind
  /// Contains nothing that was bound to a statement.
  package let message: String
  /// The database's own code: `SQLite code 10`, `SQLSTATE 40001`.
  package let code: String?
  /// Whether a transaction that failed at its COMMIT may have been kept.
  package var isOutcomeUnknown = false
  /// What the caller's own code has thrown.
  package private(set) var underlying: (any Error)?

  package init(_ kind: Kind = .statement, code: String? = nil, message: String) {
    self.kind = kind
    self.code = code
    self.message = message
  }

  /// An error of the caller's own.
  package init(_ kind: Kind, underlying: any Error & CustomStringConvertible) {
    self.init(kind, message: underlying.description)
    self.underlying = underlying
  }

  /// A record that the database reads without an error, but that the gateway cannot have written.
  package static func unreadable(_ message: String) -> DatabaseError {
    DatabaseError(.unreadableRecord, message: message)
  }

  package static let leaseLost = DatabaseError(.leaseLost, message: "the lease was taken over")

  package static let notReplicated = DatabaseError(
    .notReplicated, message: "no synchronous standby has confirmed the last transaction")

  package var isConnectionLost: Bool { kind == .connectionLost || kind == .refused }

  /// Whether the store as a whole is affected, rather than one call.
  package var concernsStore: Bool {
    switch kind {
    case .constraint, .conflict, .lockTimeout, .unreadableRecord, .leaseLost, .operation: false
    case .statement, .damage, .readOrWrite, .sync, .full, .connectionLost, .refused, .notReplicated,
      .unusable,
      .store:
      true
    }
  }
}
