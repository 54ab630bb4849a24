package import Foundation

/// A test's own folder, which is removed with the value.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "dragoman-test-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and the folders that it needs.
  package func write(_ text: String, to name: String) throws {
    let url = URL(filePath: "\(path)/\(name)")
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// The text of a file; nil if there is none.
  package func text(_ name: String) -> String? {
    try? String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
  }

  /// Every file with its bytes.
  package func contents() -> [String: Data] {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return Dictionary(
      uniqueKeysWithValues: names.compactMap { name in
        FileManager.default.contents(atPath: "\(path)/\(name)").map { (name, $0) }
      })
  }

  /// Gives all files and folders in it that have changed one time in the past, as if that were long ago.
  package func settle() throws {
    let (files, time) = (FileManager.default, Date(timeIntervalSince1970: 1_000_000_000))
    let items = try files.subpathsOfDirectory(atPath: path).map { "\(path)/\($0)" }
    for item in items + [path]
    where try files.attributesOfItem(atPath: item)[.modificationDate] as? Date != time {
      try files.setAttributes([.modificationDate: time], ofItemAtPath: item)
    }
  }
}
