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
/// resumed. Nor does an event that no stream may show. Everything is bounded: the streams (`StreamPermits`),
/// the channels and the notifications that are followed (one per stream at most, and those of the last
/// minute), their events, and how often the queue is read for them.
package final class EventHub: Sendable {
  /// What the hub asks for the state of the gateway.
  struct Sources: Sendable {
    let store: any OutboxStore
    let health: @Sendable () -> [AppHealth]
    let apps: @Sendable () -> [String]
  }

  /// Whose notifications a channel shows.
  private enum Owner: Hashable {
    case everybody
    case client(ExactText?)
  }

  private struct State: Sendable {
    var sources: Sources?
    /// The channels by owner, so that an event looks only at those that may show it.
    var channels: [Owner: [EventChannel]] = [:]
    var followed: [NotificationID: FollowedNotification] = [:]
    var queue: QueueSituation?
    var isTicking = false
    var isCounting = false
    /// The readers of channels are going to be woken.
    var isWaking = false

    var allChannels: some Sequence<EventChannel> { channels.values.joined() }
  }

  /// How long events are collected, and a notification is followed, after the last stream has ended.
  private static let memory = Duration.seconds(60)
  /// How often the queue is counted, and read for each notification that is followed.
  private static let tickSeconds = 1.0
  /// Events of this long are sent together, so that streams cost little however many events there are.
  private static let gatheringMilliseconds = 20

  let permits: StreamPermits
  /// Whose callers wait for what happens.
  let awaited = AwaitedDeliveries()
  private let queue = DispatchQueue(label: "dragoman.events")
  private let reads: FollowedReads
  private let isWatched = Atomic<Bool>(false)
  private let state = Mutex(State())

  package convenience init() { self.init(permits: StreamPermits()) }

  init(permits: StreamPermits) {
    self.permits = permits
    reads = FollowedReads(queue: queue)
  }

  /// Names what is asked for the state of the gateway, before the first stream.
  func use(_ sources: Sources) {
    state.withLock { $0.sources = sources }
    reads.use(sources.store)
  }

  // MARK: Streams

  /// The feed of all that a caller may see.
  func channel(for principal: Principal) -> EventChannel {
    let owner = principal.seesAllClients ? .everybody : Owner.client(principal.client.map(ExactText.init))
    return watching { state in
      if let known = state.channels[owner]?.first(where: { $0.principal.seesSame(as: principal) }) {
        return known
      }
      let fresh = EventChannel(for: principal, queue: state.queue) { [weak self] in self?.countSoon() }
      state.channels[owner, default: []].append(fresh)
      return fresh
    }
  }

  /// The feed of one notification, which the queue has just shown, for a stream that continues after `event`.
  func follow(_ stored: StoredNotification, after event: EventID?) -> FollowedNotification {
    watching { state in
      if let known = state.followed[stored.id] {
        // One that is over is of use as long as nothing has happened since, such as a retry.
        if !known.isOver || known.shows(stored) && known.holds(eventsAfter: event) { return known }
      }
      let fresh = FollowedNotification(stored) { [weak self] id in self?.joined(id) }
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
    let channels = state.withLock { state in
      (state.channels[.everybody] ?? []) + (state.channels[.client(event.client.map(ExactText.init))] ?? [])
    }
    let fitting = channels.filter { $0.principal.maySee(event) }
    guard !fitting.isEmpty else { return }
    let data = event.data.serialized
    for channel in fitting { channel.append(event.name, data) }
    wakeReadersSoon()
  }

  private func wakeReadersSoon() {
    guard state.withLock({ !exchange(&$0.isWaking, with: true) }) else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.gatheringMilliseconds)) { [weak self] in
      let channels = self?.state.withLock { state in
        state.isWaking = false
        return Array(state.allChannels)
      }
      for channel in channels ?? [] { channel.wakeReaders() }
    }
  }
}

// MARK: - Every second

extension EventHub {
  /// Begins to collect, if it does not, for what `body` adds.
  private func watching<Feed>(_ body: (inout State) -> Feed) -> Feed {
    let (feed, begins) = state.withLock { state in
      isWatched.store(true, ordering: .releasing)
      return (body(&state), !exchange(&state.isTicking, with: true))
    }
    if begins { scheduleTick() }
    return feed
  }

  private func scheduleTick() {
    queue.asyncAfter(deadline: .now() + Self.tickSeconds) { [weak self] in self?.tick() }
  }

  private func tick() {
    let (goesOn, followed, sources) = state.withLock { state in
      state.followed = state.followed.filter { !$0.value.isUnused(for: Self.memory) }
      state.channels = state.channels.mapValues { $0.filter { !$0.isUnused(for: Self.memory) } }
        .filter { !$0.value.isEmpty }
      if state.channels.isEmpty, state.followed.isEmpty {
        state.isTicking = false
        // What changes from now on is not noticed.
        state.queue = nil
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
      guard !state.isCounting, state.allChannels.contains(where: \.hasReaders) else { return nil }
      state.isCounting = true
      return state.sources
    }
    guard let sources else { return }
    sources.store.counts { [weak self] result in
      guard let self else { return }
      let known = state.withLock { state in
        state.isCounting = false
        return state.queue
      }
      // A queue that cannot be read shows in /readyz; the next second asks again.
      guard case .success(let counts) = result else { return }
      let situation = QueueSituation(
        apps: sources.apps(), counts: counts, health: sources.health(), now: sources.store.now)
      guard situation != known else { return }
      let channels = state.withLock { state in
        state.queue = situation
        return Array(state.allChannels)
      }
      for channel in channels { channel.append(situation) }
      wakeReadersSoon()
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
