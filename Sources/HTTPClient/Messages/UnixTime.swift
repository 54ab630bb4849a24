internal import Glibc

/// The wall clock.
package enum UnixTime {
  @Sendable package static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec)
  }
}
