internal import _FoundationICU

/// The language codes that others have replaced: CLDR's languageAlias in the toolchain's ICU.
enum LanguageAliases {
  /// By the replaced code, in lower case: what phones call the language.
  static let all: [String: LocaleTag] = {
    // Android and Apple have Bokmål, which CLDR calls by the code of both kinds of Norwegian.
    let bokmal = LocaleTag(language: "nb")
    var aliases = read().mapValues { $0.language == "no" ? bokmal : $0 }
    aliases["no"] = bokmal
    aliases["nb"] = nil
    return aliases
  }()

  /// Empty if ICU has no such table. Closes each of ICU's handles before it returns.
  private static func read() -> [String: LocaleTag] {
    var status = U_ZERO_ERROR
    // The header renames ICU's functions with macros, and Swift imports only the new names.
    let metadata = swift_ures_openDirect(nil, "metadata", &status)
    let groups = swift_ures_getByKey(metadata, "alias", nil, &status)
    let languages = swift_ures_getByKey(groups, "language", nil, &status)
    defer {
      for bundle in [languages, groups, metadata] { swift_ures_close(bundle) }
    }
    var aliases: [String: LocaleTag] = [:]
    while status.rawValue <= U_ZERO_ERROR.rawValue, swift_ures_hasNext(languages) != 0 {
      let alias = swift_ures_getNextResource(languages, nil, &status)
      defer { swift_ures_close(alias) }
      var length: Int32 = 0
      guard let key = swift_ures_getKey(alias),
        let units = swift_ures_getStringByKey(alias, "replacement", &length, &status)
      else { continue }
      let text = String(decoding: UnsafeBufferPointer(start: units, count: Int(length)), as: UTF16.self)
      aliases[String(cString: key)] = LocaleTag(text)
    }
    return aliases
  }
}
