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

  /// Wakes the loop: now, or at the end of the thread's `HTTPAnswers.together`.
  func send() {
    if !HTTPAnswers.postpone(self) { sendNow() }
  }

  fileprivate func sendNow() { eventfd_write(descriptor, 1) }

  /// Resets the descriptor after it woke the loop.
  func clear() {
    var count: eventfd_t = 0
    eventfd_read(descriptor, &count)
  }
}

/// Answers that a thread gives one after the other.
package enum HTTPAnswers {
  /// Of a thread in `together`: a pointer to the wake-ups that it owes. Nil if the system has no key left;
  /// then nothing is postponed.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// Calls `body`, which answers many requests, and then wakes each loop once that has to write them.
  /// Otherwise the first answer would wake a loop, which takes the processor from the thread that gives the
  /// others.
  package static func together(_ body: () -> Void) {
    guard let key, pthread_getspecific(key) == nil else { return body() }
    var owed: [WakeUp] = []
    withUnsafeMutablePointer(to: &owed) { pointer in
      // Guard: the thread forgets the pointer before this function returns, and nobody else uses it.
      pthread_setspecific(key, pointer)
      body()
      pthread_setspecific(key, nil)
    }
    for wakeUp in owed { wakeUp.sendNow() }
  }

  /// Notes a wake-up for the end of `together`; false outside of it.
  fileprivate static func postpone(_ wakeUp: WakeUp) -> Bool {
    guard let key, let owed = pthread_getspecific(key) else { return false }
    owed.assumingMemoryBound(to: [WakeUp].self).pointee.append(wakeUp)
    return true
  }
}
