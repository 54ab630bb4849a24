internal import Clock
internal import Glibc

/// The time of one turn of a loop, and the Date field that goes with it.
struct LoopClock {
  /// Nanoseconds of the monotonic clock.
  private(set) var now: UInt64 = 0
  /// RFC 9110 §5.6.7.
  private(set) var date: [UInt8] = []
  private var dateSecond = Int.min

  mutating func update() {
    now = Self.nanoseconds(CLOCK_MONOTONIC)
    let second = Int(Self.nanoseconds(CLOCK_REALTIME_COARSE) / 1_000_000_000)
    if second != dateSecond {
      dateSecond = second
      date = HTTPDate.bytes(secondsSince1970: second)
    }
  }

  /// The time left, rounded up, for `epoll_wait`: -1 without a deadline.
  func milliseconds(until deadline: UInt64?) -> Int32 {
    guard let deadline else { return -1 }
    guard deadline > now else { return 0 }
    return Int32(clamping: (deadline - now + 999_999) / 1_000_000)
  }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
