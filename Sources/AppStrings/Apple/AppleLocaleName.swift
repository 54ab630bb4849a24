internal import JSON

/// What the name of an `.lproj` folder, or a language of a string catalog, means to iOS.
struct AppleLocaleName {
  /// Nil for `Base`, and for a name that is no locale.
  let locale: LocaleTag?
  /// What a person should know about the name; nil where it is as it should be.
  let remark: (kind: ResourceProblem.Kind, message: String)?

  init(_ name: String) {
    if name.hasSameBytes(as: "Base") {
      (locale, remark) = (nil, nil)
    } else if let code = Self.oldNames.first(where: { $0.name == name })?.code {
      locale = LocaleTag(code)
      remark = (.remark, "\"\(name)\" is an old name that iOS still takes; today's is \"\(code)\"")
    } else if let tag = LocaleTag(name) {
      locale = tag
      let language = name.prefix { $0 != "-" && $0 != "_" }.lowercased()
      if let complaint = LocaleCodes.complaint(about: tag) {
        remark = (.localeFolder, "\(complaint) No device has such a language")
      } else if language == tag.language {
        remark = nil
      } else {
        let message = "\"\(language)\" is a withdrawn language code; name it \"\(tag)\" as devices do today"
        remark = (.localeFolder, message)
      }
    } else {
      locale = nil
      let advice =
        Self.fromAndroid(name).map { "that is an Android name, iOS has \"\($0)\"" }
        ?? "write one like \"fr\" or \"pt-BR\""
      remark = (
        .localeFolder, "\"\(name.shortened)\" is no locale that iOS knows, no device finds it; \(advice)"
      )
    }
  }

  /// The full names that CFBundle still looks for (CFBundle_Locale.c, `_CFBundleGetAlternateNameForLanguage`).
  private static let oldNames: [(name: String, code: String)] = [
    ("English", "en"), ("French", "fr"), ("German", "de"), ("Italian", "it"), ("Dutch", "nl"),
    ("Spanish", "es"),
    ("Japanese", "ja"),
  ]

  /// What `en-rGB` or `b+sr+Latn` is called on iOS.
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
