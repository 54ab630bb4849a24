import AppStrings
import Catalog
import FCMMessage
import JSON
import Testing

@testable import CatalogCheck

@Suite struct FirstCatalogTests {
  private func catalog(
    android: [(String, StringEntry.Value)]? = nil, ios: [(String, StringEntry.Value)]? = nil,
    prefix: String = "", keys: [String] = [], isAll: Bool = true
  ) throws -> (yaml: String, catalog: Catalog) {
    var fixture = CheckFixture()
    fixture.android = ["default": android ?? []]
    fixture.ios = ["en": ios ?? []]
    let resources = fixture.resources
    let first = try FirstCatalog(
      android: android == nil ? nil : resources.android, ios: ios == nil ? nil : resources.ios,
      .init(prefix: prefix, keys: keys.map(Glob.init), isAll: isAll))
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
    #expect(template.params.map(\.name) == ["count", "sender"])
    #expect(template.params.map(\.type) == [.integer, .string])
    #expect(template.slots.last?.texts.ios?.args == ["count"])
    #expect(template.slots.last?.texts.android?.args == ["count", "sender"])
    #expect(template.fallback?.title == "New")
    #expect(template.fallback?.body == "… sent …")
  }

  @Test func namesParamsFromTheText() throws {
    let cases: [(String, [String])] = [
      ("%1$s sent you a message", ["sender"]), ("Welcome, %1$s!", ["name"]),
      ("Message from %1$s in %2$s", ["sender", "place"]), ("Order #%1$s has shipped", ["order"]),
      ("Your code: %1$s", ["code"]), ("%1$s invited %2$s", ["sender", "body_2"]),
      ("%1$s of %2$s", ["body_1", "body_2"]), ("In %1$s minutes", ["minutes"]), ("Up %1$s%%", ["percent"]),
      // Whoever reads a push message is its recipient, and "to" leads to anything else.
      ("Up to %1$s off", ["body_1"]), ("%1$s invited you to %2$s", ["sender", "body_2"]),
      ("From %1$s, from %2$s", ["sender", "sender_2"]), ("é%1$s", ["body_1"]),
      ("It closed at %1$s", ["time"]),
      ("%1$s", ["body_1"]), ("Bestellung %1$s", ["bestellung"]),
    ]
    for (text, names) in cases {
      let (_, catalog) = try catalog(android: [("push", .string(text))])
      #expect(catalog.templates[0].params.map(\.name) == names, "\(text)")
    }
  }

  @Test(arguments: [
    ("%1$d", ParamType.integer), ("%1$,d", .integer), ("%1$x", .integer), ("%1$.2f", .number),
    ("%1$e", .number), ("%1$g", .number), ("%1$d of %1$.1f", .number), ("%1$s", .string),
  ])
  func aPlaceholderTellsTheTypeOfItsParam(text: String, type: ParamType) throws {
    let (_, catalog) = try catalog(android: [("push", .string(text))])
    #expect(catalog.templates.first?.params.map(\.type) == [type])
  }

  /// What the file tells translators about a placeholder: its name, and an example.
  @Test func namesParamsAsTheFileDoes() throws {
    func entry(
      _ key: String, _ value: StringEntry.Value, _ hints: [(String, String, String?)]
    ) -> (ExactText, StringEntry) {
      let hints = hints.map { StringEntry.PlaceholderHint(placeholder: $0, name: $1, example: $2) }
      return (ExactText(key), StringEntry(key: key, value: value, file: "f", line: 1, hints: hints))
    }
    let forms = ["one", "other"].map { StringEntry.Form(category: $0, text: "%d files in %2$s") }
    let table = StringTable(
      name: "default", locale: nil,
      entries: Dictionary(
        uniqueKeysWithValues: [
          entry("push_a_body", "%2$s – %1$s", [("%2$s", "sender-Name", "Bob"), ("%1$s", "1", "Eve")]),
          entry("push_b_body", "From %s to %s", [("%s", "fromPlace", "Rome"), ("%s", "toPlace", nil)]),
          entry("push_c_body", "%1$s costs %2$.2f", [("%2$.2f", "price", "2.5"), ("%1$s", "ITEM", "")]),
          entry("push_d_body", .plural(forms), [("%d", "file_count", "7"), ("%2$s", "folder", "a: b")]),
          entry("push_e_body", "%1$s wrote", [("%1$s", "日本", nil)]),
        ]))
    let resources = StringResources(platform: .android, folder: "res", tables: [table], problems: [])
    let first = try FirstCatalog(android: resources, ios: nil, .init(prefix: "push"))
    let catalog = try Catalog.examine(Array(first.yaml.utf8), file: "catalog.yaml") { _ in .success(["en"]) }
    let params = catalog.templates.map { $0.params.map { "\($0.name)=\($0.example?.text ?? "")" } }
    #expect(
      params == [
        ["body_1=Eve", "sender_name=Bob"], ["from_place=Rome", "to_place=To place"],
        ["item=Item", "price=2.5"], ["file_count=7", "folder=a: b"], ["sender=Bob"],
      ])
  }

  @Test func slotsShareAParamOfOneNameAndType() throws {
    let (_, catalog) = try catalog(
      android: [("push_title", "Message from %1$s"), ("push_body", "%1$s sent you %2$d photos")])
    let template = try #require(catalog.templates.first)
    #expect(template.params.map(\.name) == ["sender", "count"])
    #expect(template.slots.map { $0.texts.android?.args } == [["sender"], ["sender", "count"]])
  }

  @Test func putsPushMessagesFirstAndProposesThirty() throws {
    let many = (10..<60).map { ("a\($0)", StringEntry.Value.string("It is done for you.")) }
    let push: [(String, StringEntry.Value)] = [
      ("z_notification_body", "%1$s wrote"), ("invite_friend", "%1$s invited you"),
    ]
    let (yaml, some) = try catalog(android: many + push, isAll: false)
    #expect(some.templates.prefix(3).map(\.name) == ["invite_friend", "z_notification", "a10"])
    #expect(some.templates.count == 30)
    #expect(
      yaml.contains("# 22 more could be made: choose keys with --key, such as --key 'order_*', or use --all.")
    )
    #expect(try catalog(android: many + push).catalog.templates.count == 52)
    let (_, chosen) = try catalog(android: many, keys: ["a1*", "a59"])
    #expect(chosen.templates.map(\.name) == (10..<20).map { "a\($0)" } + ["a59"])
    #expect(throws: FirstCatalogError.noPushTexts) {
      try catalog(android: [("a", "It is done.")], isAll: false)
    }
  }

  @Test func ranksByWhatTheTextSays() throws {
    let (_, catalog) = try catalog(
      android: [
        ("file_shared", "%1$s shared a file with you"), ("message_deleted", "Message deleted"),
        ("leave_message", "Do you want to leave?"), ("push_started", "The meeting has started"),
        ("mention_body", "%1$s mentioned you in %2$s"), ("done", "It is done."), ("mute", "Mute all of them"),
        ("mention_only", "Mentions"), ("notif_all", "All kinds of notifications"),
      ], isAll: false)
    #expect(
      catalog.templates.map(\.name)
        == ["mention", "file_shared", "push_started"])
  }

  /// Such as that of a dialog, which is called `message` on both platforms.
  @Test func proposesNoTextsOfScreens() throws {
    let texts: [(String, StringEntry.Value)] = [
      ("delete_dialog_message", "All messages are removed."),
      ("notification_settings_title", "Notifications"),
      ("push_permission_body", "Allow notifications?"), ("push_body", "%1$s wrote"),
    ]
    #expect(try catalog(android: texts, isAll: false).catalog.templates.map(\.name) == ["push"])
    #expect(try catalog(android: texts).catalog.templates.count == 4)
  }

  @Test func matchesTextsWhereTheKeysDiffer() throws {
    let (_, catalog) = try catalog(
      android: [
        ("nc_push_missed", "Missed a call from %1$s at %2$s"), ("nc_push_alone", "Only on Android, %1$s"),
        ("nc_push_two", "%1$s of %2$s"), ("same_push", "Same"),
      ],
      ios: [
        ("Missed a call from %@ at %@", "Missed a call from %1$@ at %2$@"),
        ("Only on Android, %d", "Only on Android, "), ("swapped", "%2$@ of %1$@"), ("SAME_PUSH", "Other"),
      ], isAll: false)
    #expect(catalog.templates.map(\.name) == ["nc_push_missed", "same_push"])
    let texts = try #require(catalog.templates.first?.slots.first?.texts)
    #expect(texts.android?.key == "nc_push_missed")
    #expect(texts.ios?.key == "Missed a call from %@ at %@")
    #expect(texts.ios?.args == texts.android?.args)
  }

  @Test func choosesKeysOfEitherPlatform() throws {
    let (_, catalog) = try catalog(
      android: [("order_body", "x"), ("other", "x")], ios: [("ORDER_BODY", "x"), ("OTHER", "x")],
      keys: ["ORDER*"])
    #expect(catalog.templates.map(\.name) == ["order"])
  }

  /// What `init` writes passes `check --strict` if the strings are right.
  @Test func writesACatalogWithoutFindings() throws {
    var fixture = CheckFixture()
    fixture.android = ["default": [("push_body", "%1$s sent you %2$s"), ("push_title", "Hello")]]
    fixture.ios = ["en": [("PUSH_BODY", "%1$@ sent you %2$@"), ("PUSH_TITLE", "Hello")]]
    let first = try FirstCatalog(android: fixture.resources.android, ios: fixture.resources.ios)
    let catalog = try Catalog.parse(Array(first.yaml.utf8), file: "catalog.yaml")
    #expect(Check(catalog, against: fixture.resources).report().findings == [])
    #expect(catalog.templates.first?.fallback?.body == "… sent you …")
  }

  @Test func writesFallbacksWithoutPlaceholders() throws {
    for (text, fallback) in [
      ("From %1$@.", "From …"), ("Up %1$@%% on %2$@", "Up … on …"), ("%1$@ %2$@", nil), ("50% of %1$@", nil),
      ("Plain.", "Plain."), ("", nil),
    ] as [(String, String?)] {
      let (_, catalog) = try catalog(ios: [("A", .string(text)), ("B", "x")])
      let made = catalog.templates.first { $0.name == "a" }?.fallback?.body
      #expect(made == fallback, "\(text)")
    }
  }

  @Test func leavesOutStringsThatNobodyTranslates() throws {
    var fixture = CheckFixture()
    fixture.android = ["default": [("push_id", "general"), ("push_body", "x"), ("push_empty", "")]]
    fixture.untranslatable = ["push_id"]
    let first = try FirstCatalog(android: fixture.resources.android, ios: nil)
    #expect(first.templateCount == 1)
  }

  @Test func aKeyBesideItsBodyIsTheTitle() throws {
    let (_, catalog) = try catalog(
      android: [("order_shipped", "Shipped"), ("order_shipped_body", "On its way"), ("alone", "x")],
      ios: [("ORDER_SHIPPED", "Shipped"), ("ORDER_SHIPPED_BODY", "On its way"), ("ALONE", "x")])
    #expect(catalog.templates.map(\.name) == ["order_shipped", "alone"])
    let slots = try #require(catalog.templates.first?.slots)
    #expect(slots.map(\.name) == [.title, .body])
    #expect(slots.map { $0.texts.android?.key } == ["order_shipped", "order_shipped_body"])
    #expect(catalog.templates.last?.slots.map(\.name) == [.body])
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
    #expect(catalog.templates.map { $0.fallback?.body } == [nil, nil, "Hi"])
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
      try catalog(android: [("a", "x")], ios: [("B", "y")])
    }
  }
}
