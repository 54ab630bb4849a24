internal import AppStrings
internal import FCMMessage
internal import JSON

extension Preview.Slot {
  /// Where a text comes from.
  enum Origin: Sendable {
    /// The app's strings.
    case app
    /// The message, which names no key for it or, on Android, whose text wins over the key.
    case message
    /// The text beside a key that an iPhone does not find.
    case fallback
    /// The key itself, which iPhones format like a text.
    case key
  }

  /// What a reader of these languages gets.
  func verdict(for languages: [WrittenLanguage], among readers: Readers) -> Verdict {
    switch outcome {
    case .crash: return .crash
    case .rawKey: return .rawKey
    case .dropped: return .dropped
    case .none, .unknownText: return .ok
    case .text(let shown):
      switch origin {
      case .message: return .ok
      case .fallback: return .fallback
      case .key: return .rawKey
      case .app: break
      }
      if isGarbled(shown) { return .garbled }
      // What nobody need translate is in no language.
      let isForAll = entry?.isTranslatable == false && readers.resources.platform == .android
      guard let table, !isForAll else { return .ok }
      let isForeign =
        readers.isForeign(table, to: languages)
        || entry.map { readers.textLanguages.fault(of: $0, in: table) != nil } ?? false
      return isForeign ? .otherLanguage : .ok
    }
  }

  /// Whether a text of the app shows something that nobody wrote for readers.
  private func isGarbled(_ shown: String) -> Bool {
    guard let entry else { return false }
    // Something else than the text with its args.
    if documented != nil || entry.absence == .null { return true }
    if let key, shown.isKeyShown(key) { return true }
    guard let format = entry.text ?? entry.formatKey else { return false }
    if VisibleMarkup(in: format) != nil { return true }
    if entry.text != nil {
      // With args, only a placeholder that none of the formatters knows is left.
      let percent = text.args.isEmpty ? UInt8(ascii: "%") : 0xEF
      guard format.utf8.contains(percent) else { return false }
    }
    let parsed = FormatString(format, platform: entry.text == nil ? .ios : platform)
    if DamagedPlaceholder.first(in: format, on: parsed.platform) != nil { return true }
    if parsed.placeholders.contains(where: { $0.conversion == .plural }) { return true }
    if text.args.isEmpty {
      return parsed.escapeCount > 0 || parsed.placeholders.contains { !$0.looksStray }
    }
    if parsed.fullwidthPercentCount > 0 { return true }
    guard entry.text == nil else { return false }
    return !DocumentedText.fill(format, args: text.args, platform: .ios).hasSameBytes(as: shown)
  }
}

extension String {
  /// Whether a text is its own key, and the key is a name: `push_title`, `push.title`. In apps whose keys are
  /// their texts, a sentence or a word is meant for readers, and "bytes" can be the text of `bytes`.
  func isKeyShown(_ key: String) -> Bool {
    guard hasSameBytes(as: key), !utf8.contains(UInt8(ascii: "/")),
      utf8.allSatisfy({ $0.isASCIIAlphanumeric || "_.-:".utf8.contains($0) })
    else { return false }
    let parts = utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return utf8.contains(UInt8(ascii: "_")) || parts.count > 1 && parts.allSatisfy { $0.count > 1 }
  }
}

extension Preview {
  /// The worst of what its slots show.
  static func verdict(
    of slots: [Slot], for languages: [WrittenLanguage], among readers: Readers
  ) -> Verdict {
    slots.map { $0.verdict(for: languages, among: readers) }.min() ?? .ok
  }
}
