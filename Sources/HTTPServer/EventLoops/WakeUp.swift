internal import CLinux
internal import Glibc

/// Wakes one loop that sleeps in `epoll_wait`, through an eventfd.
final class WakeUp: Sendable {
  /// Readable when the loop was woken.
  let descriptor: Int32

  /// Nil with `errno` when there is no descriptor left.
  init?() {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  func send() { eventfd_write(descriptor, 1) }

  /// Resets the descriptor after it woke the loop.
  func clear() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }
}
