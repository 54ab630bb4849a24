internal import FCMMessage
internal import JSON

/// A language that an app offers to its users, whether it has texts in it or not.
package struct AppLocale: Sendable, Equatable {
  /// As previews name it: a BCP 47 tag, or `default` or `Base` where nothing tells their language.
  package let locale: String
  /// The names of its tables and folders: `default`, `English`, `zh_CN`. Findings name a language like these.
  package fileprivate(set) var names: [String]
}

extension StringResources {
  /// The languages that the app offers, each once: on Android those of all folders and, for all other phones,
  /// `values/`; on iOS those of all `.lproj` folders, CFBundleLocalizations, and the development language.
  ///
  /// `values/` and `Base` are the development language, if it is known and has no folder of its own.
  package func appLocales(developmentLanguage: String?) -> [AppLocale] {
    let development = self.developmentLanguage(named: developmentLanguage).map {
      AppleLocaleMatcher.locale(of: $0)?.description ?? $0
    }
    var locales: [AppLocale] = []
    var indices: [ExactText: Int] = [:]
    func add(_ locale: String, _ name: String?) {
      let index = indices[ExactText(locale)] ?? locales.count
      if index == locales.count {
        // A folder such as `pt-br` is a tag as it is, and findings name it like this.
        let isSameTag = name?.lowercased() == locale.lowercased()
        locales.append(AppLocale(locale: isSameTag ? name ?? locale : locale, names: []))
      }
      indices[ExactText(locale)] = index
      if let name { locales[index].names.append(name) }
    }
    switch platform {
    case .android:
      let hasFolder = tables.contains { $0.locale != nil && $0.locale?.description == development }
      for table in tables {
        if let locale = table.locale?.description {
          add(locale, table.name)
        } else if table.name == Self.defaultTable {
          add(hasFolder ? table.name : development ?? table.name, table.name)
        }
      }
    case .ios:
      let names = localizations.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      for name in names {
        if name.hasSameBytes(as: AppleLocaleMatcher.base) {
          add(development ?? name, name)
        } else if let locale = AppleLocaleMatcher.locale(of: name) {
          add(locale.description, name)
        }
      }
      if let development, !locales.isEmpty { add(development, nil) }
    }
    return locales
  }

  /// The locales that a preview shows when the caller names none.
  package func previewLocales(developmentLanguage: String?) -> [String] {
    appLocales(developmentLanguage: developmentLanguage).map(\.locale)
  }
}
