internal import FCMMessage
internal import JSON
internal import YAML

extension CatalogReader {
  enum TemplateField: String, CaseIterable {
    case description, params, title, subtitle, body, fallback, ttl, priority, data, android, apns, webpush
    case notification, render, since, language
    case analyticsLabel = "analytics_label"
    case collapseKey = "collapse_key"
    case deviceIdentity = "device_identity"
    case fcmOptions = "fcm_options"
    case androidV2 = "android_v2"
    case liveActivity = "live_activity"
  }

  enum FallbackField: String, CaseIterable {
    case title, subtitle, body
  }

  func readTemplate(
    _ name: String, _ key: YAMLField, _ field: YAMLField, _ defaults: Level
  ) -> Template? {
    guard let fields = field.fields(TemplateField.self) else { return nil }
    let problemCount = problems.problems.count
    var reader = self
    let params = fields[.params].map { reader.readParams($0, bidi: defaults.bidi) } ?? []
    return reader.readTemplate(
      name, key, field, fields, params, defaults, isIntact: problems.problems.count == problemCount)
  }

  /// Reads the rest of a template, whose params are read without problems if it `isIntact`.
  private func readTemplate(
    _ name: String, _ key: YAMLField, _ field: YAMLField, _ fields: YAMLFields<TemplateField>,
    _ params: [Param], _ defaults: Level, isIntact: Bool
  ) -> Template {
    let problemCount = problems.problems.count
    let description = fields[.description]?.string()
    let slotFields: [(TextSlot.Name, YAMLField?)] = [
      (.title, fields[.title]), (.subtitle, fields[.subtitle]), (.body, fields[.body]),
    ]
    let slots = slotFields.compactMap { name, field in field.flatMap { readSlot(name, $0, params: params) } }
    let fallback = fields[.fallback].flatMap(readFallback)
    let activity = fields[.liveActivity].flatMap { readActivity($0, params: params) }
    let isActivity = fields[.liveActivity] != nil
    let own = readLevel(field, fields, params)
    if isActivity { refuseForActivity(fields, own.overlay, slots: slots, at: field.path) }
    let level = merged(
      own, over: isActivity ? defaultsForActivity(defaults) : defaults, params: params, slots: slots,
      fallback: fallback)
    if isActivity { refuseActivityToken(level.overlay, at: field.path) }
    let values = readFields(level, params: params, at: field.path)
    if isActivity {
      refuseAlertConflicts(level.overlay, slots: slots, at: field.path)
    } else {
      refuseConflicts(level.overlay, slots: slots, fallback: fallback, at: field.path)
    }
    let literals = literalTexts(in: level.overlay, slots: slots, at: field.path)
    let hasProblems = !isIntact || problems.problems.count > problemCount || !literals.isEmpty
    let plan = MessagePlan(
      level: level, fields: values, slots: slots, params: params, fallback: fallback, activity: activity)
    let template = Template(
      name: name, description: description, params: params, slots: slots, fallback: fallback,
      ttlSeconds: level.ttlSeconds, priority: level.priority, collapseKey: level.collapseKey,
      analyticsLabel: level.analyticsLabel, hasDeviceIdentity: level.hasDeviceIdentity ?? true,
      render: fields[.render]?.choice(), language: fields[.language]?.choice() ?? readerLanguage,
      since: fields[.since].map(readSince) ?? .none,
      line: key.node.line, literals: literals,
      valueParams: values.paramNames(params) + (activity?.paramNames(params) ?? []),
      fieldTexts: fieldTexts(values, level.overlay, params: params, line: key.node.line),
      activity: activity?.template, plan: plan)
    // A message with invalid parts would only repeat the same problems in other words.
    if !hasProblems {
      checkMessages(of: template, level.overlay, values, key)
      checkDeclaredValues(of: template, values, at: field.path)
    }
    return template
  }

  private func readFallback(_ field: YAMLField) -> Fallback? {
    guard let fields = field.fields(FallbackField.self) else { return nil }
    return Fallback(
      title: fields[.title]?.nonEmptyString(), subtitle: fields[.subtitle]?.nonEmptyString(),
      body: fields[.body]?.nonEmptyString())
  }

  private func readLevel(
    _ field: YAMLField, _ fields: YAMLFields<TemplateField>, _ params: [Param]
  ) -> Level {
    var level = Level(overlay: Overlay(at: field.node))
    level.ttlSeconds = fields[.ttl].flatMap(readTTL)
    level.priority = fields[.priority]?.choice()
    level.collapseKey = fields[.collapseKey]?.nonEmptyString()
    level.analyticsLabel = fields[.analyticsLabel].flatMap(readAnalyticsLabel)
    level.hasDeviceIdentity = fields[.deviceIdentity]?.bool()
    level.overlay = readOverlay(
      of: field,
      [
        ("data", fields[.data]), ("notification", fields[.notification]), ("android", fields[.android]),
        ("android_v2", fields[.androidV2]), ("apns", fields[.apns]), ("webpush", fields[.webpush]),
        ("fcm_options", fields[.fcmOptions]),
      ])
    refuseUnknown(in: level.overlay.root, at: field.path, params: params)
    takeTTL(from: &level, ttlField: fields[.ttl], path: field.path)
    return level
  }

  /// Merges a template into `defaults`, of which fields with params that the template does not have are left
  /// out. A template's short field (`ttl`, `priority`…) overrides the corresponding FCM field of `defaults`.
  /// On a platform on which the template displays nothing, the notification fields of `defaults` are dropped,
  /// because a channel or a sound alone would make an empty notification.
  private func merged(
    _ own: Level, over defaults: Level, params: [Param], slots: [TextSlot], fallback: Fallback?
  ) -> Level {
    var base = defaults.overlay.withoutReferences(toOthersThan: params)
    // A message has only one form of Android's options, and the template's own choice wins.
    if own.overlay.has(AndroidForm.v2.name) {
      base.remove(AndroidForm.v1.name)
    } else if own.overlay.has(AndroidForm.v1.name) {
      base.remove(AndroidForm.v2.name)
    }
    let form = own.overlay.merged(over: base).androidForm
    if own.ttlSeconds != nil || own.ttlParam != nil {
      base.remove("apns", "headers", "apns-expiration")
      for name in ["TTL", "ttl", "Ttl"] { base.remove("webpush", "headers", name) }
    }
    if own.priority != nil {
      base.remove("android", "priority")
      base.remove("apns", "headers", "apns-priority")
    }
    if own.collapseKey != nil {
      base.remove(form.name, "collapse_key")
      base.remove(form.notificationPath + ["tag"])
      base.remove("apns", "headers", "apns-collapse-id")
    }
    if own.analyticsLabel != nil { base.remove("fcm_options", "analytics_label") }
    let hasNotification = own.overlay.has("notification")
    let hasAndroidText = slots.contains { !$0.allTexts(on: .android).isEmpty }
    if !hasAndroidText, own.overlay[form.notificationPath] == nil, !hasNotification {
      base.remove(form.notificationPath)
    }
    let ownAlert =
      hasNotification
      || ["alert", "badge", "sound"].contains { own.overlay["apns", "payload", "aps", $0] != nil }
    if slots.isEmpty, fallback == nil, !ownAlert, own.overlay[form.notificationPath] == nil {
      base.remove("notification")
    }
    if !slots.contains(where: { !$0.allTexts(on: .ios).isEmpty }), fallback == nil, !ownAlert {
      base.remove("apns", "payload", "aps")
    }
    let hidesWebNotification =
      fallback == nil && own.overlay["webpush", "notification"] == nil && !hasNotification
    return Level(
      ttlSeconds: own.ttlSeconds ?? defaults.ttlSeconds, priority: own.priority ?? defaults.priority,
      collapseKey: own.collapseKey, analyticsLabel: own.analyticsLabel ?? defaults.analyticsLabel,
      hasDeviceIdentity: own.hasDeviceIdentity ?? defaults.hasDeviceIdentity,
      ttlParam: own.ttlParam ?? (own.ttlSeconds == nil ? defaults.ttlParam : nil),
      hidesWebNotification: hidesWebNotification, overlay: own.overlay.merged(over: base))
  }

  /// The literal texts that reach Android beside a key, whether a slot or a field names it: in Android's own
  /// notification, and in the one for all platforms.
  private func literalTexts(in overlay: Overlay, slots: [TextSlot], at path: FieldPath) -> [LiteralText] {
    let notification = overlay.androidForm.notificationPath
    return [TextSlot.Name.title, .body].flatMap { name -> [LiteralText] in
      let field = "\(name.rawValue)_loc_key"
      let hasSlot = slots.contains { $0.name == name && !$0.allTexts(on: .android).isEmpty }
      guard hasSlot || overlay[notification + [field]].map({ !$0.isNull }) ?? false else { return [] }
      let key = hasSlot ? "the key of the slot \(name.rawValue)" : field
      return [notification, ["notification"]].compactMap { place in
        let keys = place + [name.rawValue]
        guard let node = overlay[keys], !node.isNull else { return nil }
        return literalText(name, over: key, at: node, keys.reduce(path) { $0.appending($1) })
      }
    }
  }

  private func literalText(
    _ name: TextSlot.Name, over key: String, at node: YAMLNode, _ path: FieldPath
  ) -> LiteralText {
    LiteralText(
      slot: name,
      problem: ConfigurationProblem(
        file: problems.file, line: node.line, column: node.column, path: path.description,
        message:
          "a literal \(name.rawValue) overrides \(key) on Android, so no translation would be displayed; "
          + "remove one of them"))
  }

  /// Rejects FCM fields that conflict with the slots and the fallback.
  private func refuseConflicts(
    _ overlay: Overlay, slots: [TextSlot], fallback: Fallback?, at path: FieldPath
  ) {
    let notification = overlay.androidForm.notificationPath
    let android = notification.reduce(path) { $0.appending($1) }
    let alert = path.appending("apns").appending("payload").appending("aps").appending("alert")
    let hasIOSText = slots.contains { !$0.allTexts(on: .ios).isEmpty }
    if let node = overlay["apns", "payload", "aps", "alert"],
      node.mapping == nil || node.isParamReference, !node.isNull,
      hasIOSText || fallback != nil
    {
      problems.report(
        "an alert that is not an object cannot hold the keys and the fallback of the template; use an object",
        at: node, path: alert)
    }
    for slot in slots {
      let name = slot.name.rawValue
      if !slot.allTexts(on: .android).isEmpty {
        for member in ["\(name)_loc_key", "\(name)_loc_args"] {
          guard let node = overlay[notification + [member]], !node.isNull else { continue }
          problems.report("already set by the slot \(name)", at: node, path: android.appending(member))
        }
      }
      if !slot.allTexts(on: .ios).isEmpty {
        for member in [slot.name.apnsKey, slot.name.apnsArgs] {
          guard let node = overlay["apns", "payload", "aps", "alert", member], !node.isNull else { continue }
          problems.report("already set by the slot \(name)", at: node, path: alert.appending(member))
        }
      }
    }
    for name in TextSlot.Name.allCases where fallback?.text(name) != nil {
      guard let node = overlay["apns", "payload", "aps", "alert", name.rawValue], !node.isNull else {
        continue
      }
      problems.report("already set by fallback", at: node, path: alert.appending(name.rawValue))
    }
  }
}

extension TextSlot.Name {
  /// The name of the loc key in `alert` (Apple, "Generating a remote notification").
  var apnsKey: String { self == .body ? "loc-key" : "\(rawValue)-loc-key" }
  /// The name of the loc args in `alert`.
  var apnsArgs: String { self == .body ? "loc-args" : "\(rawValue)-loc-args" }
}
