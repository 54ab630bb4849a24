internal import CJemalloc

/// The program's malloc, which is jemalloc's.
///
/// What one thread allocates, another often frees: a request goes from its event loop to the store's thread
/// and back. glibc returns such memory to the heap of the first thread under a lock, and keeps what a load
/// has left behind.
package enum MemoryAllocator {
  /// From now on, free memory goes back to the system after three seconds, also while nothing is allocated.
  /// False if the thread for it cannot be started.
  package static func startGivingBack() -> Bool { dragoman_jemalloc_start_thread() == 0 }
}
