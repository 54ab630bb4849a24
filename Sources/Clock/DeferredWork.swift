internal import Glibc

/// Work that a thread puts off until the end of a task, to do it once for everything that asks for it
/// meanwhile.
package enum DeferredWork {
  /// Of a thread in `afterwards`: a pointer to the work that it owes. Nil if the system has no key left; then
  /// nothing is put off.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }()

  /// Calls `body`, and then performs what was put off during it, in that order. Within another call, that one
  /// performs it.
  package static func afterwards(_ body: () -> Void) {
    guard let key, pthread_getspecific(key) == nil else { return body() }
    var owed: [() -> Void] = []
    withUnsafeMutablePointer(to: &owed) { pointer in
      // Guard: the thread forgets the pointer before this function returns, and nobody else uses it.
      pthread_setspecific(key, pointer)
      body()
      pthread_setspecific(key, nil)
    }
    for work in owed { work() }
  }

  /// Has the thread perform the work at the end of its task, or now if it is in none.
  package static func perform(_ work: @escaping () -> Void) {
    guard let key, let owed = pthread_getspecific(key) else { return work() }
    owed.assumingMemoryBound(to: [() -> Void].self).pointee.append(work)
  }
}
