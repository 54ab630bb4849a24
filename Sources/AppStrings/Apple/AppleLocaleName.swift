internal import JSON

/// The meaning of an `.lproj` folder's name, or of a string catalog's language, on iOS.
struct AppleLocaleName {
  /// Nil for `Base`, and for a name that is not a locale.
  let locale: LocaleTag?
  /// A problem with the name; nil if there is none.
  let remark: (kind: ResourceProblem.Kind, message: String)?

  init(_ name: String) {
    if name.hasSameBytes(as: "Base") {
      (locale, remark) = (nil, nil)
    } else if let code = Self.oldNames.first(where: { $0.name == name })?.code {
      locale = LocaleTag(code)
      remark = (
        .remark, "\"\(name)\" is a legacy name that iOS still accepts; the current one is \"\(code)\""
      )
    } else if let tag = LocaleTag(name) {
      locale = tag
      let language = name.prefix { $0 != "-" && $0 != "_" }.lowercased()
      if let complaint = LocaleCodes.complaint(about: tag) {
        remark = (.localeFolder, "\(complaint) No device uses such a language")
      } else if language == tag.language {
        remark = nil
      } else {
        let message = "\"\(language)\" is a withdrawn language code; name it \"\(tag)\", as devices do"
        remark = (.localeFolder, message)
      }
    } else {
      locale = nil
      let advice =
        Self.fromAndroid(name).map { "that is Android's notation, iOS has \"\($0)\"" }
        ?? "use a name such as \"fr\" or \"pt-BR\""
      remark = (
        .localeFolder, "\"\(name.shortened)\" is not a locale on iOS, so no device finds it; \(advice)"
      )
    }
  }

  /// The full names that CFBundle still accepts (CFBundle_Locale.c, `_CFBundleGetAlternateNameForLanguage`).
  private static let oldNames: [(name: String, code: String)] = [
    ("English", "en"), ("French", "fr"), ("German", "de"), ("Italian", "it"), ("Dutch", "nl"),
    ("Spanish", "es"),
    ("Japanese", "ja"),
  ]

  /// The iOS name for an Android one such as `en-rGB` or `b+sr+Latn`.
  private static func fromAndroid(_ name: String) -> LocaleTag? {
    if name.hasPrefix("b+") {
      return LocaleTag(name.dropFirst(2).split(separator: "+").joined(separator: "-"))
    }
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].first == "r" else { return nil }
    return LocaleTag("\(parts[0])-\(parts[1].dropFirst())")
  }
}

extension String {
  /// At most 60 characters of the text, for a message.
  var shortened: String {
    let scalars = unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: 60, limitedBy: scalars.endIndex),
      end < scalars.endIndex
    else { return self }
    return String(scalars[..<end]) + "…"
  }
}
