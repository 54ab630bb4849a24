import AppStrings
import Catalog
import Foundation
import StringSources
import TestSupport
import Testing

@testable import API
@testable import CatalogCheck
@testable import Gateway

/// The console's files as the gateway serves them; scripts/test-browser tests what they do.
@Suite(.blocking) struct ConsoleTests {
  private static let folder = "\(GatewayFixture.repository)/Sources/API/Console/Web"

  /// What may lie in the repository and so in the binary, relative to the folder.
  private static func paths() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder)
      .filter { !URL(filePath: "\(folder)/\($0)").hasDirectoryPath && $0.contains(".") }.sorted()
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
  }

  /// scripts/test-browser compares them token by token.
  @Test func areTheFilesOfTheRepositoryWithoutComments() throws {
    #expect(try ConsoleFiles.files.map(\.path).sorted() == Self.paths())
    func bare(_ text: String) -> String { text.filter { !$0.isWhitespace } }
    for file in ConsoleFiles.files {
      let source = try Self.text(file.path)
      guard file.path.hasSuffix(".js") || file.path.hasSuffix(".css") else {
        #expect(source == file.text, "\(file.path)")
        continue
      }
      let code = source.replacing(/\/\*(?s:.)*?\*\//, with: "").replacing(/(?m)(?:^|\s)\/\/\/? .*$/, with: "")
      #expect(bare(code) == bare(file.text), "\(file.path)")
      let hasComment = file.text.contains(/(?m)^ *\/\//)
      #expect(!hasComment, "\(file.path)")
    }
    // What a template literal says keeps its spaces.
    let code = try #require(ConsoleFiles.files.first { $0.path == "parts/code.js" })
    #expect(code.text.contains("as answer:\n    print(json.load(answer)[\"id\"])\n"))
  }

  @Test func areServedWithoutAKeyAndAllowOnlyTheirOwnOrigin() async throws {
    let client = ClientGrant(
      name: "a", keyHash: sha256(Array("key-a".utf8)), scopes: [.read], apps: nil, templates: nil, rate: nil)
    try await GatewayFixture.run(adjust: { $0.auth.clients = [client] }) { fixture in
      let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "json": "application/json", "svg": "image/svg+xml",
      ]
      for path in try Self.paths() {
        let answer = try fixture.client.get(path == "index.html" ? "/" : "/console/\(path)")
        #expect(answer.status == 200, "\(path)")
        let file = try #require(ConsoleFiles.files.first { $0.path == path })
        #expect(String(decoding: answer.body, as: UTF8.self) == file.text)
        #expect(answer.header("Content-Type") == types[URL(filePath: path).pathExtension], "\(path)")
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
        let policy = try #require(answer.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
        #expect(!policy.contains("unsafe") && !policy.contains("http"))
      }
      #expect(try fixture.client.get("/console/app/none.js").status == 404)
      #expect(try fixture.client.get("/console/app/..").status == 404)
    }
  }

  @Test func areNotSentAgainUnlessTheyChanged() async throws {
    try await GatewayFixture.run { fixture in
      let tag = try #require(try fixture.client.get("/").header("ETag"))
      let many = String(repeating: "\"other\",", count: 99)
      for known in [tag, "\"other\", W/\(tag)", "*", "\t\(tag) ", many + tag] {
        let answer = try fixture.client.get("/", headers: [("If-None-Match", known)])
        #expect(answer.status == 304, "\(known)")
        #expect(answer.body.isEmpty)
        #expect(answer.header("ETag") == tag)
      }
      // Of a long list, the first hundred tags count.
      for unknown in ["\"other\"", String(tag.dropLast()), many + "\"other\"," + tag] {
        let answer = try fixture.client.get("/", headers: [("If-None-Match", unknown)])
        #expect(answer.status == 200, "\(unknown)")
      }
    }
  }

  @Test func loadNothingFromElsewhere() throws {
    let paths = try Self.paths()
    for path in paths {
      let text = try Self.text(path)
      // External data is inserted as text, never as markup, code or style.
      for part in ["innerHTML", "insertAdjacentHTML", "eval(", "onclick=", "style=\"", "@import url(http"] {
        #expect(!text.contains(part), "\(path): \(part)")
      }
      for module in text.matches(of: /(?:from|import)\s*\(?"(\.[^"]+)"/) where path.hasSuffix(".js") {
        let target = URL(filePath: "/\(path)").deletingLastPathComponent().appending(path: String(module.1))
        #expect(paths.contains(String(target.standardized.path().dropFirst())), "\(path): \(module.1)")
      }
    }
  }

  /// Styles, English, the longest other language, and the modules that the first view needs: no findings.
  @Test func showTheFirstViewWithLessThan200Kilobytes() throws {
    let paths = try Self.paths()
    var first = Set(paths.filter { $0 == "index.html" || $0.hasPrefix("style/") })
    var waiting = ["app/main.js", "views/start.js", "texts/en.js", "texts/ar.js"]
    while let path = waiting.popLast() {
      guard first.insert(path).inserted else { continue }
      let imports = try Self.text(path).matches(of: /import [^;(]*?"(\.[^"]+)"/)
      for module in imports {
        let target = URL(filePath: "/\(path)").deletingLastPathComponent().appending(path: String(module.1))
        waiting.append(String(target.standardized.path().dropFirst()))
      }
    }
    #expect(first.isSubset(of: paths) && first.contains("parts/dom.js"))
    let bytes = ConsoleFiles.files.reduce(0) { $0 + (first.contains($1.path) ? $1.text.utf8.count : 0) }
    #expect(bytes > 50_000 && bytes < 150_000)
    #expect(first.isDisjoint(with: ["rules/rules.js", "phones/drawing.js"]))
  }

  /// What findings say is made of texts; each has the same values and code in every language.
  @Test func sayWhatFindingsSayInEveryLanguage() throws {
    func texts(_ cases: [any FindingTemplate]) -> [(String, String)] { cases.map { ("\($0)", $0.english) } }
    let details = texts(FaultText.allCases) + texts(AdviceText.allCases)
    let reading = texts(FileText.allCases) + texts(AppleFileText.allCases) + texts(SourceText.allCases)
    #expect(Set((details + reading).map(\.0)).count == details.count + reading.count)
    try compare("details", with: details)
    try compare("reading", with: reading)
  }

  private func compare(_ folder: String, with english: [(String, String)]) throws {
    let code = #/\{\d\}|`[^`]+`|<\w+>|&\w+;|%%|(?:java|android)\.[\w.$]+/#
    let names = try Self.paths().filter { $0.hasPrefix("\(folder)/") }
    #expect(names == ["ar", "de", "es", "fr", "he", "id", "pt", "zh"].map { "\(folder)/\($0).js" })
    for name in names {
      let entries = try Self.text(name).matches(of: /(?m)^  (\w+): "((?:[^"\\]|\\.)+)",$/)
      #expect(entries.map { String($0.1) } == english.map(\.0), "\(name)")
      for (entry, own) in zip(entries, english) {
        let (theirs, ours) = (entry.2.matches(of: code), own.1.matches(of: code))
        #expect(theirs.map { $0.0 }.sorted() == ours.map { $0.0 }.sorted(), "\(name): \(own.0)")
      }
    }
  }

  /// What rules find is in every language, too, and says the same as the English of the rules.
  @Test func explainEveryRuleInEveryLanguage() throws {
    let names = try Self.paths().filter { $0.wholeMatch(of: /rules\/[a-z]{2}\.js/) != nil }
    #expect(names == ["ar", "de", "es", "fr", "he", "id", "pt", "zh"].map { "rules/\($0).js" })
    let english = CheckRule.allCases.map { "\($0.rawValue): \($0.summary)" }
    var code: [[Substring]] = []
    for name in names {
      let entries = try Self.text(name).matches(of: /(?m)^  \/\/ (.+)\n  (\w+): \["([^"]+)", "([^"]+)"\],$/)
      #expect(entries.map { "\($0.2): \($0.1)" } == english, "\(name)")
      let own = entries.map { $0.4.matches(of: /`[^`]+`/).map(\.0).sorted() }
      if code.isEmpty { code = own }
      #expect(own == code, "\(name) names other code")
    }
  }

  @Test func speakEveryLanguageInFull() throws {
    let names = try Self.paths().filter { $0.wholeMatch(of: /texts\/[a-z]{2}\.js/) != nil }
    #expect(names == ["ar", "de", "en", "es", "fr", "he", "id", "pt", "zh"].map { "texts/\($0).js" })
    /// The keys in order, each with the placeholders of its text.
    func entries(_ path: String) throws -> [String] {
      let lines = try Self.text(path).split(separator: "\n").filter { $0.hasPrefix("  ") }
      return try lines.map { line in
        let pattern = path == "texts/en.js" ? #/  (\w+): "(.+)",/# : #/  /\* (\w+) \*/ "(.+)",/#
        let entry = try #require(try pattern.wholeMatch(in: line), "\(path): \(line)")
        let placeholders = Set(entry.2.matches(of: /\{(\w+)\}/).map { String($0.1) })
        return "\(entry.1) \(placeholders.sorted())"
      }
    }
    let english = try entries("texts/en.js")
    #expect(english.count > 100 && Set(english).count == english.count)
    for name in names { #expect(try entries(name) == english, "\(name)") }
  }
}
