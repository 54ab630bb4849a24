package import FCMMessage
internal import JSON
package import LocaleRules
package import YAML

/// A logical notification: its typed params and, per platform, the loc keys and the order of their args.
///
/// A class, because each request looks one up: all threads would count the references of a copy's parts.
package final class Template: Sendable {
  package let name: String
  package let description: String?
  /// In the order of the catalog.
  package let params: [Param]
  /// The slots that the template has, in the order title, subtitle, body.
  package let slots: [TextSlot]
  package let fallback: Fallback?
  /// The ttl for requests that set none: the template's own or that of `defaults`.
  package let ttlSeconds: Int?
  /// The priority for requests that set none: the template's own or that of `defaults`.
  package let priority: MessagePriority?
  package let collapseKey: String?
  package let analyticsLabel: String?
  /// Whether messages carry the delivery's id as `android.notification.tag` and `apns-collapse-id`.
  package let hasDeviceIdentity: Bool
  /// Who renders the texts of requests that do not say it; nil for `auto`.
  package let render: RenderMode?
  /// In which language its readers read.
  package let language: ReaderLanguage
  /// The releases from which on the template may be sent.
  package let since: ReleaseFloor
  /// The line of the catalog in which the template begins, from 1.
  package let line: Int
  /// Literal texts that would override a slot's key on Android; a catalog that has any does not load.
  package let literals: [LiteralText]
  /// The names of the params that stand in FCM's fields.
  package let valueParams: [String]
  /// The loc keys that stand in FCM's fields rather than in slots, as slots without plurals and variants.
  package let fieldTexts: [TextSlot]
  /// Nil unless its messages go to Live Activities.
  package let activity: ActivityTemplate?
  let plan: MessagePlan

  init(
    name: String, description: String?, params: [Param], slots: [TextSlot], fallback: Fallback?,
    ttlSeconds: Int?, priority: MessagePriority?, collapseKey: String?, analyticsLabel: String?,
    hasDeviceIdentity: Bool, render: RenderMode?, language: ReaderLanguage, since: ReleaseFloor, line: Int,
    literals: [LiteralText],
    valueParams: [String], fieldTexts: [TextSlot], activity: ActivityTemplate?, plan: MessagePlan
  ) {
    self.name = name
    self.description = description
    self.params = params
    self.slots = slots
    self.fallback = fallback
    self.ttlSeconds = ttlSeconds
    self.priority = priority
    self.collapseKey = collapseKey
    self.analyticsLabel = analyticsLabel
    self.hasDeviceIdentity = hasDeviceIdentity
    self.render = render
    self.language = language
    self.since = since
    self.line = line
    self.literals = literals
    self.valueParams = valueParams
    self.fieldTexts = fieldTexts
    self.activity = activity
    self.plan = plan
  }

  /// Whether the gateway makes the texts for a reader whose language a request says, if the request does not
  /// say who makes them.
  package var isRenderedByGateway: Bool {
    switch render ?? .auto {
    case .device: false
    case .gateway: true
    case .auto: language == .app
    }
  }

  /// The shortest values of its params.
  var shortestValues: [ParamValue] {
    params.map { param in
      param.shortestValue(isField: valueParams.contains { $0.hasSameBytes(as: param.name) })
    }
  }
}

/// A literal title or body that reaches Android beside a slot's key. The literal overrides the key there
/// (firebase-android-sdk, NotificationParams), so no translation would be displayed.
package struct LiteralText: Sendable, Equatable {
  package let slot: TextSlot.Name
  package let problem: ConfigurationProblem
}

/// A message's priority: `high` or `normal` for Android, 10 or 5 for APNs.
package enum MessagePriority: String, Sendable, CaseIterable {
  case high, normal

  /// The value of `apns-priority` (Apple, "Sending notification requests to APNs").
  var apns: String { self == .high ? "10" : "5" }
}

/// The literal texts that an iPhone displays if its app does not have the keys yet, and that a browser
/// displays.
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

/// A line of text in a notification, with the loc keys that fill it.
package struct TextSlot: Sendable, Equatable {
  package enum Name: String, Sendable, CaseIterable {
    case title, subtitle, body
  }

  /// The keys of both platforms; nil if the slot has no text on a platform.
  package struct Texts: Sendable, Equatable {
    package let android: LocText?
    package let ios: LocText?

    package subscript(platform: AppPlatform) -> LocText? { platform == .android ? android : ios }
  }

  /// Alternative keys, used if all conditions hold.
  package struct Variant: Sendable, Equatable {
    package let conditions: [Condition]
    /// The variant's texts; a platform that the variant does not name has the slot's own text, which a slot
    /// with `plural` does not repeat here.
    package let texts: Texts
    /// Nil if `texts` names plain strings. Only a source's text can depend on a value and a number.
    package var plural: Plural?
    package let line: Int
  }

  package struct Condition: Sendable, Equatable {
    package let param: String
    package let value: ParamValue
  }

  /// The choice of a key by the class of a number: the slot's own keys then name plurals of the app.
  package struct Plural: Sendable, Equatable {
    /// An integer param among the slot's args.
    package let param: String
    package let partition: PluralPartition

    /// The text of a class of numbers: the same args, and a key that the class's smallest member ends.
    package func text(_ text: LocText, ofClass index: Int) -> LocText {
      LocText(key: text.key + partition.keySuffix(ofClass: index), args: text.args, line: text.line)
    }
  }

  package let name: Name
  package let texts: Texts
  /// The key of a source that has the texts; nil if `texts` names strings of the app.
  package var source: SourceUse?
  /// Nil if `texts` names plain strings.
  package let plural: Plural?
  /// The alternatives; the first one that matches is used.
  package let variants: [Variant]
  package let line: Int

  /// All texts that the slot can have on a platform: its own, then those of the variants.
  package func allTexts(on platform: AppPlatform) -> [LocText] {
    [texts[platform]].compactMap(\.self) + variants.compactMap { $0.texts[platform] }
  }
}

/// A key of the app's string resources and the params that fill its placeholders, in order.
package struct LocText: Sendable, Equatable {
  package let key: String
  package let args: [String]
  /// The line of the catalog that names the key, from 1; 0 for a key that no catalog names.
  package let line: Int

  package init(key: String, args: [String], line: Int) {
    (self.key, self.args, self.line) = (key, args, line)
  }
}
