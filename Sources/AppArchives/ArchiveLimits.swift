/// Limits on reading a built app. They also bound the memory that one takes: what is read, plus
/// `textBytesMax`, plus about 200 bytes for each of `valuesMax`, plus a file of an iOS app on each core.
struct ArchiveLimits: Sendable {
  /// The number of entries in a ZIP file.
  var entriesMax = 200_000
  /// The size of a ZIP file's directory.
  var directoryBytesMax = 64 << 20
  /// The inflated size of one entry.
  var entryBytesMax = 256 << 20
  /// The size of an Android app's manifest.
  var manifestBytesMax = 16 << 20
  /// The size of everything that is read of one file, with the files in it.
  var totalBytesMax = 512 << 20
  /// The number of strings, plural forms and array items; also that of the names of resources.
  var valuesMax = 1_000_000
  /// The size of all texts, and that of all names. A table can name one text any number of times.
  var textBytesMax = 128 << 20
  /// How many references may lie between a string and its text (AOSP AssetManager2 follows no more).
  var referenceHopsMax = 20
  /// The number of configurations of strings in an Android app.
  var configurationsMax = 20_000
  /// The number of values in all binary property lists of an iOS app, needed or not.
  var listValuesMax = 10_000_000
  /// The size of all texts in them. A list can name one text any number of times too.
  var listTextBytesMax = 512 << 20
  /// The size of a snapshot.
  var snapshotBytesMax = 256 << 20
  /// The number of files in a bundle's folder that are considered, and of the string tables of an iOS app.
  var bundleFilesMax = 20_000
}
