/// What one reading of an iOS folder may take; tests set small ones.
struct AppleResourceLimits: Sendable {
  /// Beyond it a file is not read.
  var fileSizeBytesMax = 64 << 20
  /// Folders below the one that was named.
  var folderDepthMax = 32
  /// Folders that are looked into, the shallow ones first.
  var folderCountMax = 50_000
  /// Tables: `.strings`, `.stringsdict` and `.xcstrings` files.
  var fileCountMax = 20_000
  /// Problems that are told; one more says how many there were.
  var problemCountMax = 10_000
  /// Values of one property list (a binary one can name one value many times), or translations of one catalog.
  var valueCountMax = 1_000_000
  /// Tables of one app; a catalog can name any number.
  var languageCountMax = 2_000
  /// Remarks about one file, and duplicates in one dictionary, that are kept.
  static let remarkCountMax = 1_000
  /// Dictionaries and arrays in each other (CFPropertyList's own limit).
  static let nestingMax = 512
}
