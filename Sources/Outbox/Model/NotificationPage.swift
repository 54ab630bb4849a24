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
  package var apps: [String]?
  package var owner: Owner?

  package init(status: String? = nil, template: String? = nil, apps: [String]? = nil, owner: Owner? = nil) {
    self.status = status
    self.template = template
    self.apps = apps
    self.owner = owner
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
