import FCMMessage
import Foundation
import JSON
import Testing
import YAML

@testable import Catalog

/// Trees of values that params fill, and the bytes of templates without any.
@Suite struct ValueTreeTests {
  private func tree(_ text: String, params: String) throws -> (tree: ValueTree?, problems: [String]) {
    let problems = ProblemCollector(file: "c.yaml")
    var reader = CatalogReader(problems: problems, folder: "")
    func field(_ text: String) throws -> YAMLField {
      YAMLField(node: try #require(YAML.parse(Array(text.utf8), problems: problems)), problems: problems)
    }
    let params = reader.readParams(try field(params))
    let read = try reader.readTree(field(text), params: params)
    return (read, problems.problems.map(\.description))
  }

  @Test func readsTreesForOtherPlacesThanFCMsFields() throws {
    let (tree, problems) = try tree(
      "{home: {$param: home}, league: 1, list: [{$param: scorer}, {}]}",
      params: "{home: {type: integer}, scorer: {type: string, optional: true}}")
    #expect(problems == [])
    #expect(
      tree?.json([.integer(3), .string("A")]) == ["home": 3, "league": 1, "list": ["A", [:]]])
    #expect(tree?.json([.integer(3), nil]) == ["home": 3, "league": 1, "list": [[:]]])
  }

  @Test func reportsParamsThatATreeCannotUse() throws {
    let (_, problems) = try tree("{a: {$param: hom}, b: {$param: [x]}}", params: "{home: {type: integer}}")
    #expect(problems.count == 2, "\(problems)")
    #expect(problems.contains { $0.contains("did you mean \"home\"?") }, "\(problems)")
  }

  /// Guards the bytes of existing templates, which were recorded before values of a send existed.
  @Test func keepsTheBytesOfTemplatesWithoutValues() throws {
    let folder = try #require(Bundle.module.url(forResource: "Corpus", withExtension: nil))
    let catalog = try Catalog.load(file: folder.appending(path: "catalog.yaml").path)
    let lines = try String(contentsOf: folder.appending(path: "messages.txt"), encoding: .utf8)
      .split(separator: "\n")
    #expect(lines.count == catalog.templates.count)
    for (line, template) in zip(lines, catalog.templates) {
      let assembled = try catalog.assemble(AssemblyRequest(template: template.name)).get()
      let bytes = assembled.message.message(
        to: nil, values: .example(ttlSeconds: assembled.ttlSeconds ?? 3600))
      #expect(Array("\(template.name) ".utf8) + bytes == Array(line.utf8))
    }
  }
}
