internal import FCMMessage
internal import JSON
internal import Plurals

/// The settings of a request for its message. The template's settings apply to those that are nil.
struct MessageSettings: Sendable {
  var ttlSeconds: Int?
  var priority: MessagePriority?
  var collapseKey: String?
  var analyticsLabel: String?
  var data: [(key: String, text: String)] = []
  /// Only for a template of a Live Activity.
  var activity: ActivityRequest?
}

/// A template compiled to the steps that assemble its message: constant members as bytes, and steps for the
/// members that depend on the request.
struct MessagePlan: Sendable {
  enum Step: Sendable {
    /// One or more constant members of an object.
    case members([UInt8])
    /// The start of a member that is an object: its name in JSON and the colon.
    case open([UInt8])
    /// The end of such an object; the member is removed if the object is empty.
    case close
    /// The same, but an empty object stays.
    case closeWhole
    /// The start and the end of a list.
    case openList([UInt8])
    case closeList
    /// A member, or with an empty `head` an element of a list, whose value is an arg; left out with it.
    case value(head: [UInt8], ParamUse)
    case text(slot: Int, AppPlatform)
    /// The literal texts of a platform's part, of those names; without them `otherwise`, constant members.
    case literals(Recipient.Platform, [TextSlot.Name], otherwise: [UInt8])
    /// The template's entries of `data`.
    case data([(key: String, value: FixedValue)])
    case setting(Setting, fixed: FixedValue?)
  }

  /// A value that the template itself sets.
  enum FixedValue: Sendable {
    /// JSON text.
    case bytes([UInt8])
    case param(ParamUse)
  }

  /// A member that a request can set. `fixed` is the value of that FCM field in the template.
  enum Setting: Sendable {
    case androidCollapseKey, androidPriority, androidTTL, androidTag
    case apnsExpiration, apnsPriority, apnsCollapseID
    case webpushTTL
    case analyticsLabel
    /// `live_activity_token`, the priority of a message to a Live Activity, and the keys of `aps` that each
    /// request sets.
    case activityToken, activityPriority, activityState
  }

  /// A slot's text on one platform, compiled: `"title_loc_key":"K","title_loc_args":[` and the params in it.
  struct CompiledText: Sendable {
    let head: [UInt8]
    /// Indices into the template's params; if empty, `head` is the whole text.
    let params: [Int]
    /// What follows the params.
    let tail: [UInt8]
  }

  struct CompiledTexts: Sendable {
    let android: CompiledText?
    let ios: CompiledText?

    subscript(platform: AppPlatform) -> CompiledText? { platform == .android ? android : ios }
  }

  struct CompiledSlot: Sendable {
    /// The slot's own texts: one, or with `plural` one for each class of numbers.
    let base: [CompiledTexts]
    /// The param whose number chooses among `base`.
    let plural: (param: Int, table: PluralTable)?
    let variants: [(conditions: [(param: Int, value: ParamValue)], texts: CompiledTexts)]
  }

  /// A part of the message, which is for one platform or, without one, for all.
  struct Part: Sendable {
    let platform: Recipient.Platform?
    let steps: Range<Int>
  }

  let steps: [Step]
  /// In the order of the message, all of `steps`.
  let parts: [Part]
  /// The browser's part of a message that has texts for it.
  let webSteps: [Step]
  /// The texts for browsers that the catalog itself has.
  let ownWebTexts: Set<TextSlot.Name>
  let slots: [CompiledSlot]
  /// Whether texts isolate each of the params.
  let isolates: [Bool]
  /// The template's own settings.
  let defaults: MessageSettings
  let hasDeviceIdentity: Bool
  let visibility: Visibility
  /// What FCM says about args that stand in its fields.
  let check: ValueCheck
  /// Nil unless the template is for Live Activities.
  let activity: ActivityPlan?

  /// FCM's default if nothing is set (FCM v1 reference, `AndroidConfig.priority`).
  func defaultPriority(_ values: [ParamValue?]) -> MessagePriority {
    if activity != nil { return activityPriority(values) }
    return visibility.isOnAndroid || visibility.isOnIOS(values) ? .high : .normal
  }

  /// Assembles the message for `values`, which are in the order of the template's params; those that are left
  /// out are nil. O(bytes).
  func message(
    values: [ParamValue?], settings: MessageSettings, content: MessageContent = .deviceTexts
  ) -> SealedMessage {
    var writer = MessageWriter(plan: self, values: values, settings: settings, content: content)
    if settings.activity?.event == .start, let activity {
      for step in activity.startSteps { writer.append(step) }
      return SealedMessage(bytes: writer.output, placeholders: writer.placeholders)
    }
    for part in parts where content.includes(part.platform) {
      if part.platform == .web, content.web != nil {
        for step in webSteps { writer.append(step) }
      } else {
        for index in part.steps { writer.append(steps[index]) }
      }
    }
    return SealedMessage(bytes: writer.output, placeholders: writer.placeholders)
  }
}

/// Writes one message by its plan.
private struct MessageWriter {
  private let plan: MessagePlan
  private let settings: MessageSettings
  private let values: [ParamValue?]
  private let isIOSBackground: Bool
  private let content: MessageContent
  private(set) var output: [UInt8] = []
  private(set) var placeholders: [SealedMessage.Placeholder] = []
  /// The start of each open object, including the comma before it.
  private var openings: [Int] = []

  init(plan: MessagePlan, values: [ParamValue?], settings: MessageSettings, content: MessageContent) {
    self.plan = plan
    self.content = content
    isIOSBackground = plan.visibility.isIOSBackground(values)
    self.settings = settings
    self.values = values
    output.reserveCapacity(Self.usualByteCount)
    placeholders.reserveCapacity(SealedMessage.Placeholder.Kind.allCases.count)
    openings.reserveCapacity(4)
  }

  /// Most messages are shorter. Allocations of 1,024 bytes or more bypass the thread's cache in glibc's
  /// malloc.
  private static let usualByteCount = 960

  mutating func append(_ step: MessagePlan.Step) {
    switch step {
    case .members(let bytes):
      separate()
      output.append(contentsOf: bytes)
    case .open(let name):
      openings.append(output.count)
      separate()
      output.append(contentsOf: name)
      output.append(UInt8(ascii: "{"))
    case .close:
      let opening = openings.popLast() ?? 0
      if output.last == UInt8(ascii: "{") {
        output.removeSubrange(opening...)
      } else {
        output.append(UInt8(ascii: "}"))
      }
    case .closeWhole:
      _ = openings.popLast()
      output.append(UInt8(ascii: "}"))
    case .openList(let name):
      separate()
      output.append(contentsOf: name)
      output.append(UInt8(ascii: "["))
    case .closeList: output.append(UInt8(ascii: "]"))
    case .value(let head, let use):
      guard let value = values[use.param] else { return }
      separate()
      output.append(contentsOf: head)
      use.append(value, to: &output)
    case .text(let slot, let platform):
      guard content.texts(of: platform == .android ? .android : .ios) == nil else { return }
      let args = platform == .android ? content.androidArgs : content.iosArgs
      if let text = plan.text(of: plan.slots[slot], on: platform, values) { append(text, args) }
    case .literals(let platform, let names, let otherwise): append(literalsOf: platform, names, otherwise)
    case .data(let entries): append(data: entries)
    case .setting(let setting, let fixed): append(setting, fixed: fixed.flatMap(json))
    }
  }

  /// The JSON text of a value; nil if it is an optional arg that is left out.
  private func json(_ fixed: MessagePlan.FixedValue) -> [UInt8]? {
    switch fixed {
    case .bytes(let bytes): return bytes
    case .param(let use):
      guard let value = values[use.param] else { return nil }
      var bytes: [UInt8] = []
      use.append(value, to: &bytes)
      return bytes
    }
  }

  private mutating func append(
    literalsOf platform: Recipient.Platform, _ names: [TextSlot.Name], _ otherwise: [UInt8]
  ) {
    guard let texts = content.texts(of: platform) else {
      if !otherwise.isEmpty { append(.members(otherwise)) }
      return
    }
    for name in names {
      if let text = texts[name] { member(name.rawValue, text) }
    }
  }

  /// Appends a comma unless the next member is the first of its object or list.
  private mutating func separate() {
    if let last = output.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") {
      output.append(UInt8(ascii: ","))
    }
  }

  private mutating func append(_ text: MessagePlan.CompiledText, _ args: ArgTexts) {
    separate()
    output.append(contentsOf: text.head)
    if text.params.isEmpty { return }
    for (index, param) in text.params.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      output.appendJSONString(plan.argText(param, of: values, args))
    }
    output.append(contentsOf: text.tail)
  }

  private mutating func append(data entries: [(key: String, value: MessagePlan.FixedValue)]) {
    if entries.isEmpty && settings.data.isEmpty { return }
    append(.open(Array("\"data\":".utf8)))
    for entry in entries where !settings.data.contains(where: { $0.key.hasSameBytes(as: entry.key) }) {
      guard let json = json(entry.value) else { continue }
      separate()
      output.appendJSONString(entry.key)
      output.append(UInt8(ascii: ":"))
      output += json
    }
    for entry in settings.data { member(entry.key, entry.text) }
    append(.close)
  }

  /// Appends a setting: the request's value, otherwise the template's FCM field, otherwise its short field.
  private mutating func append(_ setting: MessagePlan.Setting, fixed: [UInt8]?) {
    let ttl = settings.ttlSeconds ?? plan.defaults.ttlSeconds
    switch setting {
    case .androidCollapseKey:
      choose("collapse_key", settings.collapseKey, fixed, plan.defaults.collapseKey)
    case .androidPriority:
      choose("priority", settings.priority?.rawValue, fixed, plan.defaults.priority?.rawValue)
    case .androidTTL:
      if let ttl { placeholder("ttl", .ttlSeconds, suffix: "s", isZero: ttl == 0) }
    case .androidTag:
      // A tag alone would make a notification that displays nothing.
      if output.last == UInt8(ascii: "{"), fixed == nil, !plan.visibility.hasCommonText(values) { return }
      identity("tag", settings.collapseKey, fixed, plan.defaults.collapseKey)
    case .apnsExpiration:
      if let fixed, settings.ttlSeconds == nil {
        member("apns-expiration", json: fixed)
      } else if let ttl {
        placeholder("apns-expiration", .expiration, isZero: ttl == 0)
      }
    case .apnsPriority:
      // APNs accepts no other priority for a push that only wakes the app.
      let forced = isIOSBackground && fixed == nil ? "5" : nil
      let requested = isIOSBackground ? nil : settings.priority?.apns
      choose("apns-priority", forced ?? requested, fixed, plan.defaults.priority?.apns)
    case .apnsCollapseID:
      // An iPhone needs no identity for a message that it does not display.
      if fixed == nil, !plan.visibility.isOnIOS(values) { return }
      // A collapse key of more than 64 bytes is not valid for APNs.
      identity(
        "apns-collapse-id", settings.collapseKey.flatMap(apnsCollapseID), fixed,
        plan.defaults.collapseKey.flatMap(apnsCollapseID))
    case .webpushTTL:
      if let fixed, settings.ttlSeconds == nil {
        member("TTL", json: fixed)
      } else if let ttl {
        placeholder("TTL", .ttlSeconds, isZero: ttl == 0)
      }
    case .analyticsLabel:
      choose("analytics_label", settings.analyticsLabel, fixed, plan.defaults.analyticsLabel)
    case .activityToken: if let activity = settings.activity { member("live_activity_token", activity.token) }
    case .activityPriority:
      let usual = plan.defaults.priority ?? plan.activityPriority(values)
      choose("apns-priority", settings.priority?.apns, fixed, usual.apns)
    case .activityState: if let activity = settings.activity { append(activity, relevanceScore: fixed) }
    }
  }

  /// Appends the keys of `aps` that each request to a Live Activity sets.
  private mutating func append(_ activity: ActivityRequest, relevanceScore fixed: [UInt8]?) {
    begin("timestamp")
    placeholders.append(SealedMessage.Placeholder(offset: output.count, kind: .activityTimestamp))
    member("event", activity.event.rawValue)
    if let date = activity.staleDate { member("stale-date", json: Array(String(date).utf8)) }
    if let date = activity.dismissalDate { member("dismissal-date", json: Array(String(date).utf8)) }
    let score = activity.relevanceScore.map { Array($0.lexeme.utf8) }
    if let score = score ?? (activity.event == .end ? nil : fixed) { member("relevance-score", json: score) }
  }

  private func apnsCollapseID(_ key: String) -> String? {
    MessageRules.collapseIDProblem(key) == nil ? key : nil
  }

  @discardableResult
  private mutating func choose(
    _ name: StaticString, _ requested: String?, _ fixed: [UInt8]?, _ template: String?
  ) -> Bool {
    if let requested {
      begin(name)
      output.appendJSONString(requested)
    } else if let fixed {
      member(name, json: fixed)
    } else if let template {
      begin(name)
      output.appendJSONString(template)
    } else {
      return false
    }
    return true
  }

  /// Appends the identity by which a device recognizes a duplicate: the value that is set, otherwise the
  /// delivery's id.
  private mutating func identity(
    _ name: StaticString, _ requested: String?, _ fixed: [UInt8]?, _ template: String?
  ) {
    if !choose(name, requested, fixed, template), plan.hasDeviceIdentity { placeholder(name, .deliveryID) }
  }

  private mutating func member(_ name: String, _ text: String) {
    separate()
    output.appendJSONString(name)
    output.append(UInt8(ascii: ":"))
    output.appendJSONString(text)
  }

  /// Starts a member whose name needs no escapes, like all of FCM's field names.
  private mutating func begin(_ name: StaticString) {
    separate()
    output.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { output.append(contentsOf: $0) }
    output.append(UInt8(ascii: "\""))
    output.append(UInt8(ascii: ":"))
  }

  private mutating func member(_ name: StaticString, json: [UInt8]) {
    begin(name)
    output.append(contentsOf: json)
  }

  /// Appends a member whose value is a placeholder. A ttl of 0, which means now or never, is a constant.
  private mutating func placeholder(
    _ name: StaticString, _ kind: SealedMessage.Placeholder.Kind, suffix: StaticString = "",
    isZero: Bool = false
  ) {
    begin(name)
    output.append(UInt8(ascii: "\""))
    if isZero {
      output.append(UInt8(ascii: "0"))
    } else {
      placeholders.append(SealedMessage.Placeholder(offset: output.count, kind: kind))
    }
    suffix.withUTF8Buffer { output.append(contentsOf: $0) }
    output.append(UInt8(ascii: "\""))
  }
}
