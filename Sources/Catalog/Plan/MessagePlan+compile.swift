internal import FCMMessage
internal import JSON
internal import YAML

extension MessagePlan {
  /// Compiles a template whose overlay is already merged with that of `defaults`.
  convenience init(
    level: CatalogReader.Level, fields: MessageFields, slots: [TextSlot], params: [Param],
    fallback: Fallback?, activity: CatalogReader.Activity? = nil
  ) {
    let overlay = fields.tree
    var compiler = PlanCompiler(slots: slots)
    var starting = compiler
    let parts: [Part]
    let visibility = Visibility(overlay: overlay, slots: slots, params: params, fallback: fallback)
    compiler.data(overlay["data"]?.members)
    let apns = overlay["apns"]?.members ?? []
    let webpush = overlay["webpush"]?.members
    if let activity {
      starting = compiler
      starting.activity(apns, activity, fallback: fallback, isStart: true)
      compiler.activity(apns, activity, fallback: fallback, isStart: false)
      starting.fcmOptions(overlay["fcm_options"]?.members ?? [])
      compiler.fcmOptions(overlay["fcm_options"]?.members ?? [])
      // A Live Activity has one platform: the whole message is for it.
      parts = [Part(platform: nil, steps: 0..<compiler.program.steps.count)]
    } else {
      compiler.member("notification", overlay["notification"])
      let android = compiler.program.steps.count
      compiler.android(level.overlay.androidForm, overlay, visibility)
      let ios = compiler.program.steps.count
      compiler.apns(apns, visibility, fallback)
      let web = compiler.program.steps.count
      compiler.webpush(
        level.hidesWebNotification ? webpush?.filter { $0.key != "notification" } : webpush, fallback)
      let rest = compiler.program.steps.count
      compiler.fcmOptions(overlay["fcm_options"]?.members ?? [])
      parts = [
        Part(platform: nil, steps: 0..<android), Part(platform: .android, steps: android..<ios),
        Part(platform: .ios, steps: ios..<web), Part(platform: .web, steps: web..<rest),
        Part(platform: nil, steps: rest..<compiler.program.steps.count),
      ]
    }
    var webCompiler = PlanCompiler(slots: slots)
    webCompiler.webpush(webpush ?? [], nil)
    let own = overlay["webpush"]?["notification"]
    let hasText = fallback != nil || slots.contains { !$0.allTexts(on: .ios).isEmpty }
    self.init(
      program: compiler.program, parts: parts, webProgram: webCompiler.program, data: compiler.data,
      ownWebTexts: Set(TextSlot.Name.allCases.filter { own?[$0.rawValue] != nil }),
      texts: SlotTexts(slots, params: params, isActivity: activity != nil),
      isolates: params.map(\.isIsolated),
      defaults: MessageSettings(
        ttlSeconds: level.ttlSeconds, priority: level.priority, collapseKey: level.collapseKey,
        analyticsLabel: level.analyticsLabel),
      hasDeviceIdentity: level.hasDeviceIdentity ?? true, visibility: visibility,
      check: ValueCheck(
        fields: overlay.members ?? [], places: fields.places, ttl: fields.ttl,
        showsOnlyAps: !hasText && overlay["notification"] == nil),
      activity: activity.map { _ in
        ActivityPlan(starting.program, overlay: overlay, fallback: fallback)
      })
  }

  /// The platforms on which a message displays something.
  struct Visibility: Sendable {
    let isOnAndroid: Bool
    private let onIOS: Presence
    /// A text in the notification for all platforms.
    private let common: Presence
    /// `content-available`.
    private let wakes: ValueTree?

    fileprivate init(overlay: ValueTree, slots: [TextSlot], params: [Param], fallback: Fallback?) {
      common = ["title", "body"].reduce(.never) {
        $0.or(overlay["notification"]?[$1]?.presence(params) ?? .never)
      }
      let ownNotifications = AndroidForm.allCases.map { form in
        form.notificationPath.reduce(overlay as ValueTree?) { $0?[$1] }
      }
      isOnAndroid =
        common.isPossible || ownNotifications.contains { $0 != nil }
        || slots.contains { !$0.allTexts(on: .android).isEmpty }
      let aps = overlay["apns"]?["payload"]?["aps"]
      let hasText = fallback != nil || slots.contains { !$0.allTexts(on: .ios).isEmpty }
      onIOS =
        hasText
        ? .always
        : ["alert", "badge", "sound"].reduce(common) { $0.or(aps?[$1]?.presence(params) ?? .never) }
      wakes = aps?["content-available"]
    }

    /// Whether some request's message displays something on an iPhone.
    var canBeOnIOS: Bool { onIOS.isPossible }

    /// Whether the message has a text for all platforms.
    func hasCommonText(_ values: [ParamValue?]) -> Bool { common.holds(values) }

    func isOnIOS(_ values: [ParamValue?]) -> Bool { onIOS.holds(values) }

    /// Whether an iPhone displays nothing and only wakes the app; APNs then accepts only priority 5.
    func isIOSBackground(_ values: [ParamValue?]) -> Bool {
      guard let wakes, !onIOS.holds(values) else { return false }
      return wakes.json(values)?.int64 == 1
    }
  }
}
