import Testing

/// Names describe types, and one name means one type in the whole package.
@Suite struct NameTests {
  static let forbiddenWords = ["Manager", "Helper", "Util", "Utils", "Common"]

  /// A type that a file declares at its top level.
  struct Declaration {
    let name: String
    let file: SourceFile
    let line: Int
    /// The text between the name and the brace.
    let inheritance: String
    let isPrivate: Bool
  }

  static func topLevelTypes(_ files: [SourceFile]) -> [Declaration] {
    types(files) { !$0.hasPrefix(" ") }
  }

  static func types(_ files: [SourceFile], where isWanted: (String) -> Bool = { _ in true }) -> [Declaration]
  {
    let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor"]
    return files.flatMap { file in
      file.numbered.compactMap { number, line -> Declaration? in
        guard isWanted(line) else { return nil }
        let words = line.split(separator: " ")
        guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count,
          words[..<kind].allSatisfy({ word in word.allSatisfy { $0.isLetter || "@_().".contains($0) } }),
          !words[..<kind].contains("//"), !words[..<kind].contains("///"),
          words[kind + 1].first?.isUppercase == true
        else { return nil }
        let name = words[kind + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let rest = line.drop { $0 != ":" }.prefix { $0 != "{" }
        return Declaration(
          name: String(name), file: file, line: number, inheritance: String(rest),
          isPrivate: words[..<kind].contains { $0 == "private" || $0 == "fileprivate" })
      }
    }
  }

  @Test func typesAreFound() {
    let file = SourceFile(
      path: "Sources/A/B.swift",
      lines: [
        "package struct One: Error, Sendable {", "  private enum Two {", "// a struct Three {",
        "final class Four<T> {",
      ])
    #expect(Self.types([file]).map(\.name) == ["One", "Two", "Four"])
    #expect(Self.topLevelTypes([file]).map(\.name) == ["One", "Four"])
  }

  @Test func noNameIsVague() {
    for type in Self.types(SourceTree.files) {
      for word in Self.forbiddenWords where type.name.hasSuffix(word) || type.name.hasPrefix(word) {
        Issue.record("\(type.file.place(type.line)): \(type.name) says nothing; name what it does")
      }
    }
  }

  @Test func oneNameMeansOneType() {
    let types = Self.topLevelTypes(SourceTree.files.filter(\.isProduct)).filter { !$0.isPrivate }
    for (name, places) in Dictionary(grouping: types, by: \.name) where places.count > 1 {
      let list = places.map { $0.file.place($0.line) }.joined(separator: ", ")
      Issue.record("\(name) names \(places.count) types: \(list)")
    }
  }

  @Test func errorsAreCalledErrors() {
    for type in Self.types(SourceTree.files.filter(\.isProduct)) {
      let conformances = type.inheritance.dropFirst().split(separator: ",").map {
        $0.split(separator: " ").first ?? ""
      }
      if conformances.contains("Error"), !type.name.hasSuffix("Error") {
        Issue.record("\(type.file.place(type.line)): \(type.name) is an error; its name ends in Error")
      }
    }
  }

  @Test func extensionsDoNotHideErrors() {
    for file in SourceTree.files where file.isProduct {
      for (number, line) in file.numbered where line.contains("extension ") && line.contains(": Error") {
        Issue.record("\(file.place(number)): declare the conformance to Error with the type")
      }
    }
  }
}
