internal import Glibc

/// Exclusive use of what one thread usually works on, so that another thread can go on in its place while
/// that one sleeps.
///
/// A mutex of pthreads and not of `Synchronization`, because ThreadSanitizer understands it.
// Guard: `mutex` is allocated in `init` and freed in `deinit`; pthreads allows any thread to use it.
package final class Turn: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  package init() { pthread_mutex_init(mutex, nil) }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Waits until nobody has the turn. Not for a thread that has it.
  package func take() { pthread_mutex_lock(mutex) }

  /// Takes the turn unless somebody has it, even this thread.
  package func tryTake() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  /// For the thread that has the turn.
  package func end() { pthread_mutex_unlock(mutex) }
}
