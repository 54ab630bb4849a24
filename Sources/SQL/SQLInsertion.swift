/// The columns of new rows, in the order of their values, for statements that insert several rows at once.
package struct SQLInsertion: Sendable {
  package enum Kind: String, Sendable { case bigint, bytea, uuid }

  package typealias Columns = [(name: String, kind: Kind)]

  package let columnCount: Int
  private let start: String
  private let constants: String
  /// The statement with an array for each column, for PostgreSQL. `unnest` is in the list of columns: in
  /// FROM, the server first writes each array into a store of its own, which takes a sixth more instructions.
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
