internal import FCMMessage
internal import JSON
internal import Plurals
internal import YAML

extension MessagePlan {
  /// Compiles a template whose overlay is already merged with that of `defaults`.
  init(level: CatalogReader.Level, slots: [TextSlot], params: [Param], fallback: Fallback?) {
    let overlay = level.overlay.json
    var compiler = PlanCompiler(slots: slots)
    let visibility = Visibility(overlay: overlay, slots: slots, fallback: fallback)
    compiler.data(overlay["data"]?.object)
    let android = compiler.steps.count
    compiler.android(overlay["android"]?.object ?? .init(), visibility)
    let ios = compiler.steps.count
    compiler.apns(overlay["apns"]?.object ?? .init(), visibility, fallback)
    let web = compiler.steps.count
    compiler.webpush(overlay["webpush"]?.object, fallback)
    let rest = compiler.steps.count
    compiler.fcmOptions(overlay["fcm_options"]?.object ?? .init())
    steps = compiler.steps
    parts = [
      Part(platform: nil, steps: 0..<android), Part(platform: .android, steps: android..<ios),
      Part(platform: .ios, steps: ios..<web), Part(platform: .web, steps: web..<rest),
      Part(platform: nil, steps: rest..<steps.count),
    ]
    var webCompiler = PlanCompiler(slots: slots)
    webCompiler.webpush(level.webOverlay ?? .init(), nil)
    webSteps = webCompiler.steps
    let own = level.webOverlay?["notification"]
    ownWebTexts = Set(TextSlot.Name.allCases.filter { own?[$0.rawValue] != nil })
    self.slots = slots.map { CompiledSlot($0, params: params) }
    defaults = MessageSettings(
      ttlSeconds: level.ttlSeconds, priority: level.priority, collapseKey: level.collapseKey,
      analyticsLabel: level.analyticsLabel)
    hasDeviceIdentity = level.hasDeviceIdentity ?? true
    isBackgroundOnly = visibility.isIOSBackground
    defaultPriority = visibility.isOnAndroid || visibility.isOnIOS ? .high : .normal
  }

  /// The platforms on which a template displays something.
  fileprivate struct Visibility {
    let isOnAndroid: Bool
    let isOnIOS: Bool
    /// Whether an iPhone displays nothing and only wakes the app (`content-available`).
    let isIOSBackground: Bool

    init(overlay: JSON.Object, slots: [TextSlot], fallback: Fallback?) {
      isOnAndroid =
        overlay["android"]?["notification"] != nil || slots.contains { !$0.allTexts(on: .android).isEmpty }
      let aps = overlay["apns"]?["payload"]?["aps"]
      isOnIOS =
        fallback != nil || slots.contains { !$0.allTexts(on: .ios).isEmpty }
        || ["alert", "badge", "sound"].contains { aps?[$0] != nil }
      isIOSBackground = !isOnIOS && aps?["content-available"]?.int64 == 1
    }
  }
}

extension MessagePlan.CompiledSlot {
  fileprivate init(_ slot: TextSlot, params: [Param]) {
    plural = slot.plural.flatMap { plural in
      params.index(of: plural.param).map { ($0, plural.partition.table) }
    }
    base = slot.classTexts.map { MessagePlan.CompiledTexts($0, of: slot.name, params: params) }
    variants = slot.variants.map { variant in
      let conditions = variant.conditions.compactMap { condition in
        params.index(of: condition.param).map { (param: $0, value: condition.value) }
      }
      return (conditions, MessagePlan.CompiledTexts(variant.texts, of: slot.name, params: params))
    }
  }
}

extension TextSlot {
  /// The slot's own texts, or with `plural` those of each class of numbers.
  fileprivate var classTexts: [Texts] {
    guard let plural else { return [texts] }
    return plural.partition.smallestMembers.indices.map { index in
      Texts(
        android: texts.android.map { plural.text($0, ofClass: index) },
        ios: texts.ios.map { plural.text($0, ofClass: index) })
    }
  }
}

extension MessagePlan.CompiledTexts {
  fileprivate init(_ texts: TextSlot.Texts, of name: TextSlot.Name, params: [Param]) {
    android = texts.android.map { text in
      MessagePlan.CompiledText(
        text, keyName: "\(name.rawValue)_loc_key", argsName: "\(name.rawValue)_loc_args", params: params)
    }
    ios = texts.ios.map { text in
      MessagePlan.CompiledText(text, keyName: name.apnsKey, argsName: name.apnsArgs, params: params)
    }
  }
}

extension MessagePlan.CompiledText {
  fileprivate init(_ text: LocText, keyName: String, argsName: String, params: [Param]) {
    var head: [UInt8] = []
    head.appendJSONString(keyName)
    head.append(UInt8(ascii: ":"))
    head.appendJSONString(text.key)
    if !text.args.isEmpty {
      head.append(UInt8(ascii: ","))
      head.appendJSONString(argsName)
      head += [UInt8(ascii: ":"), UInt8(ascii: "[")]
    }
    self.head = head
    self.params = text.args.compactMap(params.index(of:))
  }
}

extension [Param] {
  fileprivate func index(of name: String) -> Int? { firstIndex { $0.name.hasSameBytes(as: name) } }
}

/// Compiles a message's members, in their order, to steps.
private struct PlanCompiler {
  private let slots: [TextSlot]
  private(set) var steps: [MessagePlan.Step] = []

  init(slots: [TextSlot]) { self.slots = slots }

  mutating func data(_ data: JSON.Object?) {
    steps.append(.data((data ?? .init()).map { (key: $0.key, json: $0.value.serialized) }))
  }

  mutating func android(_ overlay: JSON.Object, _ visibility: MessagePlan.Visibility) {
    object("android") { compiler in
      var rest = overlay
      compiler.setting(.androidCollapseKey, rest.take("collapse_key"))
      compiler.setting(.androidPriority, rest.take("priority"))
      compiler.setting(.androidTTL, nil)
      let notification = rest.take("notification")
      compiler.members(rest)
      guard visibility.isOnAndroid else { return }
      compiler.object("notification") { compiler in
        var rest = notification?.object ?? .init()
        let tag = rest.take("tag")
        compiler.literals(of: .android, [.title, .body])
        compiler.texts(on: .android)
        compiler.members(rest)
        compiler.setting(.androidTag, tag)
      }
    }
  }

  mutating func apns(_ overlay: JSON.Object, _ visibility: MessagePlan.Visibility, _ fallback: Fallback?) {
    guard visibility.isOnIOS || !overlay.isEmpty else { return }
    object("apns") { compiler in
      var rest = overlay
      var headers = rest.take("headers")?.object ?? .init()
      var payload = rest.take("payload")?.object ?? .init()
      compiler.object("headers") { compiler in
        let collapseID = headers.take("apns-collapse-id")
        compiler.setting(.apnsPriority, headers.take("apns-priority"))
        compiler.setting(.apnsExpiration, headers.take("apns-expiration"))
        if visibility.isOnIOS || collapseID != nil { compiler.setting(.apnsCollapseID, collapseID) }
        compiler.members(headers)
      }
      compiler.object("payload") { compiler in
        var aps = payload.take("aps")?.object ?? .init()
        compiler.object("aps") { compiler in
          compiler.alert(aps.take("alert"), fallback)
          compiler.members(aps)
        }
        compiler.members(payload)
      }
      compiler.members(rest)
    }
  }

  private mutating func alert(_ alert: JSON?, _ fallback: Fallback?) {
    if let alert, alert.object == nil { return members(.init([("alert", alert)])) }
    object("alert") { compiler in
      compiler.literals(of: .ios, TextSlot.Name.allCases, otherwise: fallback)
      compiler.texts(on: .ios)
      compiler.members(alert?.object ?? .init())
    }
  }

  /// A browser has no loc keys. It displays the fallback, unless the catalog has a separate text for it.
  mutating func webpush(_ overlay: JSON.Object?, _ fallback: Fallback?) {
    guard overlay != nil || fallback?.title != nil || fallback?.body != nil else { return }
    var rest = overlay ?? .init()
    var headers = rest.take("headers")?.object ?? .init()
    let notification = rest.take("notification")?.object ?? .init()
    object("webpush") { compiler in
      compiler.object("headers") { compiler in
        let written = headers.members.first { $0.key.lowercased() == "ttl" }
        compiler.setting(.webpushTTL, written.flatMap { headers.take($0.key) })
        compiler.members(headers)
      }
      compiler.object("notification") { compiler in
        let names = [TextSlot.Name.title, .body].filter { notification[$0.rawValue] == nil }
        compiler.literals(of: .web, names, otherwise: fallback)
        compiler.members(notification)
      }
      compiler.members(rest)
    }
  }

  mutating func fcmOptions(_ overlay: JSON.Object) {
    object("fcm_options") { compiler in
      var rest = overlay
      compiler.setting(.analyticsLabel, rest.take("analytics_label"))
      compiler.members(rest)
    }
  }

  /// The place of literal texts, which the fallback takes in a message without them.
  private mutating func literals(
    of platform: Recipient.Platform, _ names: [TextSlot.Name], otherwise fallback: Fallback? = nil
  ) {
    let texts = names.compactMap { name in
      fallback?.text(name).map { (key: name.rawValue, value: JSON.string($0)) }
    }
    let members = JSON.object(.init(texts)).serialized.dropFirst().dropLast()
    steps.append(.literals(platform, names, otherwise: Array(members)))
  }

  private mutating func texts(on platform: AppPlatform) {
    for (index, slot) in slots.enumerated() where !slot.allTexts(on: platform).isEmpty {
      steps.append(.text(slot: index, platform))
    }
  }

  private mutating func setting(_ setting: MessagePlan.Setting, _ fixed: JSON?) {
    steps.append(.setting(setting, fixed: fixed?.serialized))
  }

  private mutating func object(_ name: String, _ content: (inout PlanCompiler) -> Void) {
    var bytes: [UInt8] = []
    bytes.appendJSONString(name)
    bytes.append(UInt8(ascii: ":"))
    steps.append(.open(bytes))
    content(&self)
    steps.append(.close)
  }

  /// Appends constant members; adjacent ones are combined into one step.
  private mutating func members(_ object: JSON.Object) {
    if object.isEmpty { return }
    let bytes = JSON.object(object).serialized.dropFirst().dropLast()
    if case .members(let before)? = steps.last {
      steps[steps.count - 1] = .members(before + [UInt8(ascii: ",")] + bytes)
    } else {
      steps.append(.members(Array(bytes)))
    }
  }
}

extension JSON.Object {
  /// Removes the member `key` and returns its value.
  fileprivate mutating func take(_ key: String) -> JSON? {
    defer { self[key] = nil }
    return self[key]
  }
}
