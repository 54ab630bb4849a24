internal import Foundation

/// The example app, built into the binary so that `dragoman dev` runs anywhere.
enum ExampleApp {
  /// Writes the files into `folder` and returns the catalog's path.
  static func write(into folder: String) throws -> String {
    for file in files {
      let url = URL(filePath: folder).appending(path: file.path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(file.text.utf8).write(to: url)
    }
    return "\(folder)/catalog.yaml"
  }
}
