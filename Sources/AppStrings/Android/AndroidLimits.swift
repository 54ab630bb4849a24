/// What reading an Android `res` folder may cost at the most.
struct AndroidLimits: Sendable {
  /// Of one file; a larger one is not read.
  var fileBytesMax = 64 << 20
  /// Of all files of one folder together; those beyond are not read.
  var totalBytesMax = 1 << 30
  /// Files of all `values*` folders; those beyond are not read.
  var filesMax = 50_000
  /// How deep elements may nest.
  var elementDepthMax = 256
  /// Of one element.
  var attributesMax = 256
  /// Declarations of entities in one file.
  var entitiesMax = 1_000
  /// How deep entities may refer to entities.
  var entityDepthMax = 16
  /// What all entity references of one file may expand to together.
  var expansionBytesMax = 4 << 20
  /// What of one file may be read in all, again after each repaired fault.
  var repairBytesMax = 256 << 20
  /// Problems told of one file; the last one then says that there are more.
  var problemsPerFileMax = 1_000
  /// How many references a string may be away from its text (AOSP AssetManager2 follows no more).
  var referenceHopsMax = 20
}
