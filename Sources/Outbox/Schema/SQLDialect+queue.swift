import SQL

extension SQLDialect {
  /// A condition: whether the notification in a row is not being written in parts.
  func isComplete(_ row: String) -> String {
    switch self {
    case .sqlite:
      "NOT EXISTS (SELECT 1 FROM dragoman_intakes AS i WHERE \(row) BETWEEN i.first_row AND i.last_row)"
    case .postgres: "true"
    }
  }

  /// The last bytes of a target, which are in its index.
  func ending(_ target: String) -> String {
    switch self {
    case .sqlite: "substr(\(target), -\(RowLayout.indexedBytes))"
    case .postgres: "substring(\(target) FROM greatest(1, length(\(target)) - \(RowLayout.indexedBytes - 1)))"
    }
  }
}
