/// What a message does to a Live Activity: `event` in `aps` (Apple, "Starting and updating Live Activities
/// with ActivityKit push notifications").
package enum ActivityEvent: String, Sendable, CaseIterable {
  case start, update, end
}
