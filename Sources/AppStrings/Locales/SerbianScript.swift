internal import JSON

/// Recognizes Serbian texts in Latin letters in a folder that phones take for Cyrillic.
enum SerbianScript {
  /// What is wrong with a folder for `sr`; nil if its texts are Cyrillic, or too few to tell.
  ///
  /// CLDR's likely script of `sr` is Cyrillic, except in Montenegro. Neither platform lets a phone set to
  /// Serbian in Latin letters use a folder of the other script. `others` are the tables of other languages: a
  /// copy of one of their texts is not Serbian.
  static func complaint(
    about locale: LocaleTag?, _ entries: [ExactText: StringEntry],
    besides others: [[ExactText: StringEntry]], rename name: String
  ) -> FindingText? {
    guard let locale, locale.language == "sr", LikelySubtags(locale).script == "Cyrl" else { return nil }
    guard areLatin(entries.values.lazy.compactMap(\.text)) else { return nil }
    // In one order, so that the same texts tell each time.
    let ordered = entries.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
    var (own, letters) = ([String](), 0)
    for (key, entry) in ordered where letters < lettersMax {
      guard let text = entry.text else { continue }
      if others.contains(where: { $0[key]?.text?.hasSameBytes(as: text) ?? false }) { continue }
      own.append(text)
      letters += text.utf8.count
    }
    guard areLatin(own) else { return nil }
    return FindingText(.serbianInLatin, ["\(locale)", name])
  }

  private static func areLatin(_ texts: some Sequence<String>) -> Bool {
    var (latin, cyrillic) = (0, 0)
    for text in texts {
      for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F: latin += 1
        case 0x400...0x52F: cyrillic += 1
        default: break
        }
      }
    }
    // Cyrillic translations keep some names, placeholders and links in Latin letters.
    return latin >= lettersMin && cyrillic * 9 < latin
  }

  private static let lettersMin = 5
  /// Enough to tell, in bytes: each text is looked for in all other languages.
  private static let lettersMax = 10_000
}
