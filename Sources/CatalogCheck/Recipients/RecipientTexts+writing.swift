internal import AppStrings
internal import Catalog
internal import Clock
internal import FCMMessage

/// The texts that the gateway writes: what a phone with the recipient's languages would show, or the
/// fallback.
extension RecipientTexts {
  /// Which parts and texts a message has for a recipient; see `content(of:for:render:now:args:)`.
  func content(
    of slots: MessageSlots, for recipient: Recipient, render: RenderMode, now: Timestamp,
    args: ArgTexts? = nil
  ) throws(NotRenderableError) -> MessageContent {
    var content = MessageContent(platform: recipient.platform)
    let hasAndroid = content.includes(.android) || content.includes(.web)
    if hasAndroid {
      content.androidArgs =
        args ?? self.args(slots.formattedArgs, on: .android, for: recipient, now: now)
    }
    if content.includes(.ios) || content.includes(.web) {
      // One language is that of both platforms.
      content.iosArgs =
        hasAndroid && recipient.locales.count < 2
        ? content.androidArgs
        : args ?? self.args(slots.formattedArgs, on: .ios, for: recipient, now: now)
    }
    let template = slots.message.template
    let android = slots.slots(on: .android, with: content.androidArgs)
    let ios = slots.slots(on: .ios, with: content.iosArgs)
    var (onAndroid, onIOS): (Written?, Written?)
    if content.includes(.android) {
      onAndroid = try written(android, of: template, on: .android, for: recipient, render)
      content.android = onAndroid?.texts
    }
    if content.includes(.ios) {
      onIOS = try written(ios, of: template, on: .ios, for: recipient, render)
      content.ios = onIOS?.texts
    }
    if content.includes(.web) {
      content.web = try webTexts(of: slots.message, (android, onAndroid), (ios, onIOS), for: recipient)
    }
    return content
  }

  /// Nil if the phone renders the texts.
  private func written(
    _ slots: [SlotContent], of template: Template, on platform: AppPlatform, for recipient: Recipient,
    _ render: RenderMode
  ) throws(NotRenderableError) -> Written? {
    guard !isForDevice(slots, of: template, on: platform, recipient, render) else { return nil }
    let fallback = template.fallback
    if recipient.locales.isEmpty {
      // A subtitle is an addition; a notification is complete without it.
      let missing = slots.filter { $0.name != .subtitle && fallback?.text($0.name) == nil }
      guard missing.isEmpty else {
        throw NotRenderableError(missing.map { ($0.name, "the recipient's language is not known") })
      }
      return Written(LiteralTexts(fallback, for: platform == .android ? .android : .ios))
    }
    let written = written(slots, of: template, on: platform, recipient.locales)
    guard written.missing.isEmpty else { throw NotRenderableError(written.missing) }
    return written
  }

  /// Slots as the gateway writes them in a language.
  struct Written {
    /// What a phone would show, in the order of the slots; empty if the language is not known.
    private(set) var outcomes: [SlotOutcome] = []
    /// The literals of the message.
    private(set) var texts: LiteralTexts
    private(set) var hasFallback = false
    /// The slots without a text and without a fallback, each with the reason.
    private(set) var missing: [(TextSlot.Name, String)] = []

    fileprivate init(_ texts: LiteralTexts) { self.texts = texts }

    fileprivate mutating func add(_ outcome: SlotOutcome, of slot: TextSlot.Name, fallback: String?) {
      outcomes.append(outcome)
      if case .text(let text) = outcome {
        texts[slot] = text
      } else if let fallback {
        texts[slot] = fallback
        hasFallback = true
      } else {
        missing.append((slot, outcome.obstacle))
      }
    }
  }

  /// The texts of slots in a language, each alone: one without a text takes the fallback.
  func written(
    _ slots: [SlotContent], of template: Template, on platform: AppPlatform, _ locales: [String]
  ) -> Written {
    // An iPhone shows the fallback where a template has no text of its own.
    var written = Written(platform == .ios ? LiteralTexts(template.fallback, for: .ios) : LiteralTexts())
    for slot in slots {
      written.add(
        outcome(slot, of: template, on: platform, locales), of: slot.name,
        fallback: template.fallback?.text(slot.name))
    }
    return written
  }

  /// What a preview says about the slots of `written`.
  func shown(
    _ slots: [SlotContent], as written: Written, of template: Template, on platform: AppPlatform,
    _ locales: [String]
  ) -> [Preview.Slot] {
    let strings = strings(on: platform, for: locales)
    return zip(slots, written.outcomes).map { slot, outcome in
      var text = SlotText(key: slot.key, args: slot.args)
      if case .text = outcome {
      } else if let fallback = template.fallback?.text(slot.name) {
        text.literal = fallback
        return Preview.Slot(slot.name, .text(fallback), text, on: platform)
      }
      guard let strings else { return Preview.Slot(slot.name, outcome, text, on: platform) }
      return Preview.Slot(
        text, of: slot.name, outcome, lookup: lookup(slot, of: template, strings), strings)
    }
  }

  /// The texts that a browser displays: Android's, otherwise those of the iPhone, otherwise the fallback. Nil
  /// if a message for any platform needs no more than the fallback.
  private func webTexts(
    of message: PreparedMessage, _ android: (slots: [SlotContent], written: Written?),
    _ ios: (slots: [SlotContent], written: Written?), for recipient: Recipient
  ) throws(NotRenderableError) -> LiteralTexts? {
    let fallback = message.template.fallback
    // A browser's part that would have no texts is only made for a browser.
    let isForBrowser = recipient.platform == .web
    if !isForBrowser, recipient.locales.isEmpty || fallback == nil { return nil }
    var texts = LiteralTexts(fallback, for: .web)
    var missing: [(TextSlot.Name, String)] = []
    for name in [TextSlot.Name.title, .body] where !message.hasOwnWebText(name) {
      var (found, obstacle): (String?, String?)
      for platform in AppPlatform.allCases where found == nil {
        let (slots, written) = platform == .android ? android : ios
        guard let index = slots.firstIndex(where: { $0.name == name }) else { continue }
        guard !recipient.locales.isEmpty else {
          obstacle = "the recipient's language is not known"
          break
        }
        let outcome =
          written?.outcomes[index]
          ?? self.outcome(slots[index], of: message.template, on: platform, recipient.locales)
        if case .text(let text) = outcome { found = text } else { obstacle = obstacle ?? outcome.obstacle }
      }
      if let found {
        texts[name] = found
      } else if isForBrowser, let obstacle, texts[name] == nil {
        missing.append((name, obstacle))
      }
    }
    guard missing.isEmpty else { throw NotRenderableError(missing) }
    return texts
  }
}

extension NotRenderableError {
  fileprivate init(_ slots: [(TextSlot.Name, String)]) {
    self.init(
      slots: slots.map { name, obstacle in
        Slot(
          name: name,
          reason: "The text of the slot \(name.rawValue) cannot be made: \(obstacle). Add a fallback for it.")
      })
  }
}

extension SlotOutcome {
  /// Why there is no text, without naming a language.
  fileprivate var obstacle: String {
    switch self {
    case .text, .none: "the app has no strings for the platform"
    case .unknownText: "the app's text for this recipient is in a library or in the system"
    case .dropped, .rawKey: "the app has no text under its key for this recipient"
    case .crash: "the app's text for this recipient is not a valid format for the args"
    }
  }
}
