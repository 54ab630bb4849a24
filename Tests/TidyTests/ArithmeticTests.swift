import Testing

/// Fractional numbers become integers only by conversions that cannot trap.
@Suite struct ArithmeticTests {
  /// Labels of conversions that do not trap, or take no fractional number.
  static let safeLabels = [
    "exactly:", "saturating:", "clamping:", "truncatingIfNeeded:", "bitPattern:", "ascii:", "bigEndian:",
    "littleEndian:",
  ]

  /// Names that a file declares with a floating-point type.
  static func fractionalNames(in files: [SourceFile]) -> Set<String> {
    var names: Set<String> = []
    for line in files.flatMap(\.lines)
    where line.contains(": ") || line.contains(" = ") || line.contains("->") {
      let code = withoutTexts(line)
      if code.contains("Double") || code.contains("Float") || code.contains("TimeInterval") {
        for match in code.matches(of: /(\w+): (?:Double|Float|TimeInterval)\b/) {
          names.insert(String(match.1))
        }
        if let match = code.firstMatch(of: /func (\w+).*-> (?:Double|Float|TimeInterval)\b/) {
          names.insert(String(match.1))
        }
      }
      if let match = code.firstMatch(of: /^ *(?:\w+ )*(?:let|var) (\w+) = -?(?:\d+\.\d|Double\()/) {
        names.insert(String(match.1))
      }
    }
    return names
  }

  /// The arguments of conversions to integers in a line that could trap on a fractional number.
  static func unsafeConversions(in line: String, fractional names: Set<String>) -> [String] {
    guard line.contains("Int") else { return [] }
    let code = withoutTexts(line)
    return code.matches(of: /\bU?Int(?:8|16|32|64)?\(/).compactMap { match in
      let argument = balanced(code[match.range.upperBound...])
      guard !safeLabels.contains(where: argument.hasPrefix) else { return nil }
      let words = Set(argument.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
      let isFractional =
        !names.isDisjoint(with: words) || words.contains("Double") || words.contains("rounded")
        || argument.contains(/\b\d+(?:\.\d|e[-\d])/) || argument.contains(/\/ \.(?:milli|micro|nano)?seconds/)
      return isFractional ? String(argument) : nil
    }
  }

  /// The line without comments, and without the characters of texts.
  private static func withoutTexts(_ line: String) -> String {
    let code = line.components(before: "//")
    guard code.contains("\"") else { return String(code) }
    let parts = code.split(separator: "\"", omittingEmptySubsequences: false)
    // What an interpolation holds stays, as good as it can be told.
    return parts.enumerated().map {
      $0.offset.isMultiple(of: 2) || $0.element.contains("\\(") ? $0.element : ""
    }
    .joined(separator: "\"")
  }

  /// What stands before the parenthesis that closes a call.
  private static func balanced(_ text: Substring) -> Substring {
    var depth = 1
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if depth == 0 { return text[..<index] }
    }
    return text
  }

  @Test func conversionsAreFound() {
    let file = SourceFile(
      path: "Sources/A/B.swift", lines: ["  let rate: Double", "  func load() -> Double {"])
    let names = Self.fractionalNames(in: [file])
    #expect(names == ["rate", "load"])
    for line in [
      "Int(rate)", "Int64(load() * 2)", "UInt(x.rounded(.up))", "Int(Double(count) * 2)", "Int(a + 1e-9)",
      "Int(timeout / .milliseconds(1))",
    ] {
      #expect(Self.unsafeConversions(in: line, fractional: names).count == 1, "\(line)")
    }
    for line in ["Int(exactly: rate)", "Int(saturating: rate)", "Int(count)", "f(1) // Int(rate)"] {
      #expect(Self.unsafeConversions(in: line, fractional: names).isEmpty, "\(line)")
    }
  }

  @Test func noConversionTrapsOnAFractionalNumber() {
    let modules = Dictionary(grouping: SourceTree.files.filter(\.isProduct), by: \.module)
    for files in modules.values {
      let names = Self.fractionalNames(in: files)
      for file in files {
        for (number, line) in file.numbered {
          for argument in Self.unsafeConversions(in: line, fractional: names) {
            Issue.record(
              "\(file.place(number)): a large or fractional \(argument) traps; use saturating: or exactly:")
          }
        }
      }
    }
  }
}
