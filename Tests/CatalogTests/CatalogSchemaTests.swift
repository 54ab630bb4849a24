import FCMMessage
import Foundation
import JSON
import Testing

@testable import Catalog

/// `config/catalog.schema.json` describes what the reader accepts.
@Suite struct CatalogSchemaTests {
  private let schema: JSON

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../config/catalog.schema.json")
    schema = try JSON.parse([UInt8](Data(contentsOf: file)))
  }

  private func names(_ path: String...) -> [String] {
    let object = path.reduce(schema as JSON?) { value, key in value?[key] }
    return (object?["properties"]?.object ?? .init()).map(\.key).sorted()
  }

  private func names<Name: CaseIterable & RawRepresentable<String>>(
    of _: Name.Type, without refused: Set<String> = []
  ) -> [String] {
    Name.allCases.map(\.rawValue).filter { !refused.contains($0) }.sorted()
  }

  @Test func namesTheFieldsThatTheReaderAccepts() {
    #expect(names() == names(of: CatalogReader.Field.self))
    #expect(names("properties", "resources") == names(of: CatalogReader.ResourcesField.self))
    #expect(names("properties", "defaults") == names(of: CatalogReader.DefaultsField.self))
    #expect(names("properties", "ignore", "items") == names(of: CatalogReader.IgnoreField.self))
    #expect(names("$defs", "Template") == names(of: CatalogReader.TemplateField.self))
    #expect(
      names("$defs", "Template", "properties", "fallback") == names(of: CatalogReader.FallbackField.self))
    #expect(
      names("$defs", "Template", "properties", "live_activity") == names(of: CatalogReader.ActivityField.self)
    )
    #expect(names("$defs", "Param") == names(of: CatalogReader.ParamField.self))
    #expect(names("$defs", "Text") == names(of: CatalogReader.SlotField.self))
    #expect(names("$defs", "Subtitle") == names(of: CatalogReader.SlotField.self, without: ["android"]))
    #expect(names("properties", "topics", "additionalProperties") == names(of: CatalogReader.TopicField.self))
    #expect(names("properties", "plurals") == names(of: CatalogReader.PluralsField.self))
    #expect(
      names("$defs", "Text", "properties", "variants", "items")
        == names(of: CatalogReader.VariantField.self))
  }

  @Test func namesTheFieldsOfFCM() {
    let types = MessageSchema.ObjectType.allCases.filter { $0 != .sendMessageRequest && $0 != .message }
    for type in types {
      #expect(names("$defs", type.rawValue) == MessageSchema.fields(of: type).map(\.name).sorted())
    }
  }

  @Test func namesTheRulesOfCheck() {
    let rules = schema["properties"]?["ignore"]?["items"]?["properties"]?["rule"]?["enum"]?.array
    #expect(rules?.compactMap(\.string) == CheckRule.allCases.map(\.rawValue))
  }
}
