import Foundation

/// A Swift file of the package, as text.
struct SourceFile: Sendable, CustomStringConvertible {
  /// Relative to the package's root: `Sources/JSON/JSON.swift`.
  let path: String
  let lines: [String]

  var description: String { path }

  /// The folder right below `Sources` or `Tests`.
  var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

  var isProduct: Bool { path.hasPrefix("Sources/") }

  /// The lines with their numbers, from 1 on.
  var numbered: [(number: Int, text: String)] { lines.enumerated().map { ($0.offset + 1, $0.element) } }

  func place(_ line: Int) -> String { "\(path):\(line)" }
}

/// The package's own Swift files and documents.
enum SourceTree {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  static let files: [SourceFile] = ["Benchmarks", "Fuzz", "Sources", "Tests"].flatMap(swiftFiles)

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  private static func swiftFiles(below folder: String) -> [SourceFile] {
    let base = root.appending(path: folder).path()
    let names = FileManager.default.enumerator(atPath: base)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(".swift") }.sorted().compactMap { name in
      guard let text = try? text("\(folder)/\(name)") else { return nil }
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if lines.last == "" { lines.removeLast() }
      return SourceFile(path: "\(folder)/\(name)", lines: lines)
    }
  }
}
