internal import FCMMessage
internal import JSON

/// Writes one message by its plan.
struct MessageWriter {
  private let plan: MessagePlan
  /// The plan's, copied once: each call through the plan would copy them again.
  private let slotTexts: SlotTexts
  private let settings: MessageSettings
  private let values: [ParamValue?]
  private let isIOSBackground: Bool
  private let content: MessageContent
  /// Whether placeholders stand for literal texts.
  private let leavesOutTexts: Bool
  /// The texts that are left out, in the order of their placeholders.
  private(set) var texts: [MessagePlan.TextPlace] = []
  private var output: [UInt8] = []
  private var placeholders: [SealedMessage.Placeholder] = []
  /// The start of each open object, including the comma before it.
  private var openings: [Int] = []

  init(
    plan: MessagePlan, values: [ParamValue?], settings: MessageSettings, content: MessageContent,
    leavesOutTexts: Bool = false
  ) {
    self.plan = plan
    slotTexts = plan.texts
    self.content = content
    self.leavesOutTexts = leavesOutTexts
    isIOSBackground = plan.visibility.isIOSBackground(values)
    self.settings = settings
    self.values = values
    output.reserveCapacity(Self.usualByteCount)
    placeholders.reserveCapacity(Self.usualPlaceholderCount)
    openings.reserveCapacity(4)
  }

  /// Two identities, two ttls and an expiration.
  private static let usualPlaceholderCount = 6
  /// Most messages are shorter. With the header of an array, it is less than one of malloc's size classes.
  private static let usualByteCount = 960

  /// The message of all steps so far.
  var sealed: SealedMessage { SealedMessage(bytes: output, placeholders: placeholders) }

  /// Writes some of a program's steps; nil: all.
  mutating func append(_ program: MessagePlan.Program, _ range: Range<Int>? = nil) {
    // Guard: the program outlives the closures, and the pointers do not leave them.
    program.bytes.withUnsafeBufferPointer { bytes in
      program.steps.withUnsafeBufferPointer { steps in
        for index in range ?? steps.indices { append(steps[index], bytes) }
      }
    }
  }

  private typealias Constants = UnsafeBufferPointer<UInt8>

  private mutating func append(_ step: MessagePlan.Step, _ constants: Constants) {
    switch step {
    case .members(let bytes):
      separate()
      append(constants, bytes)
    case .open(let name):
      openings.append(output.count)
      separate()
      append(constants, name)
      output.append(UInt8(ascii: "{"))
    case .close: close()
    case .closeWhole:
      _ = openings.popLast()
      output.append(UInt8(ascii: "}"))
    case .openList(let name):
      separate()
      append(constants, name)
      output.append(UInt8(ascii: "["))
    case .closeList: output.append(UInt8(ascii: "]"))
    case .value(let head, let use):
      guard let value = values[use.param] else { return }
      separate()
      append(constants, head)
      use.append(value, to: &output)
    case .text(let slot, let platform):
      guard !content.hasTexts(of: platform == .android ? .android : .ios) else { return }
      let args = platform == .android ? content.androidArgs : content.iosArgs
      if let text = slotTexts.text(of: slot, on: platform, values) { append(text, args) }
    case .literals(let platform, let names, let otherwise):
      append(literalsOf: platform, names, otherwise, constants)
    case .data: appendData(constants)
    case .setting(let setting, let fixed): append(setting, fixed: fixed.flatMap { json($0, constants) })
    }
  }

  @inline(__always)
  private mutating func append(_ constants: Constants, _ range: Range<Int>) {
    output.append(contentsOf: UnsafeBufferPointer(rebasing: constants[range]))
  }

  private mutating func close() {
    let opening = openings.popLast() ?? 0
    if output.last == UInt8(ascii: "{") {
      output.removeSubrange(opening...)
    } else {
      output.append(UInt8(ascii: "}"))
    }
  }

  /// The JSON text of a value; nil if it is an optional arg that is left out.
  private func json(_ fixed: MessagePlan.FixedValue, _ constants: Constants) -> [UInt8]? {
    switch fixed {
    case .bytes(let bytes): return Array(constants[bytes])
    case .param(let use):
      guard let value = values[use.param] else { return nil }
      var bytes: [UInt8] = []
      use.append(value, to: &bytes)
      return bytes
    }
  }

  private mutating func append(
    literalsOf platform: Recipient.Platform, _ names: MessagePlan.LiteralNames, _ otherwise: Range<Int>,
    _ constants: Constants
  ) {
    guard content.hasTexts(of: platform), let texts = content.texts(of: platform) else {
      if !otherwise.isEmpty { append(.members(otherwise), constants) }
      return
    }
    for name in TextSlot.Name.allCases where names.contains(name) {
      guard let text = texts[name] else { continue }
      member(name.rawValue, leavesOutTexts ? "" : text)
      guard leavesOutTexts else { continue }
      // Before the closing quote.
      placeholders.append(SealedMessage.Placeholder(offset: output.count - 1, kind: .text))
      self.texts.append((platform, name))
    }
  }

  /// Appends a comma unless the next member is the first of its object or list.
  private mutating func separate() {
    if let last = output.last, last != UInt8(ascii: "{"), last != UInt8(ascii: "[") {
      output.append(UInt8(ascii: ","))
    }
  }

  private mutating func append(_ text: SlotTexts.Text, _ args: ArgTexts) {
    separate()
    append(textBytes: text.head)
    if text.params.isEmpty { return }
    for index in text.params {
      if index > text.params.lowerBound { output.append(UInt8(ascii: ",")) }
      append(arg: slotTexts.params[index], args)
    }
    append(textBytes: text.tail)
  }

  private mutating func append(textBytes range: Range<Int>) {
    // Guard: the texts outlive the closure, and the pointer does not leave it.
    slotTexts.bytes.withUnsafeBufferPointer { append($0, range) }
  }

  /// Appends an arg of a text.
  private mutating func append(arg param: Int, _ args: ArgTexts) {
    // A whole number that no locale writes needs neither a string between nor escapes.
    guard case .integer(let number)? = values[param], args[param] == nil else {
      return output.appendJSONString(plan.argText(param, of: values, args))
    }
    output.append(UInt8(ascii: "\""))
    if plan.isolates[param] { output.append(contentsOf: BidiText.firstStrongIsolate.utf8) }
    output.append(decimal: Int(truncatingIfNeeded: number))
    if plan.isolates[param] { output.append(contentsOf: BidiText.popIsolate.utf8) }
    output.append(UInt8(ascii: "\""))
  }

  private mutating func appendData(_ constants: Constants) {
    if plan.data.isEmpty && settings.data.isEmpty { return }
    openings.append(output.count)
    begin("data")
    output.append(UInt8(ascii: "{"))
    for entry in plan.data where !settings.data.contains(where: { $0.key.hasSameBytes(as: entry.key) }) {
      guard let json = json(entry.value, constants) else { continue }
      separate()
      output.appendJSONString(entry.key)
      output.append(UInt8(ascii: ":"))
      output += json
    }
    for entry in settings.data { member(entry.key, entry.text) }
    close()
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
