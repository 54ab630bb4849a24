internal import JSON

/// The meaning of an `.lproj` folder's name, or of a string catalog's language, on iOS.
struct AppleLocaleName {
  /// Nil for `Base`, and for a name that is not a locale.
  let locale: LocaleTag?
  /// A problem with the name; nil if there is none.
  let remark: (kind: ResourceProblem.Kind, text: FindingText)?

  init(_ name: String) {
    if name.hasSameBytes(as: "Base") {
      (locale, remark) = (nil, nil)
    } else if let code = LocalizationsToUse.oldNames[name.lowercased()] {
      locale = LocaleTag(code)
      remark = (
        .remark,
        FindingText(
          english: "\"\(name)\" is a legacy name that iOS still accepts; the current one is \"\(code)\"")
      )
    } else if let tag = LocaleTag(name) {
      locale = tag
      remark = Self.remark(on: name, tag)
    } else {
      locale = nil
      let android = Self.fromAndroid(name).map {
        FindingText(.androidNotation, [name.shortened, "\($0)"])
      }
      remark = (.localeFolder, android ?? FindingText(.notALocale, [name.shortened]))
    }
  }

  /// A problem with a name that is a locale: none where Apple's matcher finds the folder for a real language.
  private static func remark(
    on name: String, _ tag: LocaleTag
  ) -> (kind: ResourceProblem.Kind, text: FindingText)? {
    if let complaint = LocaleCodes.languageComplaint(about: tag) {
      return (.localeFolder, complaint + FindingText(.noDeviceUses))
    }
    if tag.language == "und" {
      return (.unreachable, FindingText(.undOnIOS, [name.shortened]))
    }
    let current = LocaleCodes.current(tag.language)
    let written = name.prefix { $0 != "-" && $0 != "_" }.lowercased()
    let complaint = LocaleCodes.regionComplaint(about: tag)
    guard current.language != tag.language || written != tag.language || complaint != nil else { return nil }
    if isFound(name, for: LocaleTag(language: current.language, script: tag.script ?? current.script)) {
      return nil
    }
    if let complaint { return (.localeFolder, complaint + FindingText(.noDeviceFinds)) }
    if current.language != tag.language {
      return (.unreachable, FindingText(.currentCodeOnIOS, ["\(current)", name.shortened]))
    }
    return (.localeFolder, FindingText(.withdrawnCode, [written, "\(tag)"]))
  }

  private static func isFound(_ name: String, for language: LocaleTag) -> Bool {
    let likely = LikelySubtags(language).region
    let regional = LocaleTag(language: language.language, script: language.script, region: likely)
    return [regional, language].contains {
      !LocalizationsToUse.names(for: [$0.description], of: [name]).isEmpty
    }
  }

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
