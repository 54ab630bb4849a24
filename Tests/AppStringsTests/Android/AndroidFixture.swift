internal import Foundation
import JSON
@testable import AppStrings

/// A `res` folder that a test writes and that is removed after its last use.
final class AndroidFixture {
  let folder: String

  /// Files by their path in the folder.
  init(_ files: [String: [UInt8]]) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("res-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (path, bytes) in files {
      let file = URL(fileURLWithPath: "\(folder)/\(path)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }
}

/// A folder of files, each given by the content of its `<resources>`.
func readAndroid(_ files: [String: String], limits: AndroidLimits = AndroidLimits()) throws -> StringResources
{
  try readAndroid(documents: files.mapValues { "<resources \(namespaces)>\($0)</resources>" }, limits: limits)
}

/// A folder of whole files.
func readAndroid(
  documents: [String: String], limits: AndroidLimits = AndroidLimits()
) throws -> StringResources {
  let fixture = try AndroidFixture(documents.mapValues { Array($0.utf8) })
  return withExtendedLifetime(fixture) { AndroidResourceReader.read(folder: fixture.folder, limits: limits) }
}

/// The text and the problems of a `<string>` with this content.
func androidText(_ inner: String) throws -> (text: String?, kinds: [ResourceProblem.Kind]) {
  let resources = try readAndroid(["values/strings.xml": "<string name=\"k\">\(inner)</string>"])
  return (resources.table("default")?["k"]?.text, resources.problems.map(\.kind))
}

private let namespaces =
  "xmlns:xliff=\"urn:oasis:names:tc:xliff:document:1.2\" xmlns:tools=\"http://schemas.android.com/tools\""
  + " xmlns:other=\"http://example.com/other\""

extension StringResources {
  /// The texts of a table's strings.
  func texts(_ table: String) -> [String: String] {
    var texts: [String: String] = [:]
    for (key, entry) in self.table(table)?.entries ?? [:] { texts[key.text] = entry.text }
    return texts
  }
}
