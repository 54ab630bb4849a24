internal import FCMMessage
internal import JSON
internal import Plurals
internal import YAML

extension MessagePlan {
  /// Compiles a template whose overlay is already merged with that of `defaults`.
  init(
    level: CatalogReader.Level, fields: MessageFields, slots: [TextSlot], params: [Param],
    fallback: Fallback?
  ) {
    let overlay = fields.tree
    var compiler = PlanCompiler(slots: slots)
    let visibility = Visibility(overlay: overlay, slots: slots, params: params, fallback: fallback)
    compiler.data(overlay["data"]?.members)
    compiler.android(overlay["android"]?.members ?? [], visibility)
    compiler.apns(overlay["apns"]?.members ?? [], visibility, fallback)
    compiler.webpush(overlay["webpush"]?.members, fallback)
    compiler.fcmOptions(overlay["fcm_options"]?.members ?? [])
    steps = compiler.steps
    self.slots = slots.map { CompiledSlot($0, params: params) }
    defaults = MessageSettings(
      ttlSeconds: level.ttlSeconds, priority: level.priority, collapseKey: level.collapseKey,
      analyticsLabel: level.analyticsLabel)
    hasDeviceIdentity = level.hasDeviceIdentity ?? true
    self.visibility = visibility
    check = ValueCheck(
      fields: overlay.members ?? [], places: fields.places, ttlParam: fields.ttl?.param,
      showsOnlyFields: fallback == nil && !slots.contains { !$0.allTexts(on: .ios).isEmpty })
  }

  /// The platforms on which a message displays something.
  struct Visibility: Sendable {
    let isOnAndroid: Bool
    private let onIOS: Presence
    /// `content-available`.
    private let wakes: ValueTree?

    fileprivate init(overlay: ValueTree, slots: [TextSlot], params: [Param], fallback: Fallback?) {
      isOnAndroid =
        overlay["android"]?["notification"] != nil || slots.contains { !$0.allTexts(on: .android).isEmpty }
      let aps = overlay["apns"]?["payload"]?["aps"]
      let hasText = fallback != nil || slots.contains { !$0.allTexts(on: .ios).isEmpty }
      onIOS =
        hasText
        ? .always
        : ["alert", "badge", "sound"].reduce(.never) { $0.or(aps?[$1]?.presence(params) ?? .never) }
      wakes = aps?["content-available"]
    }

    /// Whether some request's message displays something on an iPhone.
    var canBeOnIOS: Bool { if case .never = onIOS { false } else { true } }

    func isOnIOS(_ values: [ParamValue?]) -> Bool { onIOS.holds(values) }

    /// Whether an iPhone displays nothing and only wakes the app; APNs then accepts only priority 5.
    func isIOSBackground(_ values: [ParamValue?]) -> Bool {
      guard let wakes, !onIOS.holds(values) else { return false }
      return wakes.json(values)?.int64 == 1
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
