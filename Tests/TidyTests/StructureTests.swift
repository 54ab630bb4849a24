import Testing

/// The modules import what docs/architecture.md says, and unsafe code names its guard.
@Suite struct StructureTests {
  /// What each module may import of the package's own, by the table under "Modules" in docs/architecture.md.
  static func table() throws -> [String: Set<String>] {
    let document = try SourceTree.text("docs/architecture.md")
    var allowed: [String: Set<String>] = [:]
    for line in document.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingPrefix(while: \.isWhitespace) }
      guard cells.count >= 3 else { continue }
      let modules = cells[0].split(separator: "`").filter { $0.contains(where: \.isLetter) }.map(String.init)
      let imports = cells[2].split { !$0.isLetter && !$0.isNumber }.map(String.init)
      let names: Set<String>
      switch imports.first {
      case "nothing": names = []
      case "all": names = Set(allowed.keys)
      default: names = Set(imports)
      }
      for module in modules { allowed[module] = names }
    }
    return allowed
  }

  @Test func everyModuleIsInTheTable() throws {
    let allowed = try Self.table()
    for module in Set(SourceTree.files.filter(\.isProduct).map(\.module)).sorted() {
      #expect(allowed[module] != nil, "\(module) is missing in the table of docs/architecture.md")
    }
  }

  @Test func modulesImportWhatTheTableSays() throws {
    let allowed = try Self.table()
    for file in SourceTree.files where file.isProduct {
      for (number, line) in file.numbered {
        let words = line.split(separator: " ")
        guard let keyword = words.firstIndex(of: "import"), keyword <= 1, keyword + 1 < words.count,
          let name = words.last.map(String.init), allowed[name] != nil, name != file.module
        else { continue }
        if allowed[file.module]?.contains(name) != true {
          Issue.record(
            "\(file.place(number)): the table of docs/architecture.md does not let \(file.module) import \(name)"
          )
        }
      }
    }
  }

  @Test func theTableHasNoImportThatNobodyNeeds() throws {
    let imports = Dictionary(grouping: SourceTree.files.filter(\.isProduct), by: \.module).mapValues {
      files in
      Set(
        files.flatMap(\.lines).compactMap { line -> String? in
          let words = line.split(separator: " ")
          guard let keyword = words.firstIndex(of: "import"), keyword <= 1 else { return nil }
          return words.last.map(String.init)
        })
    }
    for (module, names) in try Self.table() where module != "Gateway" && module != "dragoman" {
      for name in names.subtracting(imports[module] ?? []).sorted() where imports[module] != nil {
        Issue.record("the table of docs/architecture.md lets \(module) import \(name), which it does not")
      }
    }
  }

  @Test func unsafeCodeNamesItsGuard() {
    for file in SourceTree.files where file.isProduct || file.path.hasPrefix("Tests/") {
      for (number, line) in file.numbered {
        let code = line.components(before: "//")
        guard code.contains("@unchecked Sendable") || code.contains("nonisolated(unsafe)"),
          !code.contains("\"")
        else { continue }
        // In the comment above, on the line itself, or in the first comment of the body.
        let nearby = file.lines[max(0, number - 12)..<min(file.lines.count, number + 2)]
        if !nearby.contains(where: { $0.contains("//") && $0.contains("Guard:") }) {
          Issue.record("\(file.place(number)): add a comment with \"Guard:\" that names what makes this safe")
        }
      }
    }
  }

  /// A trap on a programming error is documented with "Traps on …".
  @Test func nothingTrapsOnInput() {
    let traps = ["try!", "as!", "fatalError(", "preconditionFailure("]
    for file in SourceTree.files where file.isProduct {
      for (number, line) in file.numbered {
        let code = line.components(before: "//")
        let isMeant = file.lines[max(0, number - 10)..<number].contains { $0.contains("/// Traps ") }
        for trap in traps where code.contains(trap) && !isMeant {
          Issue.record("\(file.place(number)): \(trap) ends the process; throw or return instead")
        }
      }
    }
  }
}

extension String {
  /// The text before `separator`, or all of it.
  func components(before separator: String) -> Substring {
    firstRange(of: separator).map { self[..<$0.lowerBound] } ?? self[...]
  }
}
