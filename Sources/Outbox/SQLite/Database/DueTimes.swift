internal import Clock

/// Due times that were written while the machine's clock was ahead of what it is now.
///
/// A running gateway notices that its clock was set back, and shifts due times. One that starts finds on disk
/// what was written in its own future. Each delivery then waits for as long as was meant when it was written,
/// from now on. Times that a caller gave (`send_at`) are not the gateway's, and stay.
enum DueTimes {
  /// A smaller difference is drift.
  private static let leastMilliseconds: Int64 = 1_000

  /// Corrects the due times of waiting deliveries; how many there were. Nothing is written if there are none.
  /// O(apps · log n) then.
  static func correct(_ connection: SQLiteConnection, now: Timestamp) throws(SQLiteError) -> Int {
    let future = """
      next_attempt_at > \(now.milliseconds) AND updated_at > \(now.milliseconds + leastMilliseconds)
      """
    let listed = """
      state < 3 AND app = a.id AND priority = p.column1 AND state BETWEEN 1 AND 2 AND \(future)
      """
    let unlisted = """
      row >= ((SELECT value FROM marks WHERE name = 'indexed') + 1) << \(RowLayout.deliveryBits)
        AND state = \(DeliveryState.unlisted) AND \(future)
      """
    let found = try connection.integer(
      """
      SELECT EXISTS (SELECT 1 FROM deliveries WHERE \(unlisted)) OR EXISTS (
        SELECT 1 FROM apps AS a, (VALUES (0), (1)) AS p
        WHERE EXISTS (SELECT 1 FROM deliveries WHERE \(listed)))
      """)
    guard found == 1 else { return 0 }
    // A retry of a dead letter began a ttl of its own then, which begins now.
    try connection.execute(
      """
      UPDATE deliveries AS d SET
        next_attempt_at = \(now.milliseconds)
          + min(max(d.next_attempt_at - d.updated_at, 0), d.next_attempt_at - \(now.milliseconds)),
        expires_at = min(d.expires_at, \(now.milliseconds)
          + (SELECT coalesce(n.ttl, n.expires_at - n.created_at) FROM notifications AS n
            WHERE n.row = \(RowLayout.notificationRowSQL(of: "d.row")))),
        updated_at = \(now.milliseconds)
      WHERE d.row IN (
        SELECT row FROM deliveries, apps AS a, (VALUES (0), (1)) AS p WHERE \(listed)
        UNION ALL SELECT row FROM deliveries WHERE \(unlisted))
      """)
    return connection.changedRows
  }
}
