import Catalog
import FCMMessage
import JSON
import LocaleRules
import Testing

/// Slots whose keys a number chooses.
@Suite struct PluralSlotTests {
  private static func text(_ slot: String, top: String = "plurals: {languages: [en, de, he, pl]}") -> String {
    """
    version: 1
    \(top)
    templates:
      t:
        params: {count: {type: integer}, sender: {type: string}, rate: {type: number}}
        body: \(slot)
    """
  }

  private static let slot = "{android: k, ios: K, args: [count, sender], plural: count}"

  private func keys(_ slot: String = slot, count: JSON) throws -> [String?] {
    let message = try Fixture.message(
      Fixture.catalog(Self.text(slot)),
      AssemblyRequest(template: "t", args: .init([("count", count), ("sender", "Bob"), ("rate", 1)])))
    return [
      message["android"]?["notification"]?["body_loc_key"]?.string,
      message["apns"]?["payload"]?["aps"]?["alert"]?["loc-key"]?.string,
    ]
  }

  @Test(
    arguments: [
      (0, "n0"), (1, "n1"), (2, "n2"), (3, "n3"), (4, "n3"), (5, "n5"), (11, "n5"), (21, "n5"), (22, "n3"),
      (-1, "n1"), (-22, "n3"), (112, "n5"), (Int64.max, "n5"), (.min, "n5"),
    ] as [(Int64, String)])
  func theNumberChoosesTheKey(count: Int64, suffix: String) throws {
    #expect(try keys(count: JSON(count)) == ["k_\(suffix)", "K_\(suffix)"])
  }

  @Test func theArgsStayAsTheyAre() throws {
    let message = try Fixture.message(
      Fixture.catalog(
        Self.text("{android: {key: k, args: [sender, count]}, ios: K, args: [count], plural: count}")),
      AssemblyRequest(template: "t", args: .init([("count", -2), ("sender", "Bob"), ("rate", 1)])))
    #expect(message["android"]?["notification"]?["body_loc_args"] == ["Bob", "-2"])
    #expect(message["apns"]?["payload"]?["aps"]?["alert"]?["loc-args"] == ["-2"])
  }

  @Test func variantsComeFirst() throws {
    let slot = """
      {android: k, ios: K, args: [count, sender], plural: count, variants: [
             {when: {count: 0}, android: none, args: []}, {when: {count: 2}, ios: PAIR}]}
      """
    #expect(try keys(slot, count: 0) == ["none", "K_n0"])
    #expect(try keys(slot, count: 2) == ["k_n2", "PAIR"])
    #expect(try keys(slot, count: 22) == ["k_n3", "K_n3"])
  }

  @Test func theLanguagesAreThoseOfTheResourcesUnlessListed() throws {
    let top = "resources: {android: res, ios: app}"
    let bytes = Array(Self.text(Self.slot, top: top).utf8)
    let catalog = try Catalog.parse(bytes, file: "x/catalog.yaml") { resources in
      .success(resources.android?.path == "x/res" && resources.ios?.path == "x/app" ? ["en", "ar"] : [])
    }
    let partition = catalog.templates[0].slots[0].plural?.partition
    #expect(partition?.smallestMembers == [0, 1, 2, 3, 11, 100])
    #expect(catalog.pluralLanguages == nil)
    let listed = try Catalog.parse(
      Array(Self.text(Self.slot, top: top + "\nplurals: {languages: [en, no]}").utf8), file: nil
    ) { _ in
      Issue.record("the resources are read")
      return .success([])
    }
    #expect(listed.pluralLanguages?.languages == ["en", "no"])
    #expect(listed.pluralLanguages?.line == 3)
    #expect(listed.templates[0].slots[0].plural?.partition.smallestMembers == [0, 1, 2])
  }

  @Test func aCatalogWithoutPluralsAsksForNoLanguages() throws {
    let bytes = Array(Self.text("{android: k}", top: "resources: {android: res}").utf8)
    _ = try Catalog.parse(bytes, file: nil) { _ in
      Issue.record("the resources are read")
      return .success([])
    }
  }

  @Test(arguments: [
    ("{android: k, args: [count], plural: cuont}", "plural: unknown param; did you mean \"count\"?"),
    (
      "{android: k, args: [sender], plural: sender}", "plural: must name an integer param; sender is a string"
    ),
    ("{android: k, args: [rate], plural: rate}", "plural: must name an integer param; rate is a number"),
    (
      "{android: k, args: [sender], plural: count}",
      "plural: the args of k lack count; a text could not show the number"
    ),
    (
      "{plural: count, variants: [{when: {count: 1}, android: k}]}",
      "plural: needs the name of a plural; add android, ios or both to the slot"
    ),
    ("{android: k, args: [count], plural: 5}", "plural: expected a string, not an integer"),
  ])
  func refusesASlot(slot: String, problem: String) {
    let problems = Fixture.problems(Self.text(slot))
    #expect(problems.count == 1)
    #expect(problems.first?.contains("templates.t.body.\(problem)") == true, "\(problems)")
  }

  @Test(arguments: [
    ("", "templates.t.body.plural: needs the app's languages; add resources, or plurals"),
    ("plurals: {}", "templates.t.body.plural: needs the app's languages; add resources, or plurals"),
    (
      "resources: {android: res}",
      "templates.t.body.plural: needs the app's languages, which are not known: the string resources are not read here; correct this"
    ),
    ("plurals: {languages: []}", "plurals.languages: must hold at least one language"),
    ("plurals: {languages: [en, default]}", "plurals.languages[1]: must be a BCP 47 tag such as en or pt-BR"),
    ("plurals: {languages: [en, en]}", "plurals.languages[1]: duplicate value"),
    ("plurals: {language: [en]}", "plurals.language: unknown field; did you mean \"languages\"?"),
  ])
  func refusesUnknownLanguages(top: String, problem: String) {
    let problems = Fixture.problems(Self.text(Self.slot, top: top.isEmpty ? "defaults: {}" : top))
    #expect(problems.contains { $0.contains(problem) }, "\(problems)")
  }

  @Test func theLongestMessageHasTheLongestKey() throws {
    func bytes(_ languages: String) throws -> Int {
      try Fixture.catalog(
        """
        version: 1
        plurals: {languages: [\(languages)]}
        templates: {t: {params: {n: {type: integer}}, body: {android: k, ios: K, args: [n], plural: n}}}
        """
      ).templates[0].longestMessageBytes
    }
    // k_n1000000 and K_n1000000 beside k_n2 and K_n2.
    #expect(try bytes("en, fr") == bytes("en") + 12)
  }
}
