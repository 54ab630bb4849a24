package import Clock
package import FCMMessage
internal import JSON

/// Which notifications a list contains. A nil field matches everything.
package struct NotificationFilter: Sendable {
  /// The notifications of one client, or of anonymous callers.
  package enum Owner: Sendable, Equatable {
    case client(String)
    case anonymous
  }

  /// A notification's status: a delivery state's name, or `partial`.
  package var status: String?
  package var template: String?
  /// Whether the caller may see notifications of a template, or of none.
  package var mayUse: (@Sendable (_ template: String?) -> Bool)?
  package var apps: [String]?
  package var owner: Owner?
  /// Only those with a delivery to this target.
  package var target: Target?
  /// Only those with a delivery whose last error has this code; with a target, the delivery to it.
  package var errorCode: String?
  /// Only those accepted at this moment or later.
  package var since: Timestamp?
  /// Only those accepted before this moment.
  package var until: Timestamp?
}

extension NotificationFilter {
  /// Matches everything.
  package static let all = NotificationFilter()

  /// How far the order of acceptance and that of rows may differ: gateways' clocks, and writes that wait.
  static let orderSlackMilliseconds: Int64 = 60_000

  /// Whether it looks for a delivery, which has an index of its own.
  var seeksDelivery: Bool { target != nil || errorCode != nil }

  /// Whether one of the deliveries is the one that it looks for.
  package func matches(_ deliveries: [StoredNotification.Delivery]) -> Bool {
    guard seeksDelivery else { return true }
    return deliveries.contains { delivery in
      (target == nil || delivery.target == target)
        && (errorCode == nil || errorCode.map { delivery.error?.code.hasSameBytes(as: $0) == true } == true)
    }
  }

  /// Whether a notification accepted then is in the span.
  package func matches(createdAt: Timestamp) -> Bool {
    since.map { createdAt >= $0 } ?? true && until.map { createdAt < $0 } ?? true
  }
}

/// A place in the list of all notifications that stays valid while notifications are added and removed.
package struct NotificationCursor: Sendable, Hashable {
  /// The list continues with the notifications accepted before this row.
  package let row: Int64

  package init(before row: Int64) { self.row = row }
}

/// A part of the list of notifications.
package struct NotificationPage: Sendable {
  package let notifications: [StoredNotification]
  /// Where the list continues; nil at its end.
  package let next: NotificationCursor?

  package init(notifications: [StoredNotification], next: NotificationCursor?) {
    self.notifications = notifications
    self.next = next
  }
}
