/// Limits on reading an iOS folder.
struct AppleResourceLimits: Sendable {
  /// The size of one file; a larger one is not read.
  var fileSizeBytesMax = 64 << 20
  /// How deep subfolders may nest.
  var folderDepthMax = 32
  /// The number of folders that are searched, shallow ones first.
  var folderCountMax = 50_000
  /// The number of `.strings`, `.stringsdict` and `.xcstrings` files.
  var fileCountMax = 20_000
  /// The number of problems reported; one more states the total.
  var problemCountMax = 10_000
  /// The number of values in a property list (a binary one can repeat a value), or of translations in a
  /// catalog.
  var valueCountMax = 1_000_000
  /// The number of languages of one app; a catalog can contain any number.
  var languageCountMax = 2_000
  /// Shared by all files of a built app; nil if each file counts alone.
  var budget: BuiltAppBudget?
  /// The number of remarks about one file, and of duplicates in one dictionary.
  static let remarkCountMax = 1_000
  /// The size of all texts of a binary property list, which can name one text any number of times.
  static let textBytesMax = 64 << 20
  /// How deep dictionaries and arrays may nest (CFPropertyList's own limit).
  static let nestingMax = 512
}
