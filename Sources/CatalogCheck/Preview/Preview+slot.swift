internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

extension Preview.Slot {
  /// What a phone with these strings shows of a text, whose key finds `lookup`.
  init(_ text: SlotText, of name: TextSlot.Name, lookup: StringLookup, _ strings: DeviceStrings) {
    self.init(text, of: name, Self.outcome(of: text, lookup, strings), lookup: lookup, strings)
  }

  private static func outcome(
    of text: SlotText, _ lookup: StringLookup, _ strings: DeviceStrings
  ) -> SlotOutcome {
    switch strings.platform {
    case .android:
      AndroidDevice(language: strings.locale).outcome(
        key: text.key, literal: text.literal, lookup: lookup, args: text.args)
    case .ios:
      AppleDevice().outcome(key: text.key, fallback: text.literal, lookup: lookup, args: text.args)
    }
  }

  /// A text that is shown as `outcome`, and what else there is to say about it.
  init(
    _ text: SlotText, of name: TextSlot.Name, _ outcome: SlotOutcome, lookup: StringLookup,
    _ strings: DeviceStrings
  ) {
    (self.name, self.text, self.outcome, platform) = (name, text, outcome, strings.platform)
    let hasLiteral = text.literal?.isEmpty == false
    let hasKey = text.key?.isEmpty == false
    switch strings.platform {
    case .android:
      origin = hasLiteral || !hasKey ? .message : lookup.entry == nil ? .key : .app
    case .ios:
      origin =
        !hasKey ? .message : AppleDevice.text(of: lookup) != nil ? .app : hasLiteral ? .fallback : .key
    }
    guard case .found(let entry, let table) = lookup else {
      (documented, self.entry, self.table) = (nil, nil, nil)
      return
    }
    (self.entry, self.table) = (entry, table)
    let shown: String? = if case .text(let text) = outcome { text } else { nil }
    let ofApp = origin == .app ? shown : nil
    let documented = (entry.isUnresolved ? nil : entry.text).map {
      DocumentedText.fill(
        $0, args: text.args, platform: strings.platform, language: strings.locale,
        shown: ofApp)
    }
    let isKept = shown.map { documented?.hasSameBytes(as: $0) ?? false } ?? false
    self.documented = isKept ? nil : documented
  }

  /// What phones with these strings show of a text, one for each of the app's variants that differ. A preview
  /// shows one of them.
  static func inVariants(_ text: SlotText, of name: TextSlot.Name, _ strings: DeviceStrings) -> [Self] {
    (text.key.map(strings.lookUps) ?? [(.missing, [])]).map {
      Self(text, of: name, lookup: $0.lookup, strings)
    }
  }

  /// A slot without a place in the app's strings, on a platform.
  init(
    _ name: TextSlot.Name, _ outcome: SlotOutcome, _ text: SlotText = SlotText(), on platform: AppPlatform
  ) {
    (self.name, self.outcome, self.text, self.platform) = (name, outcome, text, platform)
    origin = text.key == nil ? .message : text.literal == nil ? .key : .fallback
    (documented, entry, table) = (nil, nil, nil)
  }
}
