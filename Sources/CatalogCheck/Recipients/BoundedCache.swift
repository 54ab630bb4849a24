internal import Synchronization

/// Values by key, made on demand and shared by threads. It holds at most `countMax` values, and starts anew
/// when it is full, because the keys come from outside.
final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private let countMax: Int
  private let values = Mutex<[Key: Value]>([:])

  init(countMax: Int) { self.countMax = countMax }

  /// The value of a key. Two threads may make the same one at the same time; nobody waits for that.
  func value(_ key: Key, make: () -> Value) -> Value {
    if let known = known(key) { return known }
    let made = make()
    values.withLock { values in
      if values.count >= countMax { values.removeAll(keepingCapacity: true) }
      values[key] = made
    }
    return made
  }

  func known(_ key: Key) -> Value? { values.withLock { $0[key] } }

  /// The number of values, for tests.
  var count: Int { values.withLock(\.count) }
}
