/// A connection that writes in transactions. Confined to its owner: one thread at a time.
package protocol SQLWriter: SQLConnection {
  associatedtype Connection: SQLConnection

  /// For statements outside its transactions.
  var connection: Connection { get }

  /// Whether a transaction has begun.
  var isOpen: Bool { get }

  /// Begins a transaction unless one is open.
  func begin() throws(DatabaseError)

  /// Runs a statement whose result nobody needs, at the latest before the next one whose result is needed.
  func send(_ sql: String, _ values: [SQLValue]) throws(DatabaseError)

  func commit() throws(DatabaseError)

  /// Takes the transaction back after an error; returns the error with what is known of the outcome.
  func rollBack(after error: DatabaseError, isCommitting: Bool) -> DatabaseError
}

/// The columns of new rows, in the order of their values, for statements that insert several rows at once.
package struct SQLInsertion: Sendable {
  package enum Kind: String, Sendable { case bigint, bytea, uuid }

  package typealias Columns = [(name: String, kind: Kind)]

  package let columnCount: Int
  private let start: String
  private let constants: String
  /// The statement with an array for each column, for PostgreSQL. `unnest` is in the list of columns: in FROM,
  /// the server first writes each array into a store of its own, which takes a sixth more instructions.
  package let arrays: String

  /// `zeros`: columns that are 0 in each row.
  package init(into table: String, _ columns: Columns, zeros: [String] = []) {
    columnCount = columns.count
    start = "INSERT INTO \(table) (\((columns.map(\.name) + zeros).joined(separator: ", ")))"
    constants = zeros.map { _ in ", 0" }.joined()
    let arrays = columns.enumerated().map { "unnest($\($0 + 1)::\($1.kind.rawValue)[])" }
    self.arrays = "\(start) SELECT \(arrays.joined(separator: ", "))\(constants)"
  }

  /// The statement for some rows, with a parameter for each value.
  package func values(rows: Int) -> String {
    let values = (0..<rows).map { row in
      let parameters = (1...columnCount).map { "$\(row * columnCount + $0)" }
      return "(\(parameters.joined(separator: ", "))\(constants))"
    }
    return "\(start) VALUES \(values.joined(separator: ", "))"
  }
}
