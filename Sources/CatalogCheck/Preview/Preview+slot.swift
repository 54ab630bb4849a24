internal import AppStrings
internal import Catalog
internal import FCMMessage
internal import JSON

extension Preview.Slot {
  /// What a phone with these strings shows of a text, whose key finds `lookup`. The gateway's own texts are
  /// what this shows, so that a preview and a message cannot differ.
  init(_ text: SlotText, of name: TextSlot.Name, lookup: StringLookup, _ strings: DeviceStrings) {
    let outcome: SlotOutcome
    switch strings.platform {
    case .android:
      outcome = AndroidDevice(language: strings.locale).outcome(
        key: text.key, literal: text.literal, lookup: lookup, args: text.args)
    case .ios:
      outcome = AppleDevice().outcome(
        key: text.key, fallback: text.literal, lookup: lookup, args: text.args)
    }
    guard case .found(let entry, let table) = lookup else {
      self.init(
        name: name, outcome: outcome, documented: nil, key: text.key, table: nil, file: nil, line: nil)
      return
    }
    let format = entry.isUnresolved ? nil : entry.text
    var documented = format.map {
      DocumentedText.fill($0, args: text.args, platform: strings.platform, language: strings.locale)
    }
    if case .text(let shown) = outcome, documented?.hasSameBytes(as: shown) ?? false { documented = nil }
    self.init(
      name: name, outcome: outcome, documented: documented, key: text.key, table: table, file: entry.file,
      line: entry.line)
  }

  /// A slot without a place in the app's strings.
  init(_ name: TextSlot.Name, _ outcome: SlotOutcome, key: String? = nil) {
    self.init(name: name, outcome: outcome, documented: nil, key: key, table: nil, file: nil, line: nil)
  }
}
