internal import Clock
import FCMMessage

/// The order in which messages to one Live Activity are sent. Pure: a store gives it what it knows.
///
/// Apple's systems show the content with the newest timestamp, and ignore what comes after the end. So an
/// update is sent only while no newer message waits or was sent, and no message is sent while an older one is
/// on its way or ends the activity. Messages that start an activity go to a token of their own kind, with
/// which several can be started: they neither wait for others nor replace any.
enum ActivityOrder {
  /// A place in the order: by the time from when the content counts, then in the order of acceptance.
  struct Place: Comparable {
    let at: Timestamp
    let row: Int64

    static func < (left: Self, right: Self) -> Bool {
      left.at != right.at ? left.at < right.at : left.row < right.row
    }
  }

  /// Another delivery to the same activity that has not ended.
  struct Neighbor {
    let place: Place
    let event: ActivityEvent
    let isClaimed: Bool
    /// Whether its `send_at` has come.
    let hasBegun: Bool
  }

  enum Verdict: Equatable {
    case send
    /// Not before an older one has ended.
    case wait
    case superseded
  }

  /// What becomes of a delivery that is due. `isOutdated`: a newer message was sent.
  static func verdict(
    on event: ActivityEvent, at place: Place, among neighbors: [Neighbor], isOutdated: Bool
  ) -> Verdict {
    guard event != .start else { return .send }
    if isSuperseded(event, at: place, among: neighbors, isOutdated: isOutdated) { return .superseded }
    let mustWait = neighbors.contains { neighbor in
      neighbor.event != .start && neighbor.hasBegun && neighbor.place < place
        && (neighbor.isClaimed || neighbor.event == .end)
    }
    return mustWait ? .wait : .send
  }

  /// Whether a delivery need not be sent any more.
  static func isSuperseded(
    _ event: ActivityEvent, at place: Place, among neighbors: [Neighbor], isOutdated: Bool
  ) -> Bool {
    event == .update
      && (isOutdated
        || neighbors.contains { $0.event != .start && $0.hasBegun && place < $0.place })
  }

  /// The older updates that a delivery replaces once it waits itself; those that are claimed may be on their
  /// way.
  static func replaced(by event: ActivityEvent, at place: Place, among neighbors: [Neighbor]) -> [Neighbor] {
    guard event != .start else { return [] }
    return neighbors.filter { $0.event == .update && $0.hasBegun && $0.place < place }
  }
}

extension ActivityEvent {
  /// As databases hold it; those above zero have an order.
  var stored: Int64 {
    switch self {
    case .start: 0
    case .update: 1
    case .end: 2
    }
  }

  /// Nil for what no version wrote.
  init?(stored: Int64) {
    switch stored {
    case 0: self = .start
    case 1: self = .update
    case 2: self = .end
    default: return nil
    }
  }
}

extension QueuedDelivery {
  /// Its place among the messages of its Live Activity; nil if it is for none, or starts one.
  var activityPlace: ActivityOrder.Place? {
    guard let activity, activity.event != .start else { return nil }
    return ActivityOrder.Place(at: activity.at, row: row)
  }
}
