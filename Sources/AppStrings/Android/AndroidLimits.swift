/// Limits on reading an Android `res` folder.
struct AndroidLimits: Sendable {
  /// The size of one file; a larger one is not read.
  var fileBytesMax = 64 << 20
  /// The size of all files of one folder together; further files are not read.
  var totalBytesMax = 1 << 30
  /// The number of files in all `values*` folders; further files are not read.
  var filesMax = 50_000
  /// How deep elements may nest.
  var elementDepthMax = 256
  /// The number of attributes of one element.
  var attributesMax = 256
  /// The number of entities that one file declares.
  var entitiesMax = 1_000
  /// How many levels of entities may refer to each other.
  var entityDepthMax = 16
  /// The size of what all entity references of one file expand to.
  var expansionBytesMax = 4 << 20
  /// The bytes read for one file, which is read again after each repaired fault.
  var repairBytesMax = 256 << 20
  /// The number of problems reported for one file; the last one says that there are more.
  var problemsPerFileMax = 1_000
  /// The number of references without a text that are reported; one more problem says that there are others.
  var referenceProblemsMax = 10_000
  /// How many references may lie between a string and its text (AOSP AssetManager2 follows no more).
  var referenceHopsMax = 20
  /// The number of hints about placeholders that are kept of one entry.
  static let hintsPerEntryMax = 100
  /// The size of a hint's name, and that of its example; longer ones are not kept.
  static let hintBytesMax = 200
}
