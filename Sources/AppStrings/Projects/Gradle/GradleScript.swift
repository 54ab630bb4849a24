internal import JSON

/// A Gradle script in Groovy or Kotlin, reduced to its statements and blocks. Nothing in it is run, and
/// whatever it contains, it has such a form.
struct GradleScript {
  enum Token: Equatable {
    /// An identifier with its dots: `android.sourceSets.main`.
    case word(String)
    /// A string literal, with its escapes resolved.
    case text(String)
    /// A string with `$name` or `${…}` in it, as written.
    case template(String)
    case mark(UInt8)
  }

  /// What stands before, between and after its blocks, and these.
  struct Statement {
    let line: Int
    var tokens: [Token] = []
    var blocks: [[Statement]] = []
  }

  let statements: [Statement]

  /// How deep blocks are followed; deeper ones are read as part of their parent.
  private static let depthMax = 64

  init(_ bytes: [UInt8]) {
    var lexer = GradleLexer(bytes)
    var parser = Parser(tokens: lexer.tokens())
    statements = parser.statements(depth: 0)
  }

  /// Calls `body` for each statement with the names of the blocks around it, outermost first.
  func visit(_ body: (Statement, [String]) -> Void) { Self.visit(statements, in: [], body) }

  static func visit(_ statements: [Statement], in path: [String], _ body: (Statement, [String]) -> Void) {
    for statement in statements {
      body(statement, path)
      guard !statement.blocks.isEmpty else { continue }
      let inner = path + [statement.blockName]
      for block in statement.blocks { visit(block, in: inner, body) }
    }
  }

  private struct Parser {
    let tokens: [GradleLexer.Item]
    var index = 0

    mutating func statements(depth: Int) -> [Statement] {
      var statements: [Statement] = []
      var current: Statement?
      var parentheses = 0
      while index < tokens.count {
        let item = tokens[index]
        index += 1
        switch item.token {
        case .mark(UInt8(ascii: "\n")), .mark(UInt8(ascii: ";")):
          if parentheses > 0 || goesOn(current) { continue }
          if let ended = current { statements.append(ended) }
          current = nil
        case .mark(UInt8(ascii: "}")):
          if let ended = current { statements.append(ended) }
          if depth > 0 { return statements }
          current = nil
        case .mark(UInt8(ascii: "{")) where depth < GradleScript.depthMax:
          let block = self.statements(depth: depth + 1)
          current = current ?? Statement(line: item.line)
          current?.blocks.append(block)
        default:
          if item.token == .mark(UInt8(ascii: "(")) || item.token == .mark(UInt8(ascii: "[")) {
            parentheses += 1
          } else if item.token == .mark(UInt8(ascii: ")")) || item.token == .mark(UInt8(ascii: "]")) {
            parentheses = max(0, parentheses - 1)
          }
          current = current ?? Statement(line: item.line)
          current?.tokens.append(item.token)
        }
      }
      if let ended = current { statements.append(ended) }
      return statements
    }

    /// Whether a statement goes on in the next line: its last token wants more, or the next one joins it.
    private func goesOn(_ current: Statement?) -> Bool {
      guard let current else { return true }
      let open: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: ".")]
      if case .mark(let last)? = current.tokens.last, open.contains(last) { return true }
      var next = index
      while next < tokens.count, tokens[next].token == .mark(UInt8(ascii: "\n")) { next += 1 }
      return next < tokens.count && tokens[next].token == .mark(UInt8(ascii: "."))
    }
  }
}

extension GradleScript.Statement {
  /// The first word; empty if there is none.
  var word: String {
    for token in tokens { if case .word(let word) = token { return word } }
    return ""
  }

  /// The string literals.
  var texts: [String] { tokens.compactMap { if case .text(let text) = $0 { text } else { nil } } }

  /// The name of its block: that of what `create("pro")`, `getByName('pro')` or `sourceSets["main"]` names,
  /// otherwise the last part of the first word.
  var blockName: String {
    let last = word.lastPart
    let takers = ["create", "register", "getByName", "named", "maybeCreate", "sourceSets", "buildTypes"]
    if takers.contains(last), let name = texts.first { return name }
    if case .text(let name)? = tokens.first { return name }
    return delegate ?? last
  }

  /// The name that Kotlin gives what it makes: `pro` of `val pro by creating { … }`.
  var delegate: String? {
    guard tokens.count > 2, tokens[0] == .word("val"), tokens[2] == .word("by"),
      case .word(let name) = tokens[1]
    else { return nil }
    return name
  }

  func contains(word: String) -> Bool { tokens.contains(.word(word)) }

  /// The groups of tokens between the commas of the call, in parentheses or not.
  var arguments: [[GradleScript.Token]] {
    var rest = tokens.dropFirst()
    if rest.first == .mark(UInt8(ascii: "(")) { rest = rest.dropFirst() }
    if rest.last == .mark(UInt8(ascii: ")")) { rest = rest.dropLast() }
    var depth = 0
    return rest.split(omittingEmptySubsequences: false) { token in
      switch token {
      case .mark(UInt8(ascii: "(")), .mark(UInt8(ascii: "[")): depth += 1
      case .mark(UInt8(ascii: ")")), .mark(UInt8(ascii: "]")): depth -= 1
      case .mark(UInt8(ascii: ",")): return depth == 0
      default: break
      }
      return false
    }.map(Array.init)
  }
}

extension String {
  /// What follows the last dot.
  var lastPart: String { split(separator: ".").last.map(String.init) ?? self }
}
