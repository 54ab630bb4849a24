internal import FCMMessage
internal import JSON

/// Compiles a message's members, in their order, to steps of its plan.
///
/// `object` opens a member that is an object, and `members` adds what a `ValueTree` holds: bytes where it is
/// constant, and steps that write an arg's bytes where a param stands. Objects that end up empty are left
/// out.
struct PlanCompiler {
  private let slots: [TextSlot]
  private(set) var program = MessagePlan.Program()
  /// The entries of `data`, for the program's step.
  private(set) var data: [(key: String, value: MessagePlan.FixedValue)] = []

  init(slots: [TextSlot]) { self.slots = slots }

  mutating func data(_ entries: [ValueTree.Member]?) {
    for entry in entries ?? [] { data.append((entry.key, fixed(entry.value))) }
    program.steps.append(.data)
  }

  /// Adds a member with a value, if there is one.
  mutating func member(_ name: String, _ value: ValueTree?) {
    if let value { members([(name, value)]) }
  }

  mutating func android(_ form: AndroidForm, _ fields: ValueTree, _ visibility: MessagePlan.Visibility) {
    object(form.name) { compiler in
      var rest = fields[form.name]?.members ?? []
      compiler.setting(.androidCollapseKey, rest.take("collapse_key"))
      // AndroidConfigV2 has no priority.
      if form == .v1 { compiler.setting(.androidPriority, rest.take("priority")) }
      compiler.setting(.androidTTL, nil)
      switch form {
      case .v1:
        let notification = rest.take("notification")
        compiler.members(rest)
        if visibility.isOnAndroid { compiler.androidNotification(notification) }
      case .v2:
        let remote = rest.take("remote_notification")
        compiler.members(rest)
        compiler.object("remote_notification") { compiler in
          var rest = remote?.members ?? []
          let notification = rest.take("notification")
          if visibility.isOnAndroid { compiler.androidNotification(notification) }
          compiler.members(rest)
        }
      }
    }
  }

  private mutating func androidNotification(_ notification: ValueTree?) {
    object("notification") { compiler in
      var rest = notification?.members ?? []
      let tag = rest.take("tag")
      compiler.literals(of: .android, [.title, .body])
      compiler.texts(on: .android)
      compiler.members(rest)
      compiler.setting(.androidTag, tag)
    }
  }

  mutating func apns(
    _ overlay: [ValueTree.Member], _ visibility: MessagePlan.Visibility, _ fallback: Fallback?
  ) {
    guard visibility.canBeOnIOS || !overlay.isEmpty else { return }
    object("apns") { compiler in
      var rest = overlay
      var headers = rest.take("headers")?.members ?? []
      var payload = rest.take("payload")?.members ?? []
      compiler.object("headers") { compiler in
        let collapseID = headers.take("apns-collapse-id")
        compiler.setting(.apnsPriority, headers.take("apns-priority"))
        compiler.setting(.apnsExpiration, headers.take("apns-expiration"))
        if visibility.canBeOnIOS || collapseID != nil { compiler.setting(.apnsCollapseID, collapseID) }
        compiler.members(headers)
      }
      compiler.object("payload") { compiler in
        var aps = payload.take("aps")?.members ?? []
        compiler.object("aps") { compiler in
          compiler.alert(aps.take("alert"), fallback)
          compiler.members(aps)
        }
        compiler.members(payload)
      }
      compiler.members(rest)
    }
  }

  private mutating func alert(_ alert: ValueTree?, _ fallback: Fallback?) {
    if let alert, alert.members == nil { return members([("alert", alert)]) }
    object("alert") { compiler in
      compiler.literals(of: .ios, TextSlot.Name.allCases, otherwise: fallback)
      compiler.texts(on: .ios)
      compiler.members(alert?.members ?? [])
    }
  }

  /// A browser has no loc keys. It displays the fallback, unless the catalog has a separate text for it.
  mutating func webpush(_ overlay: [ValueTree.Member]?, _ fallback: Fallback?) {
    guard overlay != nil || fallback?.title != nil || fallback?.body != nil else { return }
    var rest = overlay ?? []
    var headers = rest.take("headers")?.members ?? []
    let notification = rest.take("notification")?.members ?? []
    object("webpush") { compiler in
      compiler.object("headers") { compiler in
        let written = headers.first { $0.key.lowercased() == "ttl" }
        compiler.setting(.webpushTTL, written.flatMap { headers.take($0.key) })
        compiler.members(headers)
      }
      compiler.object("notification") { compiler in
        let names = [TextSlot.Name.title, .body].filter { name in
          !notification.contains { $0.key == name.rawValue }
        }
        compiler.literals(of: .web, names, otherwise: fallback)
        compiler.members(notification)
      }
      compiler.members(rest)
    }
  }

  mutating func fcmOptions(_ overlay: [ValueTree.Member]) {
    object("fcm_options") { compiler in
      var rest = overlay
      compiler.setting(.analyticsLabel, rest.take("analytics_label"))
      compiler.members(rest)
    }
  }

  /// Whether a slot has a text on iPhones.
  func hasText(_ slot: TextSlot.Name) -> Bool {
    slots.contains { $0.name == slot && !$0.allTexts(on: .ios).isEmpty }
  }

  /// The place of literal texts, which the fallback takes in a message without them.
  mutating func literals(
    of platform: Recipient.Platform, _ names: [TextSlot.Name], otherwise fallback: Fallback? = nil
  ) {
    let texts = names.compactMap { name in
      fallback?.text(name).map { (key: name.rawValue, value: JSON.string($0)) }
    }
    let members = JSON.object(.init(texts)).serialized.dropFirst().dropLast()
    program.steps.append(
      .literals(platform, MessagePlan.LiteralNames(names), otherwise: program.keep(members)))
  }

  mutating func texts(on platform: AppPlatform) {
    for (index, slot) in slots.enumerated() where !slot.allTexts(on: platform).isEmpty {
      program.steps.append(.text(slot: index, platform))
    }
  }

  mutating func setting(_ setting: MessagePlan.Setting, _ value: ValueTree?) {
    let own = value.map { fixed($0) }
    program.steps.append(.setting(setting, fixed: own))
  }

  /// A value that the plan writes as a whole.
  private mutating func fixed(_ value: ValueTree) -> MessagePlan.FixedValue {
    switch value {
    case .constant(let json): .bytes(program.keep(json.serialized))
    case .param(let use): .param(use)
    // FCM's schema rejects objects and lists where settings and data are.
    case .object, .list: .bytes(program.keep("null".utf8))
    }
  }

  /// Adds a member that is an object; it is left out if `content` adds nothing.
  mutating func object(_ name: String, _ content: (inout PlanCompiler) -> Void) {
    let head = program.keep(Self.head(name))
    program.steps.append(.open(head))
    content(&self)
    program.steps.append(.close)
  }

  /// Adds a member that is an object; it stays even if `content` adds nothing.
  mutating func wholeObject(_ name: String, _ content: (inout PlanCompiler) -> Void) {
    let head = program.keep(Self.head(name))
    program.steps.append(.open(head))
    content(&self)
    program.steps.append(.closeWhole)
  }

  /// Adds members; adjacent constant ones are combined into one step.
  mutating func members(_ members: [ValueTree.Member]) {
    for member in members { add(member.value, head: Self.head(member.key)) }
  }

  /// Adds a value; `head` is the member's name and its colon, and empty in a list.
  private mutating func add(_ value: ValueTree, head: [UInt8]) {
    switch value {
    case .constant(let json):
      let bytes = head + json.serialized
      // Nothing was kept since the members before, so that both are one range.
      if case .members(let before)? = program.steps.last, before.upperBound == program.bytes.count {
        let rest = program.keep([UInt8(ascii: ",")] + bytes)
        program.steps[program.steps.count - 1] = .members(before.lowerBound..<rest.upperBound)
      } else {
        program.steps.append(.members(program.keep(bytes)))
      }
    case .param(let use): program.steps.append(.value(head: program.keep(head), use))
    case .object(let members):
      program.steps.append(.open(program.keep(head)))
      self.members(members)
      program.steps.append(.close)
    case .list(let elements):
      program.steps.append(.openList(program.keep(head)))
      for element in elements { add(element, head: []) }
      program.steps.append(.closeList)
    }
  }

  private static func head(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendJSONString(name)
    bytes.append(UInt8(ascii: ":"))
    return bytes
  }
}
