import Foundation
import JSON
import Testing

@testable import API
@testable import Gateway

/// The example clients use only what the OpenAPI description defines, under the same names.
@Suite(.blocking) struct ExampleClientTests {
  private let document: JSON

  init() throws { document = try JSON.parse(OpenAPIDocument.bytes(asksForKeys: true)) }

  private func source(_ name: String) throws -> String {
    try String(
      contentsOf: URL(filePath: "\(GatewayFixture.repository)/examples/clients/\(name)"), encoding: .utf8)
  }

  private func properties(_ schema: String) -> [String: JSON] {
    let members = document["components"]?["schemas"]?[schema]?["properties"]?.object ?? .init()
    return Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
  }

  /// The names that `pattern`'s group finds in the declaration of `type`.
  private func fields(of type: String, in source: String, _ pattern: String) throws -> Set<String> {
    let start = try #require(source.firstRange(of: type), "\(type) is not declared")
    let block = source[start.upperBound...].split(separator: "\n").dropFirst().prefix { line in
      line.hasPrefix(" ") || line.isEmpty
    }
    let regex = try Regex(pattern)
    return Set(
      block.compactMap { line in line.firstMatch(of: regex)?.output[1].substring.map(String.init) })
  }

  /// Paths in quotes, with `{id}` in the place of an interpolated value.
  private func paths(in source: String) throws -> Set<String> {
    let regex = try Regex(#"["'`](/v1/[^"'`]*?)["'`]"#)
    // A placeholder may itself hold quotes.
    let plain = source.replacing(try Regex(#"\$?\{(encodeURIComponent|urllib)[^}]*\}"#), with: "{id}")
    return Set(plain.matches(of: regex).compactMap { $0.output[1].substring.map(String.init) })
  }

  @Test(arguments: ["python/dragoman.py", "typescript/dragoman.ts"])
  func requestDocumentedPaths(name: String) throws {
    let paths = try paths(in: source(name))
    #expect(paths == ["/v1/notifications", "/v1/notifications/{id}"])
    for path in paths { #expect(document["paths"]?[path] != nil, "\(path)") }
  }

  @Test(arguments: ["python/dragoman.py", "typescript/dragoman.ts"])
  func areShort(name: String) throws {
    #expect(try source(name).split(separator: "\n", omittingEmptySubsequences: false).count <= 120)
  }

  @Test func declareDocumentedFieldsInTypeScript() throws {
    let source = try source("typescript/dragoman.ts")
    let pattern = #"^  (\w+)[?!]?:"#
    var request = Set(properties("NotificationRequest").keys)
    // It has a different answer, which the client does not read.
    request.remove("validate_only")
    #expect(try fields(of: "interface NotificationRequest", in: source, pattern) == request)
    for type in ["Delivery", "Notification", "Recipient"] {
      #expect(
        try fields(of: "interface \(type) ", in: source, pattern) == Set(properties(type).keys), "\(type)")
    }
    #expect(try fields(of: "class Problem ", in: source, pattern).isSubset(of: properties("Problem").keys))
    for target in ["Token", "Tokens", "FID", "FIDs", "Topic", "Condition"] {
      let field = try #require(properties("\(target)Target").keys.first)
      #expect(source.contains("{ \(field): string"), "\(field)")
    }
    let states = document["components"]?["schemas"]?["DeliveryStatus"]?["enum"]?.array ?? []
    let union = states.compactMap { $0.string.map { "\"\($0)\"" } }.joined(separator: " | ")
    #expect(source.contains("type DeliveryStatus = \(union);"))
  }

  @Test func declareDocumentedFieldsInPython() throws {
    let source = try source("python/dragoman.py")
    for type in ["Delivery", "Notification", "Recipient"] {
      #expect(
        try fields(of: "class \(type)(", in: source, #"^    (\w+):"#) == Set(properties(type).keys), "\(type)"
      )
    }
    for field in ["template", "to", "args"] {
      #expect(source.contains("\"\(field)\": ") && properties("NotificationRequest")[field] != nil)
    }
  }

  @Test func sendDocumentedHeaders() throws {
    #expect(document["components"]?["parameters"]?["Idempotency-Key"] != nil)
    for name in ["python/dragoman.py", "typescript/dragoman.ts"] {
      let source = try source(name)
      for header in ["Idempotency-Key", "Retry-After", "Authorization"] { #expect(source.contains(header)) }
    }
  }
}
