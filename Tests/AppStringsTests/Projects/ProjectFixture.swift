import FCMMessage
import Foundation
import TestSupport

@testable import AppStrings

/// A project that a test writes.
struct ProjectFixture {
  let folder: TemporaryFolder

  /// Files by their path.
  init(_ files: [String: String]) throws {
    folder = try TemporaryFolder()
    for (path, text) in files { try folder.write(text, to: path) }
  }

  func path(_ name: String) -> String { name.isEmpty ? folder.path : "\(folder.path)/\(name)" }

  func android(_ name: String = "", module: String? = nil, variant: String? = nil) -> StringResources {
    StringResources.read(
      .android,
      sources: ResourceLocation([path(name)], isProject: module != nil, module: module, variant: variant))
  }

  func ios(_ name: String = "", target: String? = nil) -> StringResources {
    StringResources.read(
      .ios, sources: ResourceLocation([path(name)], isProject: target != nil, target: target))
  }

  /// A path without the folder of the test.
  func relative(_ path: String) -> String {
    path.hasPrefix(folder.path + "/") ? String(path.dropFirst(folder.path.count + 1)) : path
  }

  func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
  }

  /// An Android file of strings, each `KEY=TEXT`.
  static func strings(_ entries: String...) -> String {
    let lines = entries.map { entry in
      let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return "<string name=\"\(parts[0])\">\(parts[1])</string>"
    }
    return "<resources>\(lines.joined())</resources>"
  }
}
