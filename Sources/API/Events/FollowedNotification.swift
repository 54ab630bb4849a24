internal import Clock
internal import DeliveryReports
internal import HTTPServer
internal import JSON
internal import Outbox
internal import Synchronization

/// One notification that streams follow: its recent events, found by comparing what the queue holds with what
/// it held before. So it does not matter which gateway changes the notification.
final class FollowedNotification: EventFeed {
  /// Whether the queue is going to be read for it.
  private enum Reading: Sendable {
    case idle, due, underWay
    /// Something happened while it was read.
    case outdated
  }

  private struct State: Sendable {
    var stored: StoredNotification
    /// The attempts of each delivery that were reported.
    var reported: [Int]
    /// The last attempts that were reported and that `stored` does not show yet, by the delivery's index.
    var unstored: [Int: DeliveryAttempt] = [:]
    var numbers: EventNumbers
    var ring: EventRing
    var wait: SendingWait?
    var readers = EventReaders()
    var reading = Reading.idle
    /// The number of the event that ends its streams; nil before all of it is final.
    var end: Int?
    /// The queue no longer holds it.
    var isGone = false
  }

  /// Events that one call of `read` returns.
  private static let eventsPerReadMax = 64

  let id: NotificationID
  let app: String
  let idleInterval = Duration.seconds(10)
  private let onJoin: @Sendable (NotificationID) -> Void
  private let state: Mutex<State>

  /// `onJoin` is called whenever a stream begins.
  init(_ stored: StoredNotification, onJoin: @escaping @Sendable (NotificationID) -> Void) {
    id = stored.id
    app = stored.app
    self.onJoin = onJoin
    var numbers = EventNumbers()
    let number = numbers.next()
    // Room for two events of each delivery; a reader that falls further behind is told the whole again.
    let ring = EventRing(capacity: 64 + 2 * stored.deliveries.count, floor: number)
    state = Mutex(
      State(
        stored: stored, reported: stored.deliveries.map(\.attempts), numbers: numbers, ring: ring,
        end: stored.isFinal ? number : nil))
  }

  /// Whether nothing more will happen to it.
  var isOver: Bool { state.withLock { $0.end != nil || $0.isGone } }
  var hasReaders: Bool { state.withLock { !$0.readers.isEmpty } }

  /// Whether no stream has read it for `span`.
  func isUnused(for span: Duration) -> Bool { state.withLock { $0.readers.areGone(for: span) } }

  /// Whether a stream can continue after `event`.
  func holds(eventsAfter event: EventID?) -> Bool {
    state.withLock { state in state.numbers.number(in: event).map { $0 >= state.ring.floor } ?? false }
  }

  /// Whether its events describe everything that the queue now holds, which is `fresh`.
  func shows(_ fresh: StoredNotification) -> Bool {
    state.withLock { $0.stored.deliveries == fresh.deliveries }
  }

  // MARK: Streams

  func number(of event: EventID?) -> Int? { state.withLock { $0.numbers.number(in: event) } }

  func join(_ waker: HTTPBodyWaker) -> Int {
    let number = state.withLock { $0.readers.add(waker) }
    onJoin(id)
    return number
  }

  func leave(_ number: Int) { state.withLock { $0.readers.remove(number) } }

  func read(after place: Int?) -> EventReading {
    state.withLock { state in
      var frames = EventFrames()
      if state.isGone { return EventReading(frames: frames, place: place, rest: .ended) }
      guard let place, let entries = state.ring.events(after: place, limit: Self.eventsPerReadMax) else {
        return whole(&state)
      }
      for entry in entries { frames.append(raw: entry.frame) }
      if let last = entries.last { return EventReading(frames: frames, place: last.number, rest: .more) }
      guard let end = state.end else { return EventReading(frames: frames, place: place, rest: .nothingYet) }
      // A client that got the whole of a final notification may not have got the end.
      let last = place < end ? end : state.numbers.next()
      append(end: last, to: &frames, state)
      return EventReading(frames: frames, place: last, rest: .ended)
    }
  }

  /// The notification as it is now.
  private func whole(_ state: inout State) -> EventReading {
    var frames = EventFrames()
    var place = state.numbers.next()
    var writer = JSONWriter(reserving: 512 + 256 * state.stored.deliveries.count)
    writer.append(state.stored)
    frames.append(state.numbers.id(place), "notification", data: writer.bytes)
    for (_, attempt) in state.unstored.sorted(by: { $0.key < $1.key }) {
      place = state.numbers.next()
      frames.append(state.numbers.id(place), "attempt", data: attempt.json.serialized)
    }
    if state.end != nil {
      place = state.numbers.next()
      append(end: place, to: &frames, state)
      return EventReading(frames: frames, place: place, rest: .ended)
    }
    if let wait = state.wait {
      place = state.numbers.next()
      frames.append(state.numbers.id(place), "wait", data: data(of: wait))
    }
    return EventReading(frames: frames, place: place, rest: .more)
  }

  private func append(end: Int, to frames: inout EventFrames, _ state: State) {
    let data: JSON = ["notification_id": .string(id.description), "status": .string(state.stored.status)]
    frames.append(state.numbers.id(end, isLast: true), "end", data: data.serialized)
  }

  private func data(of wait: SendingWait?) -> [UInt8] {
    let data: JSON = [
      "notification_id": .string(id.description), "app": .string(app), "wait": wait?.json ?? .null,
    ]
    return data.serialized
  }

  // MARK: What happens

  /// This gateway has made an attempt.
  func note(_ attempt: DeliveryAttempt) {
    change { state in
      guard let index = state.stored.deliveries.firstIndex(where: { $0.id == attempt.subject.delivery })
      else { return }
      state.reported[index] = max(state.reported[index], attempt.number)
      if attempt.number > state.stored.deliveries[index].attempts { state.unstored[index] = attempt }
      append("attempt", attempt.json.serialized, &state)
    }
  }

  /// Why the app sends nothing, if it does not.
  func note(_ wait: SendingWait?) {
    change { state in
      guard state.end == nil, wait == nil ? state.wait != nil : wait?.isNews(after: state.wait) == true else {
        return
      }
      state.wait = wait
      append("wait", data(of: wait), &state)
    }
  }

  /// The notification as the queue holds it; nil if it does not hold it any more.
  func note(_ fresh: StoredNotification?) {
    change { state in
      guard let fresh else { return state.isGone = true }
      guard state.end == nil, fresh.deliveries.count == state.stored.deliveries.count else { return }
      let old = state.stored
      state.stored = fresh
      let status = fresh.status
      for (index, delivery) in fresh.deliveries.enumerated() where delivery != old.deliveries[index] {
        // A retry counts from the beginning again.
        if delivery.attempts < old.deliveries[index].attempts { state.reported[index] = delivery.attempts }
        if delivery.state != .sending { state.unstored[index] = nil }
        if delivery.attempts > state.reported[index] {
          state.reported[index] = delivery.attempts
          append("attempt", attempt(of: delivery, in: fresh).json.serialized, &state)
        }
        append("delivery", Self.data(of: delivery, in: fresh, status: status), &state)
      }
      if fresh.isFinal { state.end = state.numbers.next() }
    }
  }

  /// An attempt of another gateway, as far as the queue shows it.
  private func attempt(
    of delivery: StoredNotification.Delivery, in fresh: StoredNotification
  ) -> DeliveryAttempt {
    DeliveryAttempt(
      subject: DeliverySubject(
        notification: id, delivery: delivery.id, app: app, template: fresh.template, client: fresh.client),
      number: delivery.attempts, error: delivery.state == .sent ? nil : delivery.error, milliseconds: nil,
      at: delivery.updatedAt)
  }

  private static func data(
    of delivery: StoredNotification.Delivery, in notification: StoredNotification, status: String
  ) -> [UInt8] {
    var writer = JSONWriter(reserving: 512)
    writer.appendRaw("{\"notification_id\":\"")
    writer.appendRaw(text: notification.id.description)
    writer.appendRaw("\",\"app\":")
    writer.append(notification.app)
    writer.appendRaw(",\"status\":")
    writer.append(status)
    writer.appendRaw(",\"delivery\":")
    writer.append(delivery)
    writer.appendRaw("}")
    return writer.bytes
  }

  private func append(_ name: StaticString, _ data: [UInt8], _ state: inout State) {
    let number = state.numbers.next()
    state.ring.append(EventFrames.one(state.numbers.id(number), name, data: data), number: number)
  }

  private func change(_ body: (inout State) -> Void) {
    let wakers = state.withLock { state in
      body(&state)
      return state.readers.all
    }
    for waker in wakers { waker.wake() }
  }

  // MARK: Reading the queue

  /// It may have changed; whether a reading of the queue must be arranged.
  func becomesDue() -> Bool {
    state.withLock { state in
      switch state.reading {
      case .idle:
        guard state.end == nil, !state.isGone else { return false }
        state.reading = .due
        return true
      case .underWay:
        state.reading = .outdated
        return false
      case .due, .outdated: return false
      }
    }
  }

  func beginsReading() { state.withLock { $0.reading = .underWay } }

  /// Whether it has to be read again.
  func endsReading() -> Bool {
    state.withLock { state in
      defer { state.reading = .idle }
      if case .outdated = state.reading { return true } else { return false }
    }
  }
}

extension StoredNotification {
  /// Whether nothing happens to it any more by itself.
  var isFinal: Bool { deliveries.allSatisfy(\.state.isFinal) }
}
