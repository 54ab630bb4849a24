internal import FCMMessage
internal import JSON

/// `live_activity` of a template: its messages start, update and end Live Activities.
package struct ActivityTemplate: Sendable, Equatable {
  /// The name of the app's Swift type of attributes.
  package let attributesType: String
}

/// What the plan of such a template needs besides its steps.
struct ActivityPlan: Sendable {
  /// The steps of a message that starts an activity; those of the plan are for all others.
  let startProgram: MessagePlan.Program
  /// Whether FCM's fields of the template hold an alert, whatever the slots have.
  let hasFixedAlert: Bool
  /// The priority that FCM's fields of the template set; nil for none.
  let fixedPriority: MessagePriority?

  init(_ startProgram: MessagePlan.Program, overlay: ValueTree, fallback: Fallback?) {
    self.startProgram = startProgram
    let alert = overlay["apns"]?["payload"]?["aps"]?["alert"]
    hasFixedAlert =
      alert?["title"] != nil || alert?["body"] != nil || fallback?.title != nil || fallback?.body != nil
    fixedPriority = overlay["apns"]?["headers"]?["apns-priority"].flatMap { header in
      guard case .constant(let value) = header else { return nil }
      return MessagePriority.allCases.first { $0.apns == value.string }
    }
  }
}

extension Template {
  /// Whether its messages may have the alert without which none starts a Live Activity.
  package var mayStartActivity: Bool { plan.activity?.hasFixedAlert == true || plan.texts.count > 0 }
}

extension MessagePlan {
  /// Whether a phone shows an alert: a text of a slot, or one of FCM's fields.
  func hasAlert(_ values: [ParamValue?]) -> Bool {
    if activity?.hasFixedAlert == true { return true }
    return (0..<texts.count).contains { texts.text(of: $0, on: .ios, values) != nil }
  }

  /// The priority of a message to a Live Activity for which neither the request nor the template sets one.
  /// APNs counts those of priority 10 against an hourly budget, and shows an update without an alert
  /// whenever it suits the phone (Apple, "Starting and updating Live Activities with ActivityKit push
  /// notifications").
  func activityPriority(_ values: [ParamValue?]) -> MessagePriority {
    activity?.fixedPriority ?? (hasAlert(values) ? .high : .normal)
  }
}
