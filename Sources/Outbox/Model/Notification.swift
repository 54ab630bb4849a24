package import Clock
package import FCMMessage
package import Telemetry

/// A notification's id.
package struct NotificationID: Sendable, Hashable, Comparable, CustomStringConvertible {
  package let uuid: UUIDv7
  package init(_ uuid: UUIDv7) { self.uuid = uuid }
  package var description: String { uuid.description }
  package static func < (left: Self, right: Self) -> Bool { left.uuid < right.uuid }
}

/// A delivery's id, and its message's identity on the device.
package struct DeliveryID: Sendable, Hashable, Comparable, CustomStringConvertible {
  package let uuid: UUIDv7
  package init(_ uuid: UUIDv7) { self.uuid = uuid }
  package var description: String { uuid.description }
  package static func < (left: Self, right: Self) -> Bool { left.uuid < right.uuid }
}

/// The state of a delivery. `sent`, `failed`, `expired` and `cancelled` are final.
package enum DeliveryState: Int, Sendable, CaseIterable {
  case scheduled = 0
  case queued = 1
  case sending = 2
  case sent = 3
  case failed = 4
  case expired = 5
  case cancelled = 6

  package var isFinal: Bool { rawValue >= Self.sent.rawValue }

  /// Its name in the API.
  package var name: String {
    switch self {
    case .scheduled: "scheduled"
    case .queued: "queued"
    case .sending: "sending"
    case .sent: "sent"
    case .failed: "failed"
    case .expired: "expired"
    case .cancelled: "cancelled"
    }
  }
}

/// Which deliveries of an app are sent first.
package enum DeliveryPriority: Int, Sendable {
  case normal = 0
  case high = 1
}

/// An accepted notification on its way to disk: one message, and a delivery for each target.
package final class NewNotification: Sendable {
  package let id: NotificationID
  package let app: String
  /// Nil if its message was given instead of assembled.
  package let template: String?
  /// The name of the API client; nil for an anonymous one.
  package let client: String?
  package let createdAt: Timestamp
  /// When its deliveries become due; nil for at once.
  package let sendAt: Timestamp?
  /// Nothing is sent at or after this moment.
  package let expiresAt: Timestamp
  package let priority: DeliveryPriority
  package let message: SealedMessage
  package let deliveries: [(id: DeliveryID, target: Target)]
  /// The trace of the request, to which the requests of its deliveries belong too; nil for none.
  package let trace: TraceContext?
  /// The Live Activity that its message is for. It then has one delivery.
  package let activity: NewActivity?

  package init(
    id: NotificationID, app: String, template: String?, client: String?, createdAt: Timestamp,
    sendAt: Timestamp?,
    expiresAt: Timestamp, priority: DeliveryPriority, message: SealedMessage,
    deliveries: [(id: DeliveryID, target: Target)],
    trace: TraceContext? = nil, activity: NewActivity? = nil
  ) {
    self.activity = activity
    self.id = id
    self.app = app
    self.template = template
    self.client = client
    self.createdAt = createdAt
    self.sendAt = sendAt
    self.expiresAt = expiresAt
    self.priority = priority
    self.message = message
    self.deliveries = deliveries
    self.trace = trace
  }
}

extension NewNotification {
  /// The state of its deliveries when it is accepted, and the moment of their first attempt.
  package var start: (state: DeliveryState, dueAt: Timestamp) {
    if let sendAt, sendAt > createdAt { return (.scheduled, sendAt) }
    return (.queued, createdAt)
  }

  /// The time from when its deliveries are due to when they expire.
  package var ttlMilliseconds: Int64 { start.dueAt.milliseconds(until: expiresAt) }
}

/// The last failed attempt of a delivery, as the API shows it.
package struct DeliveryError: Sendable, Equatable {
  package let code: String
  package let httpStatus: Int?
  package let message: String
  package let apnsReason: String?

  package init(code: String, httpStatus: Int?, message: String, apnsReason: String?) {
    self.code = code
    self.httpStatus = httpStatus
    self.message = message
    self.apnsReason = apnsReason
  }
}

/// A notification as the queue holds it.
package struct StoredNotification: Sendable {
  /// What its deliveries send, and for how long from when they are due.
  package typealias Content = (message: SealedMessage, ttlMilliseconds: Int64)

  package struct Delivery: Sendable, Equatable {
    package let id: DeliveryID
    package let target: Target
    package let state: DeliveryState
    /// The attempts counted so far.
    package let attempts: Int
    /// When the next attempt is due; nil once final.
    package let nextAttemptAt: Timestamp?
    package let messageName: String?
    package let error: DeliveryError?
    package let updatedAt: Timestamp
    /// It is not sent at or after this moment.
    package let expiresAt: Timestamp
    /// From when the content of its Live Activity counts.
    package let activityAt: Timestamp?
    /// Its last attempts, the oldest first.
    package let attemptLog: [AttemptRecord]

    package init(
      id: DeliveryID, target: Target, state: DeliveryState, attempts: Int, nextAttemptAt: Timestamp?,
      messageName: String?, error: DeliveryError?, updatedAt: Timestamp, expiresAt: Timestamp,
      activityAt: Timestamp? = nil, attemptLog: [AttemptRecord] = []
    ) {
      self.attemptLog = attemptLog
      self.expiresAt = expiresAt
      self.activityAt = activityAt
      self.id = id
      self.target = target
      self.state = state
      self.attempts = attempts
      self.nextAttemptAt = nextAttemptAt
      self.messageName = messageName
      self.error = error
      self.updatedAt = updatedAt
    }
  }

  package let id: NotificationID
  package let app: String
  package let template: String?
  package let client: String?
  package let createdAt: Timestamp
  package let deliveries: [Delivery]
  /// Nil unless it was asked for.
  package let content: Content?

  package init(
    id: NotificationID, app: String, template: String?, client: String?, createdAt: Timestamp,
    deliveries: [Delivery], content: Content? = nil
  ) {
    self.content = content
    self.id = id
    self.app = app
    self.template = template
    self.client = client
    self.createdAt = createdAt
    self.deliveries = deliveries
  }

  /// Its deliveries' common state, `partial` when their final states differ, or the least advanced state
  /// while any is not final.
  package var status: String {
    if deliveries.count == 1, let only = deliveries.first { return only.state.name }
    let states = Set(deliveries.map(\.state))
    if let open = states.filter({ !$0.isFinal }).min(by: { $0.rawValue < $1.rawValue }) { return open.name }
    if states.count == 1, let state = states.first { return state.name }
    return "partial"
  }
}
