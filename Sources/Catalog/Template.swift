package import FCMMessage
internal import JSON
package import YAML

/// A logical notification: its typed params and, per platform, the loc keys and the order of their args.
package struct Template: Sendable {
  package let name: String
  package let description: String?
  /// In the order of the catalog.
  package let params: [Param]
  /// Title, subtitle, body; only those that the template has.
  package let slots: [TextSlot]
  package let fallback: Fallback?
  /// The ttl of its messages where the request sets none: its own or that of `defaults`.
  package let ttlSeconds: Int?
  /// The priority of its messages where the request sets none: its own or that of `defaults`.
  package let priority: MessagePriority?
  package let collapseKey: String?
  package let analyticsLabel: String?
  /// Whether each delivery's messages carry its id as `android.notification.tag` and `apns-collapse-id`.
  package let hasDeviceIdentity: Bool
  /// The line of the catalog in which it begins, from 1.
  package let line: Int
  /// Literal texts that would win over a slot's key on Android; a catalog that has any does not load.
  package let literals: [LiteralText]
  let plan: MessagePlan
}

/// A literal title or body that reaches Android beside a slot's key: there the literal wins
/// (firebase-android-sdk, NotificationParams), so that nobody would see a translation.
package struct LiteralText: Sendable, Equatable {
  package let slot: TextSlot.Name
  package let problem: ConfigurationProblem
}

/// `high` or `normal`, as Android's delivery has it; APNs' 10 and 5.
package enum MessagePriority: String, Sendable, CaseIterable {
  case high, normal

  /// Apple, sending notification requests to APNs: `apns-priority`.
  var apns: String { self == .high ? "10" : "5" }
}

/// What an iPhone shows whose app does not know the keys yet, and what a browser shows.
package struct Fallback: Sendable, Equatable {
  package let title: String?
  package let subtitle: String?
  package let body: String?

  package func text(_ name: TextSlot.Name) -> String? {
    switch name {
    case .title: title
    case .subtitle: subtitle
    case .body: body
    }
  }
}

/// A place for text in a notification, with the keys that fill it.
package struct TextSlot: Sendable, Equatable {
  package enum Name: String, Sendable, CaseIterable {
    case title, subtitle, body
  }

  /// The keys of both platforms; a missing one has no text there.
  package struct Texts: Sendable, Equatable {
    package let android: LocText?
    package let ios: LocText?

    package subscript(platform: AppPlatform) -> LocText? { platform == .android ? android : ios }
  }

  /// Other keys, taken where every named param has the given value.
  package struct Variant: Sendable, Equatable {
    package let conditions: [Condition]
    /// A platform that the variant does not name has the slot's own text.
    package let texts: Texts
    package let line: Int
  }

  package struct Condition: Sendable, Equatable {
    package let param: String
    package let value: ParamValue
  }

  package let name: Name
  package let texts: Texts
  /// The first that matches wins.
  package let variants: [Variant]
  package let line: Int

  /// Every text that the slot can have on a platform: its own, then those of the variants.
  package func allTexts(on platform: AppPlatform) -> [LocText] {
    [texts[platform]].compactMap(\.self) + variants.compactMap { $0.texts[platform] }
  }
}

/// A key of the app's string resources and the params that fill its placeholders, in order.
package struct LocText: Sendable, Equatable {
  package let key: String
  package let args: [String]
  /// The line of the catalog that names the key, from 1.
  package let line: Int
}
