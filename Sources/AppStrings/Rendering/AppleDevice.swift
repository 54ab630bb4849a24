/// Renders a push notification's texts as an iPhone does (observed since iOS 10; table lookup:
/// CFBundle_Strings.c).
package struct AppleDevice: Sendable {
  package init() {}

  /// What a text slot shows.
  /// - Parameters:
  ///   - key: the loc key, which wins over the fallback; an empty key counts as none.
  ///   - fallback: `title`, `subtitle` or `body` beside the key, shown if the key is missing.
  ///   - lookup: what the one table of the phone's language has for the key. Other languages do not count.
  ///   - args: the loc-args; without any the text is not formatted at all. The fallback is formatted with
  ///     them too.
  /// - Returns: what the user sees.
  package func outcome(
    key: String?, fallback: String? = nil, lookup: StringLookup, args: [String]
  ) -> SlotOutcome {
    let fallback = fallback.flatMap { $0.isEmpty ? nil : $0 }
    guard let key, !key.isEmpty else { return fallback.map { .text($0) } ?? .none }
    return DeviceText.apple(Self.text(of: lookup) ?? fallback, key: key, hasArgs: !args.isEmpty)
      .outcome(args: args)
  }

  /// What it shows of a key's text, whatever the args are, in a message without a fallback.
  package func text(of key: String, _ lookup: StringLookup, hasArgs: Bool) -> DeviceText {
    key.isEmpty ? .fixed(.none) : .apple(Self.text(of: lookup), key: key, hasArgs: hasArgs)
  }

  /// The result of a lookup as a plain string; nil if the key counts as missing.
  ///
  /// A plural gives its format with unfilled variables, and a text that varies by device gives the iPhone's.
  /// An array is for App Shortcuts only and is in no table that is searched.
  package static func text(of lookup: StringLookup) -> String? {
    guard let entry = lookup.entry else { return nil }
    switch entry.value {
    case .string(let text): return text
    case .array: return nil
    case .plural(let forms):
      if let formatKey = entry.formatKey { return formatKey }
      let form = forms.first { $0.category == "iphone" } ?? forms.first { $0.category == "other" }
      return form?.text
    }
  }
}
