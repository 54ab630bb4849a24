internal import AppStrings
internal import FCMMessage

/// Where the generated texts of a plural stand.
enum PluralFile {
  /// The path of the file for the texts of a plural: that of the app if it is built, and so cannot have them.
  static func path(beside entry: StringEntry, in resources: StringResources) -> String {
    guard resources.shipped == nil else { return resources.folder }
    let end = entry.file.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = end.map { String(entry.file[...$0]) } ?? ""
    switch resources.platform {
    case .android: return folder + TextGenerator.plurals.androidName
    case .ios: return isCatalog(entry.file) ? entry.file : "\(folder)Localizable.strings"
    }
  }

  static func isCatalog(_ path: String) -> Bool { path.utf8.suffix(10).elementsEqual(".xcstrings".utf8) }
}
