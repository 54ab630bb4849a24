internal import JSON

/// What a Tuist manifest names as its application's resources, as far as its text tells. The manifest is a
/// program, which is not run.
struct TuistManifest {
  /// The folders of the resources, relative to the manifest's.
  let folders: [String]

  private static let fileBytesMax = 1 << 20

  /// Nil if there is none at the path.
  init?(_ path: String) {
    guard let bytes = try? RegularFile.read(path, bytesMax: Self.fileBytesMax) else { return nil }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "product:").dropFirst()
    let application = parts.first { part in
      part.drop { $0.isWhitespace }.prefix { $0 == "." || $0.isLetter } == ".app"
    }
    let lists = application?.split(separator: "resources:").dropFirst().map { $0.prefix { $0 != "]" } } ?? []
    folders = lists.flatMap { list in
      list.split(separator: "\"", omittingEmptySubsequences: false).enumerated().compactMap { index, text in
        // Every second part is between quotes.
        guard index % 2 == 1, Self.canHoldTables(text) else { return nil }
        let plain = text.prefix { $0 != "*" }
        return String(plain.hasSuffix("/") ? plain.dropLast() : plain)
      }
    }
  }

  /// Whether a pattern can mean tables of strings, and not only files of other names.
  private static func canHoldTables(_ pattern: Substring) -> Bool {
    let last = pattern.split(separator: "/").last ?? ""
    return !last.contains(".") || last.contains("strings") || last.contains("lproj")
  }

  /// Whether the application has what is in a folder.
  func holds(_ folder: String) -> Bool {
    folders.contains {
      !$0.isEmpty && ($0 == folder || folder.hasPrefix("\($0)/") || $0.hasPrefix("\(folder)/"))
    }
  }
}
