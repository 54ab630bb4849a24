/// Statements that a connection sends together: the server answers all of them in one round trip, and skips
/// those after one that fails.
package struct PostgresBatch {
  package struct Statement {
    package let sql: String
    package let values: [SQLValue]

    package init(sql: String, values: [SQLValue]) {
      self.sql = sql
      self.values = values
    }
  }

  package private(set) var statements: [Statement] = []

  package init() {}

  package var isEmpty: Bool { statements.isEmpty }

  /// Adds a statement; returns its place among the results.
  @discardableResult
  package mutating func add(_ sql: String, _ values: [SQLValue] = []) -> Int {
    add(Statement(sql: sql, values: values))
  }

  @discardableResult
  package mutating func add(_ statement: Statement) -> Int {
    statements.append(statement)
    return statements.count - 1
  }
}
