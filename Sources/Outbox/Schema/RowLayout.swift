/// How the rows of notifications and deliveries are numbered, in every database.
///
/// A delivery's row is its notification's row, shifted by `deliveryBits`, plus its position in the
/// notification. So the deliveries of a notification need no index.
package enum RowLayout {
  package static let deliveryBits: Int64 = 12
  static let deliveriesMax = 1 << deliveryBits

  /// The rows that a notification can have.
  package static let notificationRows: ClosedRange<Int64> = 1...(1 << 50)

  package static func deliveryRow(of notification: Int64, position: Int) -> Int64 {
    notification << deliveryBits + Int64(position)
  }

  /// The row of a delivery's notification.
  package static func notificationRow(of delivery: Int64) -> Int64 { delivery >> deliveryBits }

  /// The rows that the deliveries of a notification can have.
  static func deliveryRows(of notification: Int64) -> ClosedRange<Int64> {
    let first = notification << deliveryBits
    return first...(first + Int64(deliveriesMax) - 1)
  }

  /// `deliveryRows` in SQL, as the operands of BETWEEN.
  static func deliveryRowsSQL(of notification: String) -> String {
    "(\(notification) << \(deliveryBits)) AND (\(notification) << \(deliveryBits)) + \(deliveriesMax - 1)"
  }

  /// `notificationRow` in SQL.
  static func notificationRowSQL(of delivery: String) -> String { "(\(delivery) >> \(deliveryBits))" }
}

// Where deliveries are found by their targets. An index by the targets themselves would be as large as they
// are, and each new one would change another of its pages. So the index is by groups of notifications, and in
// a group by the targets' last bytes: new entries are beside each other, and a search looks at one group
// after the other.
extension RowLayout {
  /// A group has the deliveries of 64 notifications.
  static let groupBits = deliveryBits + 6
  /// How many bytes of a target are in the index.
  static let indexedBytes = 8
  /// How many groups a search looks at before it returns a cursor.
  static let groupsPerSearchMax = 4_096

  /// The first notification of a group.
  static func firstRow(inGroup group: Int64) -> Int64 { group << (groupBits - deliveryBits) }

  /// The group of a notification's deliveries.
  static func group(of notification: Int64) -> Int64 { notification >> (groupBits - deliveryBits) }
}
