import Testing

/// Files, functions, lines and folders stay small enough to read at once.
@Suite struct SizeTests {
  static let fileLinesMax = 400
  static let functionLinesMax = 70
  static let lineColumnsMax = 110
  static let folderFilesMax = 20

  @Test func theTreeIsRead() {
    #expect(SourceTree.files.count > 300)
    #expect(SourceTree.files.contains { $0.path == "Sources/JSON/JSON.swift" })
  }

  @Test func filesAreShort() {
    for file in SourceTree.files where file.lines.count > Self.fileLinesMax {
      Issue.record("\(file) has \(file.lines.count) lines; split it by what its parts are for")
    }
  }

  /// The formatter wraps code; texts in quotes may be longer.
  @Test func commentsAreWrapped() {
    for file in SourceTree.files {
      for (number, text) in file.numbered where text.count > Self.lineColumnsMax {
        guard text.drop(while: { $0 == " " }).hasPrefix("//") else { continue }
        Issue.record("\(file.place(number)) has \(text.count) columns; wrap it at \(Self.lineColumnsMax)")
      }
    }
  }

  @Test func functionsAreShort() {
    for file in SourceTree.files {
      for function in FunctionSpan.all(in: file) where function.lineCount > Self.functionLinesMax {
        Issue.record(
          "\(file.place(function.firstLine)) begins a function of \(function.lineCount) lines; split it")
      }
    }
  }

  @Test func foldersAreSmall() {
    let folders = Dictionary(grouping: SourceTree.files) { file in
      file.path.split(separator: "/").dropLast().joined(separator: "/")
    }
    for (folder, files) in folders where files.count > Self.folderFilesMax {
      Issue.record("\(folder) holds \(files.count) files; give its parts folders of their own")
    }
  }

  @Test func functionsAreMeasuredFromSignatureToBrace() {
    let file = SourceFile(
      path: "Example.swift",
      lines: [
        "struct Example {", "  func one() { 1 }", "  func two(", "    a: Int", "  ) {", "    a", "  }",
        "  init() {", "  }", "}",
      ])
    #expect(FunctionSpan.all(in: file).map(\.firstLine) == [2, 3, 8])
    #expect(FunctionSpan.all(in: file).map(\.lineCount) == [1, 5, 2])
  }
}

/// Where a function begins and how long it is, as the formatter lays code out: a body ends at the first brace
/// in the column of its declaration.
struct FunctionSpan {
  let firstLine: Int
  let lineCount: Int

  static func all(in file: SourceFile) -> [FunctionSpan] {
    var spans: [FunctionSpan] = []
    for (index, line) in file.lines.enumerated() {
      let indentation = line.prefix { $0 == " " }
      guard declares(line.dropFirst(indentation.count)) else { continue }
      let rest = file.lines[index...]
      var last = index
      if line.hasSuffix("(") {
        // A protocol requirement ends with its parameters, in a line of the same column.
        let afterParameters = rest.dropFirst().firstIndex { !$0.hasPrefix("\(indentation) ") && !$0.isEmpty }
        if let line = afterParameters, file.lines[line].hasPrefix("\(indentation))") { last = line }
      }
      if file.lines[last].hasSuffix("{") {
        last = rest.firstIndex { $0.hasPrefix("\(indentation)}") } ?? last
      }
      spans.append(FunctionSpan(firstLine: index + 1, lineCount: last - index + 1))
    }
    return spans
  }

  private static func declares(_ code: Substring) -> Bool {
    let modifiers: Set<Substring> = [
      "package", "public", "internal", "fileprivate", "private", "static", "mutating", "final", "override",
      "convenience", "nonisolated", "consuming", "borrowing", "@inline(__always)", "@discardableResult",
      "@Test",
      "@inlinable", "required",
    ]
    let words = code.split(separator: " ", maxSplits: 8)
    guard let first = words.first(where: { !modifiers.contains($0) }) else { return false }
    return first == "func" || first.hasPrefix("init(") || first.hasPrefix("init?(") || first == "deinit"
      || first.hasPrefix("subscript(")
  }
}
