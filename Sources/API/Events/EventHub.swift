internal import Clock
package import DeliveryReports
internal import Dispatch
internal import FCM
internal import HTTPServer
internal import JSON
package import Outbox
internal import Synchronization

/// Collects what happens in the gateway and keeps the most recent of it for streams.
///
/// It costs nothing while there are no streams, nor a minute after the last one: until then, a stream can be
/// resumed. Everything is bounded: the streams (`StreamPermits`), the events, the notifications that are
/// followed (one per stream at most, and those of the last minute), and how often the queue is read for them.
package final class EventHub: EventFeed {
  /// What the hub asks for the state of the gateway.
  struct Sources: Sendable {
    let store: any OutboxStore
    let health: @Sendable () -> [AppHealth]
    let apps: @Sendable () -> [String]
  }

  private struct State: Sendable {
    var sources: Sources?
    var ring: EventRing<GatewayEvent>
    var readers = EventReaders()
    var followed: [NotificationID: FollowedNotification] = [:]
    var lastLeft = ContinuousClock.now
    /// The last situation of the queue, with its number.
    var queue: (number: Int, situation: QueueSituation)?
    /// A stream has begun since the last one.
    var mustTellQueue = false
    var isTicking = false
    var isCounting = false
  }

  /// Events of all notifications that are kept.
  static let eventsMax = 4_096
  private static let eventsPerReadMax = 64
  /// How long events are collected, and a notification is followed, after the last stream has ended.
  private static let memory = Duration.seconds(60)
  /// How often the queue is counted, and read for each notification that is followed.
  private static let tickSeconds = 1.0

  let numbers = EventNumbers()
  let permits: StreamPermits
  /// Whose callers wait for what happens.
  let awaited = AwaitedDeliveries()
  /// A client takes a stream that is silent for longer than three of these for dead.
  let idleInterval = Duration.seconds(1)
  private let queue = DispatchQueue(label: "dragoman.events")
  private let reads: FollowedReads
  private let isWatched = Atomic<Bool>(false)
  private let state: Mutex<State>

  package convenience init() { self.init(permits: StreamPermits()) }

  init(permits: StreamPermits) {
    self.permits = permits
    reads = FollowedReads(queue: queue)
    state = Mutex(State(ring: EventRing(capacity: Self.eventsMax, floor: 0)))
  }

  /// Names what is asked for the state of the gateway, before the first stream.
  func use(_ sources: Sources) {
    state.withLock { $0.sources = sources }
    reads.use(sources.store)
  }

  // MARK: Streams

  func join(_ waker: HTTPBodyWaker) -> Int {
    let number = state.withLock { state in
      // Those who come later are told what is known, when they first read.
      state.mustTellQueue = state.queue == nil
      return state.readers.add(waker)
    }
    watch()
    countSoon()
    return number
  }

  func leave(_ number: Int) {
    state.withLock { state in
      state.readers.remove(number)
      state.lastLeft = .now
    }
  }

  func read(after place: Int?, for principal: Principal) -> EventReading {
    let now = numbers.next()
    let (entries, known) = state.withLock { state in
      (place.flatMap { state.ring.events(after: $0, limit: Self.eventsPerReadMax) }, state.queue)
    }
    var frames = EventFrames()
    guard let entries else {
      // The caller cannot have all that happened since; what it shows may be old.
      if place != nil { frames.append(numbers.id(now), "gap", data: Array("{}".utf8)) }
      if let known {
        frames.append(
          numbers.id(known.number), "queue", data: known.situation.json(for: principal).serialized)
      }
      return EventReading(frames: frames, place: now, rest: .more)
    }
    for entry in entries {
      guard let data = entry.event.data(for: principal) else { continue }
      frames.append(numbers.id(entry.number), entry.event.name, data: data.serialized)
    }
    guard let last = entries.last else {
      return EventReading(frames: frames, place: place, rest: .nothingYet)
    }
    return EventReading(frames: frames, place: last.number, rest: .more)
  }

  /// The feed of one notification, which the queue has just shown, for a stream that continues after `place`.
  func follow(_ stored: StoredNotification, after place: Int?) -> FollowedNotification {
    watch()
    return state.withLock { state in
      if let known = state.followed[stored.id] {
        // One that is over is of use as long as nothing has happened since, such as a retry.
        if !known.isOver || known.shows(stored) && known.holds(eventsAfter: place) { return known }
      }
      let fresh = FollowedNotification(stored, numbers: numbers) { [weak self] id in self?.joined(id) }
      state.followed[stored.id] = fresh
      return fresh
    }
  }

  private func joined(_ id: NotificationID) {
    let (followed, sources) = state.withLock { ($0.followed[id], $0.sources) }
    guard let followed, let sources else { return }
    followed.note(wait(of: followed.app, sources.health(), now: sources.store.now))
    reads.read(followed)
  }

  private func wait(of app: String, _ health: [AppHealth], now: Timestamp) -> SendingWait? {
    health.first { $0.app.hasSameBytes(as: app) }.flatMap { SendingWait($0, now: now) }
  }
}

// MARK: - What happens

extension EventHub {
  /// Takes an event of the delivery engine. Does nothing while nobody listens.
  package func note(_ event: DeliveryEvent) {
    awaited.note(event)
    guard isWatched.load(ordering: .relaxed) else { return }
    switch event {
    case .attempted(let app, let reference, let outcome, let milliseconds, _):
      let error: DeliveryError? =
        switch outcome {
        case .failed(let failure): DeliveryError(failure)
        case .sent, .withdrawn: nil
        }
      let attempt = DeliveryAttempt(
        subject: DeliverySubject(reference, app: app), number: reference.attempts + 1, error: error,
        milliseconds: milliseconds, at: now)
      publish(.attempt(attempt))
      followed(reference.notification)?.note(attempt)
    case .recorded(let app, let reference, let outcome, _):
      note(reference, app, DeliveryState(outcome), next: nil)
    case .waits(let app, let reference, let until): note(reference, app, .queued, next: until)
    case .slowed, .breakerOpened, .breakerClosed, .paused, .resumed: countSoon()
    case .unsent, .validated, .outcomeUnknown, .deadRegistration, .deadActivity, .thirdPartyAuth,
      .retryAfterCapped,
      .storeFailed, .storeRecovered, .stoppedUnsettled:
      break
    }
  }

  private func note(_ reference: DeliveryReference, _ app: String, _ state: DeliveryState, next: Timestamp?) {
    publish(.delivery(DeliverySubject(reference, app: app), state: state, next: next, at: now))
    if let followed = followed(reference.notification) { reads.read(followed) }
  }

  /// Takes what a commit of the queue changed by itself.
  package func note(_ commit: OutboxCommit) {
    guard isWatched.load(ordering: .relaxed), !commit.cancelled.isEmpty || !commit.expired.isEmpty else {
      return
    }
    let all = state.withLock { Array($0.followed.values) }
    for followed in all where followed.hasReaders { reads.read(followed) }
  }

  /// A notification was accepted.
  func accepted(_ notification: NewNotification) {
    guard isWatched.load(ordering: .relaxed) else { return }
    publish(.notification(NotificationSummary(notification), at: notification.createdAt))
  }

  /// A notification was cancelled or queued again.
  func changed(_ notification: StoredNotification) {
    guard isWatched.load(ordering: .relaxed) else { return }
    publish(.notification(NotificationSummary(notification), at: now))
    if let followed = followed(notification.id) { reads.read(followed) }
  }

  private var now: Timestamp { state.withLock(\.sources)?.store.now ?? .now }

  private func followed(_ id: NotificationID) -> FollowedNotification? { state.withLock { $0.followed[id] } }

  private func publish(_ event: GatewayEvent) {
    let wakers = state.withLock { state in
      let number = numbers.next()
      if case .queue(let situation) = event { state.queue = (number, situation) }
      state.ring.append(event, number: number)
      return state.readers.all
    }
    for waker in wakers { waker.wake() }
  }
}

// MARK: - Every second

extension EventHub {
  /// Begins to collect, if it does not.
  private func watch() {
    let begins = state.withLock { state in
      state.lastLeft = .now
      if !isWatched.exchange(true, ordering: .acquiringAndReleasing) {
        // What happened before was not collected.
        state.ring.clear(floor: numbers.next())
        state.queue = nil
      }
      defer { state.isTicking = true }
      return !state.isTicking
    }
    if begins { scheduleTick() }
  }

  private func scheduleTick() {
    queue.asyncAfter(deadline: .now() + Self.tickSeconds) { [weak self] in self?.tick() }
  }

  private func tick() {
    let (goesOn, followed, sources) = state.withLock { state in
      state.followed = state.followed.filter { !$0.value.isUnused(for: Self.memory) }
      let isUsed = !state.readers.isEmpty || !state.followed.isEmpty
      if !isUsed, ContinuousClock.now - state.lastLeft > Self.memory {
        state.isTicking = false
        isWatched.store(false, ordering: .releasing)
      }
      return (state.isTicking, state.followed.values.filter(\.hasReaders), state.sources)
    }
    guard goesOn else { return }
    count()
    if let sources, !followed.isEmpty {
      let health = sources.health()
      let now = sources.store.now
      for each in followed {
        each.note(wait(of: each.app, health, now: now))
        reads.read(each)
      }
    }
    scheduleTick()
  }

  private func countSoon() { queue.async { [weak self] in self?.count() } }

  /// Counts the queue, once at a time, and reports it if it has changed.
  private func count() {
    let sources = state.withLock { state -> Sources? in
      guard !state.isCounting, !state.readers.isEmpty else { return nil }
      state.isCounting = true
      return state.sources
    }
    guard let sources else { return }
    sources.store.counts { [weak self] result in
      guard let self else { return }
      let mustTell = state.withLock { state in
        defer { (state.isCounting, state.mustTellQueue) = (false, false) }
        return state.mustTellQueue
      }
      // A queue that cannot be read shows in /readyz; the next second asks again.
      guard case .success(let counts) = result else { return }
      let situation = QueueSituation(
        apps: sources.apps(), counts: counts, health: sources.health(), now: sources.store.now)
      guard mustTell || situation != state.withLock(\.queue?.situation) else { return }
      publish(.queue(situation))
    }
  }
}

extension DeliveryState {
  init(_ recorded: DeliveryEvent.Recorded) {
    switch recorded {
    case .sent: self = .sent
    case .failed: self = .failed
    case .expired: self = .expired
    case .cancelled: self = .cancelled
    }
  }
}
