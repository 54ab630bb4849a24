import AppStrings
import Catalog
import FCMMessage
import Testing

@testable import CatalogCheck

@Suite struct FirstCatalogTests {
  private func catalog(
    android: [(String, StringEntry.Value)]? = nil, ios: [(String, StringEntry.Value)]? = nil,
    prefix: String? = nil
  ) throws -> (yaml: String, catalog: Catalog) {
    var fixture = CheckFixture()
    fixture.android = ["default": android ?? []]
    fixture.ios = ["en": ios ?? []]
    let resources = fixture.resources
    let first = try FirstCatalog(
      android: android == nil ? nil : resources.android, ios: ios == nil ? nil : resources.ios, prefix: prefix
    )
    return (first.yaml, try Catalog.examine(Array(first.yaml.utf8), file: "catalog.yaml"))
  }

  @Test func matchesKeysByNameAcrossConventions() throws {
    let (_, catalog) = try catalog(
      android: [
        ("push_new_message_title", "New"), ("push_new_message_body", "%2$s sent %1$d"), ("other", "x"),
      ],
      ios: [("PUSH_NEW_MESSAGE_TITLE", "New"), ("pushNewMessageBody", "%@ sent"), ("OTHER", "x")],
      prefix: "push_")
    #expect(catalog.templates.map(\.name) == ["new_message"])
    let template = try #require(catalog.templates.first)
    #expect(template.slots.map(\.name) == [.title, .body])
    #expect(template.params.map(\.name) == ["body_1", "body_2"])
    #expect(template.params.map(\.type) == [.number, .string])
    #expect(template.slots.last?.texts.ios?.args == ["body_1"])
    #expect(template.slots.last?.texts.android?.args == ["body_1", "body_2"])
    #expect(template.fallback?.title == "New")
    #expect(template.fallback?.body == nil)
  }

  @Test func aKeyBesideItsBodyIsTheTitle() throws {
    let (_, catalog) = try catalog(
      android: [("order_shipped", "Shipped"), ("order_shipped_body", "On its way"), ("alone", "x")],
      ios: [("ORDER_SHIPPED", "Shipped"), ("ORDER_SHIPPED_BODY", "On its way"), ("ALONE", "x")])
    #expect(catalog.templates.map(\.name) == ["alone", "order_shipped"])
    let slots = try #require(catalog.templates.last?.slots)
    #expect(slots.map(\.name) == [.title, .body])
    #expect(slots.map { $0.texts.android?.key } == ["order_shipped", "order_shipped_body"])
    #expect(catalog.templates.first?.slots.map(\.name) == [.body])
  }

  @Test(arguments: [
    ("catalog.yaml", "app/res", "app/res"), ("push/catalog.yaml", "app/res", "../app/res"),
    ("push/a/catalog.yaml", "./push/res/", "../res"), ("../catalog.yaml", "res", "work/res"),
    ("/srv/catalog.yaml", "res", "../home/work/res"), ("push/catalog.yaml", "/opt/res", "/opt/res"),
    ("push/catalog.yaml", "push", "."), ("push/catalog.yaml", "../../..", "../../.."),
  ])
  func namesFoldersFromTheCatalogsPlace(file: String, folder: String, written: String) {
    #expect(CatalogPlace(file: file, currentFolder: "/home/work").path(to: folder) == written)
  }

  @Test func leavesOutFallbacksThatACatalogCannotHave() throws {
    let long = String(repeating: "x", count: 4000)
    let (_, catalog) = try catalog(ios: [("A", ""), ("B", "100%"), ("C", .string(long)), ("D", "Hi")])
    #expect(catalog.templates.map { $0.fallback?.body } == [nil, nil, nil, "Hi"])
  }

  @Test func aKeyThatIsASentenceGetsAShortName() throws {
    let words = "You have a new message from somebody whom you do not know yet"
    let (_, catalog) = try catalog(ios: [(words, .string(words)), ("日本", "x"), ("😀", "x")])
    #expect(catalog.templates.map(\.name) == ["you_have_a_new_message_from_somebody_whom_you_do"])
    #expect(catalog.templates.first?.slots.first?.texts.ios?.key == words)
  }

  @Test(arguments: [
    "null", "true", "~", "no", "- a", "#c", "a: b", "{a}", "it's", "\"q\"", "a\nb", "a\u{2028}b", "\u{FEFF}a",
    "a\u{FFFE}",
    "a\u{7F}", "a\u{85}", "e\u{301}", "😀 a",
  ])
  func writesAnyKeyAndTextAsLoadableYAML(text: String) throws {
    let (_, catalog) = try catalog(ios: [(text + "a", .string(text))])
    let template = try #require(catalog.templates.first)
    #expect(
      template.slots.first?.texts.ios?.key.unicodeScalars.elementsEqual((text + "a").unicodeScalars) == true)
    #expect(template.fallback?.body?.unicodeScalars.elementsEqual(text.unicodeScalars) == true)
  }

  @Test func failsWithoutStrings() throws {
    #expect(throws: FirstCatalogError.noKeys) {
      try catalog(android: [("a", "x")], ios: [("B", "x")])
    }
  }
}
