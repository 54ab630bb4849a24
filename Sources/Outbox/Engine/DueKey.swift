import Clock

/// The order in which an app's deliveries of one priority are sent: by due time, then in the order of
/// acceptance.
struct DueKey: Comparable {
  let at: Timestamp
  let row: Int64

  /// Before all others.
  static var first: DueKey { DueKey(at: Timestamp(milliseconds: .min), row: .min) }

  /// The least key after this one.
  var next: DueKey { DueKey(at: at, row: row &+ 1) }

  static func < (left: Self, right: Self) -> Bool {
    left.at != right.at ? left.at < right.at : left.row < right.row
  }
}
