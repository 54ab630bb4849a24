internal import Clock
internal import Dispatch
internal import Outbox
internal import Synchronization

/// Reads the queue for the notifications that are followed: one at a time, each at intervals, and no longer
/// than half of the time, so that streams take little from what others read.
final class FollowedReads: Sendable {
  private struct State: Sendable {
    var store: (any OutboxStore)?
    var waiting: [FollowedNotification] = []
    var isReading = false
  }

  /// The shortest time between two readings of one notification.
  private static let intervalMilliseconds = 100

  private let queue: DispatchQueue
  private let state = Mutex(State())

  init(queue: DispatchQueue) { self.queue = queue }

  func use(_ store: any OutboxStore) { state.withLock { $0.store = store } }

  /// Reads the notification soon, because it may have changed.
  func read(_ followed: FollowedNotification) {
    guard followed.becomesDue() else { return }
    state.withLock { $0.waiting.append(followed) }
    queue.async { self.next() }
  }

  private func next() {
    let (followed, store) = state.withLock { state -> (FollowedNotification?, (any OutboxStore)?) in
      guard !state.isReading, !state.waiting.isEmpty else { return (nil, nil) }
      state.isReading = true
      return (state.waiting.removeFirst(), state.store)
    }
    guard let followed else { return }
    guard let store else { return finish(followed, after: .now) }
    let began = ContinuousClock.now
    followed.beginsReading()
    store.notification(followed.id) { [self] result in
      // What cannot be read now is read again in a second.
      if case .success(let stored) = result { followed.note(stored) }
      finish(followed, after: began)
    }
  }

  private func finish(_ followed: FollowedNotification, after began: ContinuousClock.Instant) {
    let took = Int(saturating: (ContinuousClock.now - began) / .microseconds(1))
    queue.asyncAfter(deadline: .now() + .microseconds(took)) { [self] in
      state.withLock { $0.isReading = false }
      next()
    }
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.intervalMilliseconds)) { [self] in
      if followed.endsReading() { read(followed) }
    }
  }
}
