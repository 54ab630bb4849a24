import Catalog
import FCMMessage
import JSON
import Testing
import YAML

/// Slots whose texts are in sources.
@Suite struct SourceSlotTests {
  private static let shapes: [String: SourceShape] = [
    "a": SourceShape(number: .none, selects: [], forms: []),
    "push.new-one": SourceShape(number: .argument("count"), selects: [], forms: []),
    "who": SourceShape(number: .argument("count"), selects: ["who"], forms: []),
    "slot": SourceShape(number: .ofSlot, selects: [], forms: [{ $0 == 7 ? 1 : 0 }]),
  ]

  private func catalog(_ slots: String, sources: String = "[{arb: l10n}]") throws -> Catalog {
    let text = """
      version: 1
      resources: {sources: \(sources)}
      plurals: {languages: [en]}
      templates:
        t:
          params: {count: {type: integer}, sender: {type: string}, who: {type: string, enum: [x-y, z]}}
          \(slots)
      """
    return try Catalog.parse(Array(text.utf8), file: "c.yaml", shapesOf: { _ in { Self.shapes[$0] } })
  }

  private func problems(_ slots: String, sources: String = "[{arb: l10n}]") -> [String] {
    do {
      _ = try catalog(slots, sources: sources)
      return []
    } catch let error as CatalogError {
      return error.problems.map(\.message)
    } catch {
      return ["\(error)"]
    }
  }

  /// The keys of Android and iOS.
  private func keys(_ slots: String, _ args: [(String, JSON)]) throws -> [String?] {
    let message = try Fixture.message(
      catalog(slots), AssemblyRequest(template: "t", args: .init(args)))
    return [
      message["android"]?["notification"]?["body_loc_key"]?.string,
      message["apns"]?["payload"]?["aps"]?["alert"]?["loc-key"]?.string,
    ]
  }

  @Test func nativeNamesAreTheSameOnBothPlatforms() throws {
    let args: [(String, JSON)] = [("count", 5), ("sender", "B"), ("who", "z")]
    #expect(try keys("body: {key: a}", args) == ["a", "a"])
    #expect(
      try keys("body: {key: push.new-one, args: [count]}", args) == ["push_new_one_n2", "push_new_one_n2"])
    #expect(try keys("body: {key: unknown.é, args: [count]}", args) == ["unknown_é", "unknown_é"])
  }

  @Test func valuesAndNumbersChooseTheKey() throws {
    let slot = "body: {key: who, args: [count, who]}"
    for (value, count, key) in [
      ("x-y", 1, "who_x_y_n1"), ("z", 1, "who_z_n1"), ("z", 0, "who_z_n0"), ("x-y", 9, "who_x_y_n2"),
    ] {
      let args: [(String, JSON)] = [("count", JSON(count)), ("sender", "B"), ("who", .string(value))]
      #expect(try keys(slot, args) == [key, key])
    }
  }

  @Test func formsRefineTheClasses() throws {
    let slot = "body: {key: slot, args: [count], plural: count}"
    for (count, key) in [(0, "slot_n0"), (1, "slot_n1"), (2, "slot_n2"), (7, "slot_n7"), (8, "slot_n2")] {
      #expect(try keys(slot, [("count", JSON(count)), ("sender", "B"), ("who", "z")]) == [key, key])
    }
  }

  @Test func subtitlesAreForIPhones() throws {
    let catalog = try catalog("subtitle: {key: a}")
    #expect(catalog.template("t")?.slots.first?.texts.android == nil)
    #expect(catalog.template("t")?.slots.first?.texts.ios?.key == "a")
  }

  @Test(
    arguments: [
      ("body: {key: a, android: k}", "cannot stand beside key"),
      ("body: {key: a, ios: k}", "cannot stand beside key"),
      ("body: {key: ''}", "must not be empty"), ("body: {key: a, args: [x]}", "unknown param"),
      ("body: {key: slot, plural: count}", "must be one of the slot's args"),
      ("body: {key: slot, args: [sender], plural: sender}", "must name an integer param"),
      ("title: {key: a.b}\n    body: {key: a_b}", "leads to the native name a_b, as the key a.b does"),
      (
        "title: {key: slot, args: [count], plural: count}\n    body: {key: slot_n7}",
        "leads to the native name slot_n7"
      ),
      ("title: {key: a, args: [sender]}\n    body: {key: a}", "has other args than in line 7"),
    ])
  func mistakesAreReported(slots: String, message: String) {
    #expect(problems(slots).contains { $0.hasPrefix(message) }, "\(problems(slots))")
  }

  @Test(
    arguments: [
      ("[{arb: 'a/{locale}'}]", "must be a folder, without {locale}"),
      ("[{i18next: a.json}]", "must have {locale}"),
      ("[{gettext: po}]", "must have {locale}"), ("[{}]", "must name exactly one"),
      ("[{arb: a, compose: b}]", "must name exactly one"), ("[{arb: ''}]", "must not be empty"),
      ("[{fluent: a}]", "unknown field"), ("lib", "expected a list"), ("[]", "needs resources.sources"),
    ])
  func sourcesAreReadStrictly(sources: String, message: String) {
    #expect(problems("body: {key: a}", sources: sources).contains { $0.hasPrefix(message) })
  }
}
