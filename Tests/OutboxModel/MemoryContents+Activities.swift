internal import Clock
internal import FCMMessage
import JSON
internal import Outbox

/// The order of messages to Live Activities.
extension MemoryContents {
  /// The activity of a new delivery, with the time from when its content counts.
  func activity(of new: NewNotification) -> LiveActivity? {
    guard let activity = new.activity else { return nil }
    let start = new.start.dueAt
    let last = all(of: activity.token, app: new.app, now: new.createdAt).compactMap(\.activity?.at).max()
    return LiveActivity(token: activity.token, event: activity.event, at: max(start, last ?? start))
  }

  /// Ends the older updates that `delivery` replaces and whose requests have not left.
  mutating func supersede(by delivery: ModelDelivery, now: Timestamp) {
    guard delivery.activity?.event == .update || delivery.activity?.event == .end else { return }
    for older in others(than: delivery, now: now)
    where older.activity?.event == .update && !older.state.isFinal && older.comesBefore(delivery) {
      if let claim = claimed[older.id], cancelRequests.contains(older.id) || !claim.departure.recall() {
        continue
      }
      claimed[older.id] = nil
      endReplaced(older.id, now: now)
    }
  }

  /// Ends the waiting updates of an app that newer messages have replaced.
  mutating func endReplaced(in app: ExactText, now: Timestamp) {
    for delivery in waiting(of: app) where isReplaced(delivery, now: now) {
      endReplaced(delivery.id, now: now)
    }
  }

  private mutating func endReplaced(_ id: DeliveryID, now: Timestamp) {
    guard let app = deliveries[id]?.notification.app else { return }
    end(id, as: .cancelled, now: now)
    deliveries[id]?.error = .superseded
    report.cancelled[ExactText(app), default: 0] += 1
  }

  /// Whether an update is not needed any more: a newer update or end waits, is on its way or was sent.
  func isReplaced(_ delivery: ModelDelivery, now: Timestamp) -> Bool {
    guard delivery.activity?.event == .update else { return false }
    return others(than: delivery, now: now).contains {
      $0.activity?.event != .start && (!$0.state.isFinal || $0.state == .sent) && delivery.comesBefore($0)
    }
  }

  /// Whether an older message of its activity comes first: one that is on its way, or that ends the activity.
  func mustWait(_ delivery: ModelDelivery, now: Timestamp) -> Bool {
    guard let event = delivery.activity?.event, event != .start else { return false }
    return others(than: delivery, now: now).contains {
      $0.activity?.event != .start && !$0.state.isFinal && $0.comesBefore(delivery)
        && (claimed[$0.id] != nil || $0.activity?.event == .end)
    }
  }

  /// An `end` that is queued again counts from the newest message on.
  func raiseEnd(_ delivery: inout ModelDelivery, now: Timestamp) {
    guard let activity = delivery.activity, activity.event == .end else { return }
    let last = all(of: activity.token, app: delivery.notification.app, now: now).compactMap(\.activity?.at)
      .max()
    delivery.activity = LiveActivity(
      token: activity.token, event: activity.event, at: max(activity.at, last ?? activity.at))
  }

  private func others(than delivery: ModelDelivery, now: Timestamp) -> [ModelDelivery] {
    guard let token = delivery.activity?.token else { return [] }
    return all(of: token, app: delivery.notification.app, now: now).filter { $0.id != delivery.id }
  }

  /// The deliveries of an activity whose `send_at` has come.
  private func all(of token: String, app: String, now: Timestamp) -> [ModelDelivery] {
    deliveries.values.filter {
      $0.activity?.token == token && $0.notification.app == app && !($0.state == .scheduled && $0.dueAt > now)
    }
  }
}

extension ModelDelivery {
  fileprivate func comesBefore(_ other: ModelDelivery) -> Bool {
    guard let at = activity?.at, let otherAt = other.activity?.at else { return false }
    return (at, row) < (otherAt, other.row)
  }
}
