internal import Clock
import FCMMessage
import SQL

/// What the checksum of a delivery's row covers, apart from the state.
struct StoredDelivery {
  static let columns = "d.row, d.id, d.target_kind, d.target, d.expires_at, d.activity, d.checksum"
  static let columnCount = 7

  let row: Int64
  let id: DeliveryID
  let target: Target
  let expiresAt: Timestamp
  let activityToken: String?
  private let storedChecksum: Int64

  /// Reads `columns`, which come first; nil for what the gateway cannot have written.
  init?(_ row: SQLRow) {
    guard let id = row.uuid(1), let target = Target(kind: row.integer(2), value: row.text(3) ?? "") else {
      return nil
    }
    self.row = row.integer(0)
    self.id = DeliveryID(id)
    self.target = target
    (expiresAt, activityToken, storedChecksum) = (row.time(4), row.text(5), row.integer(6))
  }

  /// Whether the checksum fits a state.
  func isIntact(_ state: DeliveryState) -> Bool { storedChecksum == checksum(expiresAt: expiresAt, state) }

  /// Only for an intact delivery: a new checksum would make a damaged record look intact.
  func checksum(expiresAt: Timestamp, _ state: DeliveryState) -> Int64 {
    RowChecksum.delivery(
      row: row, id.uuid, to: target, expiresAt: expiresAt, activity: activityToken, state)
  }
}
