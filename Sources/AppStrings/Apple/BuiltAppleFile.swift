/// A `.strings` or `.stringsdict` file of a built iOS app.
package struct BuiltAppleFile: Sendable {
  package let bytes: [UInt8]
  /// Whether push notifications look into the file's table.
  package let isReachable: Bool
  let tableFile: AppleFolderSearch.TableFile

  /// `path` is what entries and problems name as their file, and `innerPath` the path in it if that is an
  /// archive. `table` and `language` are the names of the file and of its `.lproj` folder without their
  /// extensions, and `bundle` is the folder that contains the latter. `isGlobal` is for a file in no such
  /// folder.
  package init(
    path: String, innerPath: String? = nil, table: String, isStringsDict: Bool, language: String,
    bundle: String, isGlobal: Bool, isReachable: Bool,
    bytes: [UInt8]
  ) {
    self.bytes = bytes
    self.isReachable = isReachable
    tableFile = AppleFolderSearch.TableFile(
      path: path, innerPath: innerPath, isGlobal: isGlobal, table: table,
      format: isStringsDict ? .stringsDict : .strings,
      language: language,
      bundle: bundle, depth: 0)
  }

  private static let kinds = [
    (".framework", "a framework"), (".appex", "an app extension"), (".app", "an app of its own"),
    (".bundle", "a bundle of its own"),
  ]

  /// The bundle of the file that is another one than the app's.
  var place: StringResources.Elsewhere? {
    guard !tableFile.bundle.isEmpty else { return nil }
    let path = tableFile.innerPath ?? tableFile.path
    let name = tableFile.bundle.split(separator: "/").last.map(String.init) ?? tableFile.bundle
    guard let kind = Self.kinds.first(where: { name.hasSuffix($0.0) }) else {
      return .init(path: path, owner: name, reason: "no iPhone looks into the folder \(name) of the app")
    }
    return .init(path: path, owner: name, reason: "\(name) is \(kind.1)")
  }
}

/// What an `Info.plist` says about a built app or an archive.
package struct InfoPropertyList: Sendable, Equatable {
  package let version: String?
  package let identifier: String?
  package let developmentLanguage: String?
  /// CFBundleLocalizations: languages of the app besides those of its `.lproj` folders.
  package let localizations: [String]
  package let executable: String?
  /// Whether the build added what no source file has: the platform it was built for.
  package let namesPlatform: Bool
  /// The app in an `.xcarchive`, relative to its `Products` folder.
  package let applicationPath: String?
  package let isBinary: Bool
  /// What the app is called, besides what its tables say.
  package private(set) var names = AppleAppNames()

  /// Nil if the bytes are not a property list.
  package init?(_ bytes: [UInt8]) {
    guard let root = try? PropertyListDocument.read(bytes).root else { return nil }
    version = root["CFBundleShortVersionString"]?.string
    identifier = root["CFBundleIdentifier"]?.string
    developmentLanguage = root["CFBundleDevelopmentRegion"]?.string
    localizations = Self.localizations(root)
    executable = root["CFBundleExecutable"]?.string
    namesPlatform = root["DTPlatformName"] != nil || root["CFBundleSupportedPlatforms"] != nil
    applicationPath = root["ApplicationProperties"]?.dictionary?["ApplicationPath"]?.string
    isBinary = bytes.starts(with: BinaryPropertyListReader.magic)
    names.add(root)
  }

  /// CFBundleLocalizations without what is no name, such as a build setting that Xcode has yet to replace.
  static func localizations(_ root: PropertyListDictionary) -> [String] {
    guard case .array(let elements)? = root["CFBundleLocalizations"] else { return [] }
    return elements.compactMap(\.string).filter { !$0.isEmpty && !$0.contains("$") }
  }
}
