extension EventLoop {
  /// Nanoseconds of the monotonic clock, and the Date field, as of the beginning of the turn.
  var now: UInt64 { clock.now }
  var date: [UInt8] { clock.date }

  /// When the loop has something to do although nothing comes; nil for never.
  var nextDeadline: UInt64? {
    [deadlines.earliest?.deadline, acceptsAgainAt, drainEnd].compactMap(\.self).min()
  }
}
