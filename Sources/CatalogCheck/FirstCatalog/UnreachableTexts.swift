internal import AppStrings
internal import JSON

/// Texts of an app that no phone finds for a push message, because they are not native string resources.
struct UnreachableTexts {
  /// A kind of such texts, in the order in which they are told.
  private enum Kind: Int, CaseIterable {
    case arb, expo, json, compose, moko
  }

  /// The folders or files by kind, as they were found.
  private var found: [Kind: [String]] = [:]
  /// The folders of React Native and Expo projects.
  private var scriptProjects: [String] = []

  private static let fileBytesMax = 1 << 20

  mutating func look(into path: String, _ listing: FolderListing) {
    let parts = path.split(separator: "/")
    for item in listing.items {
      let itemPath = path == "." ? item.name : "\(path)/\(item.name)"
      if item.isFolder {
        if item.name == "composeResources" { add(.compose, itemPath) }
        if item.name == "moko-resources" || item.name == "MR" { add(.moko, itemPath) }
      } else if item.name.hasSuffix(".arb") {
        add(.arb, path)
      } else if item.name == "app.json", contains(itemPath, "\"expo\"") {
        if contains(itemPath, "\"locales\"") { add(.expo, itemPath) }
        scriptProjects.append(path)
      } else if item.name == "package.json",
        contains(itemPath, "\"react-native\"") || contains(itemPath, "\"expo\"")
      {
        scriptProjects.append(path)
      } else if item.name == "en.json" || item.name == "translation.json" {
        let isInScripts = scriptProjects.contains { $0 == "." || $0 == path || path.hasPrefix("\($0)/") }
        if isInScripts, parts.last.map({ $0 != "android" }) ?? true { add(.json, path) }
      }
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
      return switch kind {
      case .arb:
        "\(listed): Flutter's own texts (ARB), in which no phone looks for those of a push message. \(native)"
      case .json:
        "\(listed): texts for JavaScript (JSON), in which no phone looks for those of a push message. \(native)"
      case .compose:
        "\(listed): texts of Compose Multiplatform, in which no phone looks for those of a push message. \(native)"
      case .moko:
        "\(listed): texts of moko-resources, in which no phone looks for those of a push message. \(native)"
      case .expo:
        "\(listed): Expo writes its locales into native projects. Run `npx expo prebuild`, then name the projects that "
          + "it makes."
      }
    }
  }
}
