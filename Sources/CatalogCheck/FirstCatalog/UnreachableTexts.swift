internal import AppStrings
internal import FCMMessage
internal import JSON
internal import StringSources

/// Texts of an app that no phone finds for a push message, because they are not native string resources.
struct UnreachableTexts {
  /// A kind of such texts, in the order in which they are told.
  private enum Kind: Int, CaseIterable {
    case arb, expo, json, compose, gettext, moko

    /// What a catalog names them as; nil for those that nothing reads.
    var format: StringSourceLocation.Format? {
      switch self {
      case .arb: .arb
      case .json: .i18next
      case .compose: .compose
      case .gettext: .gettext
      case .expo, .moko: nil
      }
    }
  }

  /// The folders or files by kind, as they were found.
  private var found: [Kind: [String]] = [:]
  /// The folders of React Native and Expo projects.
  private var scriptProjects: [String] = []
  /// The folders of Expo projects.
  private(set) var expoProjects: [String] = []

  private static let fileBytesMax = 1 << 20

  mutating func look(into path: String, _ listing: FolderListing) {
    for item in listing.items {
      let itemPath = path == "." ? item.name : "\(path)/\(item.name)"
      if item.isFolder {
        if item.name == "composeResources" { add(.compose, itemPath) }
        if item.name == "moko-resources" || item.name == "MR" { add(.moko, itemPath) }
      } else if item.name.hasSuffix(".arb") {
        add(.arb, path)
      } else if ExpoConfig.isOne(item.name, at: itemPath) {
        if contains(itemPath, "\"locales\"") { add(.expo, itemPath) }
        scriptProjects.append(path)
        expoProjects.append(path)
      } else if item.name == "package.json",
        contains(itemPath, "\"react-native\"") || contains(itemPath, "\"expo\"")
      {
        scriptProjects.append(path)
      } else if item.name.hasSuffix(".json"), let pattern = Self.pattern(path, item.name) {
        let isInScripts = scriptProjects.contains { $0 == "." || $0 == path || path.hasPrefix("\($0)/") }
        if isInScripts { add(.json, pattern) }
      } else if item.name.hasSuffix(".po"), let pattern = Self.pattern(path, item.name) {
        if !Self.isOfOtherProgram(path) { add(.gettext, pattern) }
      }
    }
  }

  /// Whether a folder is that of a program for another platform than phones, which has gettext's files more
  /// often than apps do.
  private static func isOfOtherProgram(_ path: String) -> Bool {
    let names: Set<String> = [
      "linux", "windows", "win32", "mac", "macos", "desktop", "server", "backend", "web", "website", "docs",
    ]
    return path.lowercased().split(separator: "/").contains { names.contains(String($0)) }
  }

  /// The path of a file with `{locale}` in the place of the language: of its name, or of its folder or the
  /// one above `LC_MESSAGES` if that is in one for translations. Nil if none of them is a language.
  private static func pattern(_ path: String, _ name: String) -> String? {
    let stem = String(name.prefix { $0 != "." })
    let mark = StringSourceLocation.localeMark
    var folders =
      path == "." ? [] : path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if isLanguage(stem) {
      let suffix = name.dropFirst(stem.count)
      return (folders + ["\(mark)\(suffix)"]).joined(separator: "/")
    }
    guard let index = folders.lastIndex(where: { $0 != "LC_MESSAGES" }), isLanguage(folders[index]),
      ["locales", "locale", "i18n", "translations", "lang", "langs", "po", "l10n"].contains(
        folders[..<index].last?.lowercased() ?? "")
    else { return nil }
    folders[index] = mark
    return (folders + [name]).joined(separator: "/")
  }

  private static func isLanguage(_ text: String) -> Bool {
    let first = text.prefix { $0 != "-" && $0 != "_" && $0 != "@" }
    return (first.utf8.count == 2 || ["fil", "gsw"].contains(first)) && LocaleTag(text) != nil
  }

  /// What a catalog can name as sources.
  var sources: [StringSourceLocation] {
    Kind.allCases.flatMap { kind in
      kind.format.map { format in (found[kind] ?? []).map { StringSourceLocation(format, $0, line: 0) } }
        ?? []
    }
  }

  private mutating func add(_ kind: Kind, _ path: String) {
    if !(found[kind] ?? []).contains(path) { found[kind, default: []].append(path) }
  }

  private func contains(_ path: String, _ text: String) -> Bool {
    let bytes = try? RegularFile.read(path, bytesMax: Self.fileBytesMax)
    return bytes?.firstRange(of: Array(text.utf8)) != nil
  }

  /// A line for each kind that there is.
  var notes: [String] {
    Kind.allCases.compactMap { kind in
      guard let paths = found[kind] else { return nil }
      let listed = FindingGroup.listed(paths, most: 3)
      let native = "Put the texts of push messages into native string resources."
      let written =
        "in which no phone looks for those of a push message. As sources of a catalog, they become native "
        + "strings: `dragoman strings --write`."
      return switch kind {
      case .arb: "\(listed): Flutter's own texts (ARB), \(written)"
      case .json: "\(listed): texts for JavaScript (JSON), \(written)"
      case .compose: "\(listed): texts of Compose Multiplatform, \(written)"
      case .gettext: "\(listed): texts of gettext, \(written)"
      case .moko:
        "\(listed): texts of moko-resources, in which no phone looks for those of a push message. \(native)"
      case .expo:
        "\(listed): Expo's own locales, which `npx expo prebuild` writes into the native projects. They are not read."
      }
    }
  }
}
