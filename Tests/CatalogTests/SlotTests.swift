import Catalog
import JSON
import Testing

@Suite struct SlotTests {
  private let variants = """
    {params: {count: {type: integer}, sender: {type: string}, vip: {type: boolean, default: false}},
     body: {android: many, ios: MANY, args: [count, sender], variants: [
       {when: {count: 0}, android: none, ios: NONE},
       {when: {count: 1, vip: true}, android: one_vip, args: [sender]},
       {when: {count: 1}, android: {key: one, args: [sender, sender]}, ios: ONE, args: [sender]}]}}
    """

  private func bodies(_ args: JSON) throws -> [JSON?] {
    let message = try Fixture.message(template: variants + "", args: args)
    let android = message["android"]?["notification"]
    let alert = message["apns"]?["payload"]?["aps"]?["alert"]
    return [android?["body_loc_key"], android?["body_loc_args"], alert?["loc-key"], alert?["loc-args"]]
  }

  @Test func usesTheFirstVariantThatMatches() throws {
    #expect(try bodies(["count": 3, "sender": "Bob"]) == ["many", ["3", "Bob"], "MANY", ["3", "Bob"]])
    #expect(try bodies(["count": 0, "sender": "Bob"]) == ["none", nil, "NONE", nil])
    #expect(
      try bodies(["count": 1, "sender": "Bob"]) == ["one", ["Bob", "Bob"], "ONE", ["Bob"]])
  }

  @Test func keepsTheSlotsTextWhenAVariantNamesNoKeyForAPlatform() throws {
    #expect(
      try bodies(["count": 1, "sender": "Bob", "vip": true]) == ["one_vip", ["Bob"], "MANY", ["1", "Bob"]])
  }

  @Test func comparesVariantValuesByTheParamsType() throws {
    let template = """
      {params: {s: {type: string}, n: {type: number}}, title: {android: a, variants: [
        {when: {s: "é"}, android: b}, {when: {n: 1.50}, android: c}]}}
      """
    func key(_ args: JSON) throws -> String? {
      let message = try Fixture.message(template: template, args: args)
      return message["android"]?["notification"]?["title_loc_key"]?.string
    }
    #expect(try key(["s": "é", "n": 1]) == "b")
    #expect(try key(["s": "e\u{301}", "n": 1]) == "a")
    #expect(try key(["s": "x", "n": "1.5"]) == "c")
  }

  @Test func omitsTextsOfVariantsThatDoNotMatch() throws {
    let template = """
      {params: {n: {type: integer}}, title: {variants: [{when: {n: 1}, android: one, ios: ONE}]},
       data: {a: b}}
      """
    let none = try Fixture.message(template: template, args: ["n": 2])
    #expect(none["android"] == nil)
    #expect(none["apns"]?["payload"] == nil)
    let one = try Fixture.message(template: template, args: ["n": 1])
    #expect(one["android"]?["notification"]?["title_loc_key"] == "one")
  }

  @Test func hasASubtitleOnlyOnIPhones() throws {
    let message = try Fixture.message(
      template: "{params: {p: {type: string}}, subtitle: {ios: S, args: [p]}, fallback: {subtitle: s}}",
      args: ["p": "x"])
    #expect(message["android"] == nil)
    #expect(message["webpush"] == nil)
    #expect(
      message["apns"]?["payload"]?["aps"]?["alert"]
        == ["subtitle": "s", "subtitle-loc-key": "S", "subtitle-loc-args": ["x"]])
    #expect(
      Fixture.problems(template: "{subtitle: {android: s, ios: S}}") == [
        "catalog.yaml:4:27: templates.t.subtitle.android: Android has no subtitle; "
          + "name only an ios key"
      ])
  }

  @Test func letsPlatformsDifferInKeyAndOrder() throws {
    let message = try Fixture.message(
      template: """
        {params: {a: {type: string}, b: {type: string}},
         title: {android: {key: k, args: [b, a]}, ios: {key: K}, args: [a, b]}}
        """, args: ["a": "1", "b": "2"])
    #expect(message["android"]?["notification"]?["title_loc_args"] == ["2", "1"])
    #expect(message["apns"]?["payload"]?["aps"]?["alert"]?["title-loc-args"] == ["1", "2"])
  }

  @Test func showsTheFallbackWithoutAKey() throws {
    let message = try Fixture.message(
      template: """
        {title: {android: k}, fallback: {title: "Hi \\"you\\"", body: B}, device_identity: false,
         webpush: {notification: {title: Web, icon: i}}}
        """)
    #expect(message["android"]?["notification"] == ["title_loc_key": "k"])
    #expect(message["notification"] == nil)
    #expect(message["apns"] == ["payload": ["aps": ["alert": ["title": "Hi \"you\"", "body": "B"]]]])
    #expect(message["webpush"] == ["notification": ["title": "Web", "icon": "i", "body": "B"]])
  }

  @Test func checksSlotsAtLoad() {
    #expect(
      Fixture.problems(
        """
        version: 1
        templates:
          t:
            params: {sender: {type: string}, n: {type: integer, max: 5}}
            title: {}
            body:
              android: {kee: k, args: [sendr]}
              ios: 5
              variants:
                - {when: {n: one}, android: a}
                - {when: {m: 1}, android: a}
                - {when: {n: 6}, android: a}
                - {when: {}, android: a}
                - {android: a}
                - {when: {n: 1}}
            fallback: {title: "", text: x}
        """) == [
          "catalog.yaml:5:12: templates.t.title: names no key; add android, ios or both",
          "catalog.yaml:7:16: templates.t.body.android.key: missing",
          "catalog.yaml:7:17: templates.t.body.android.kee: unknown field; did you mean \"key\"?",
          "catalog.yaml:7:32: templates.t.body.android.args[0]: unknown param; did you mean \"sender\"?",
          "catalog.yaml:8:12: templates.t.body.ios: expected a string, not an integer; "
            + "put it in quotes if you mean text",
          "catalog.yaml:10:22: templates.t.body.variants[0].when.n: must be an integer, not a string",
          "catalog.yaml:11:19: templates.t.body.variants[1].when.m: unknown param; "
            + "declare it in the template's params",
          "catalog.yaml:12:22: templates.t.body.variants[2].when.n: can never match: "
            + "the param must be at most 5",
          "catalog.yaml:13:18: templates.t.body.variants[3].when: must hold at least one param and its value",
          "catalog.yaml:14:11: templates.t.body.variants[4].when: missing",
          "catalog.yaml:15:11: templates.t.body.variants[5]: names no key; add android, ios or both",
          "catalog.yaml:16:23: templates.t.fallback.title: must not be empty",
          "catalog.yaml:16:27: templates.t.fallback.text: unknown field",
        ])
  }
}
