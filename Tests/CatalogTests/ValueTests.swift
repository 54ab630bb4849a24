import FCMMessage
import JSON
import Testing

@testable import Catalog

/// `{$param: NAME}` in the messages of a template.
@Suite struct ValueTests {
  private static let template = """
    {params: {s: {type: string, optional: true}, i: {type: integer, optional: true},
              n: {type: number, optional: true}, b: {type: boolean, optional: true}},
     data: {s: {$param: s}, i: {$param: i}, n: {$param: n}, b: {$param: b}, fixed: "1"},
     android: {notification: {image: {$param: s}, notification_count: {$param: i}, sticky: {$param: b},
       light_settings: {color: {red: {$param: n}, green: 1}, light_on_duration: 1s, light_off_duration: 1s}}},
     apns: {payload: {aps: {badge: {$param: i}, content-available: {$param: i}, alert: {title: {$param: s}}},
       own: {s: {$param: s}, list: [1, {$param: n}, {deep: {b: {$param: b}}}, null]}}},
     webpush: {notification: {tag: {$param: i}}, fcm_options: {link: {$param: s}}},
     device_identity: false}
    """

  @Test func writesEachArgAsTheTypeOfItsField() throws {
    let message = try Fixture.message(
      template: Self.template, args: ["s": "https://a/b", "i": 1, "n": "0.50", "b": true])
    let half = try JSON.parse("0.50")
    #expect(
      message == [
        "data": ["s": "https://a/b", "i": "1", "n": "0.50", "b": "true", "fixed": "1"],
        "android": [
          "notification": [
            "image": "https://a/b", "notification_count": 1, "sticky": true,
            "light_settings": [
              "color": ["red": half, "green": 1], "light_on_duration": "1s", "light_off_duration": "1s",
            ],
          ]
        ],
        "apns": [
          "payload": [
            "aps": ["alert": ["title": "https://a/b"], "badge": 1, "content-available": 1],
            "own": ["s": "https://a/b", "list": [1, half, ["deep": ["b": true]], nil]],
          ]
        ],
        "webpush": ["notification": ["tag": 1], "fcm_options": ["link": "https://a/b"]],
      ])
  }

  @Test func writesAnyTypeAsTextWhereAppleWantsAString() throws {
    let template = """
      {params: {i: {type: integer}},
       apns: {payload: {aps: {thread-id: {$param: i}, category: {$param: i},
         alert: {title: {$param: i}, loc-key: K, loc-args: [{$param: i}]}}}}, device_identity: false}
      """
    let message = try Fixture.message(template: template, args: ["i": 42])
    #expect(
      message["apns"]?["payload"]?["aps"] == [
        "alert": ["title": "42", "loc-key": "K", "loc-args": ["42"]], "thread-id": "42", "category": "42",
      ])
  }

  @Test func leavesOutWhatIsNotGivenWithTheObjectsThatThisEmpties() throws {
    let message = try Fixture.message(template: Self.template)
    #expect(
      message == [
        "data": ["fixed": "1"],
        "android": [
          "notification": [
            "light_settings": [
              "color": ["green": 1], "light_on_duration": "1s", "light_off_duration": "1s",
            ]
          ]
        ],
        "apns": ["payload": ["own": ["list": [1, nil]]]],
      ])
    let empty = try Fixture.message(
      template: """
        {params: {s: {type: string, optional: true}}, data: {s: {$param: s}},
         android: {notification: {image: {$param: s}}}, apns: {payload: {own: {a: {b: {$param: s}}}}}}
        """)
    #expect(empty == [:])
  }

  @Test func escapesArgs() throws {
    let text = "a\"\\\n\u{1}é\u{202E}"
    let message = try Fixture.message(
      template: "{params: {s: {type: string}}, data: {s: {$param: s}}, apns: {payload: {o: {$param: s}}}}",
      args: ["s": .string(text)])
    #expect(message == ["data": ["s": .string(text)], "apns": ["payload": ["o": .string(text)]]])
  }

  @Test func takesDefaultsForTemplatesThatHaveTheParam() throws {
    let defaults = """
      {apns: {payload: {aps: {badge: {$param: badge}, sound: {$param: sound}}}}, data: {b: {$param: badge}}}
      """
    let with = try Fixture.message(
      template: "{params: {badge: {type: integer}}, device_identity: false, body: {ios: K}}",
      defaults: defaults, args: ["badge": 3])
    #expect(
      with == [
        "data": ["b": "3"], "apns": ["payload": ["aps": ["alert": ["loc-key": "K"], "badge": 3]]],
      ])
    let without = try Fixture.message(
      template: "{device_identity: false, body: {ios: K}}", defaults: defaults)
    #expect(without == ["apns": ["payload": ["aps": ["alert": ["loc-key": "K"]]]]])
    let overridden = try Fixture.message(
      template: """
        {params: {badge: {type: integer}}, device_identity: false, body: {ios: K},
         apns: {payload: {aps: {badge: 7}}}, data: {b: null}}
        """, defaults: defaults, args: ["badge": 3])
    #expect(overridden == ["apns": ["payload": ["aps": ["alert": ["loc-key": "K"], "badge": 7]]]])
  }

  @Test func replacesObjectsOfDefaultsAsAWhole() throws {
    let template = """
      {params: {s: {type: string}}, device_identity: false,
       apns: {payload: {aps: {sound: {$param: s}, alert: {title: T}}}}}
      """
    let message = try Fixture.message(
      template: template, defaults: "{apns: {payload: {aps: {sound: {name: a, critical: 1}}}}}",
      args: ["s": "b"])
    #expect(message["apns"]?["payload"]?["aps"]?["sound"] == "b")
  }

  @Test func fillsTheFieldsThatARequestCanSet() throws {
    let template = """
      {params: {key: {type: string, optional: true}, label: {type: string, optional: true},
         ttl: {type: string, optional: true}, id: {type: string, optional: true}},
       ttl: null, collapse_key: own, body: {android: k, ios: K},
       android: {collapse_key: {$param: key}, notification: {tag: {$param: key}}, ttl: {$param: ttl}},
       apns: {headers: {apns-collapse-id: {$param: id}}}, fcm_options: {analytics_label: {$param: label}}}
      """.replacing("ttl: null, ", with: "")
    let all = try Fixture.message(
      template: template, args: ["key": "k1", "label": "l1", "ttl": "90s", "id": "i1"])
    #expect(all["android"]?["collapse_key"] == "k1")
    #expect(all["android"]?["notification"]?["tag"] == "k1")
    #expect(all["android"]?["ttl"] == "86400s")
    #expect(all["apns"]?["headers"]?["apns-collapse-id"] == "i1")
    #expect(all["apns"]?["headers"]?["apns-expiration"] == "1800000000")
    #expect(all["fcm_options"] == ["analytics_label": "l1"])
    let none = try Fixture.message(template: template)
    #expect(none["android"]?["collapse_key"] == "own")
    #expect(none["android"]?["notification"]?["tag"] == "own")
    #expect(none["android"]?["ttl"] == nil)
    #expect(none["apns"]?["headers"] == ["apns-collapse-id": "own"])
    #expect(none["fcm_options"] == nil)
  }

  @Test func takesTheTTLFromAParam() throws {
    let template =
      "{params: {ttl: {type: string, optional: true}}, android: {ttl: {$param: ttl}}, body: {ios: K}}"
    let catalog = try Fixture.catalog(template: template, defaults: "{ttl: 1h}")
    func ttl(_ args: JSON.Object, request: Int? = nil) throws -> Int? {
      try catalog.assemble(AssemblyRequest(template: "t", args: args, ttlSeconds: request)).get().ttlSeconds
    }
    #expect(try ttl(.init([("ttl", "90.5s")])) == 90)
    #expect(try ttl(.init()) == 3600)
    #expect(try ttl(.init([("ttl", "90s")]), request: 7) == 7)
    let own = try Fixture.catalog(
      template: "{params: {ttl: {type: string}}, ttl: 5s, body: {ios: K}}",
      defaults: "{android: {ttl: {$param: ttl}}}")
    #expect(
      try own.assemble(AssemblyRequest(template: "t", args: .init([("ttl", "90s")]))).get().ttlSeconds == 5)
  }

  @Test func decidesByTheArgsWhetherAnIPhoneDisplaysAnything() throws {
    let template = """
      {params: {badge: {type: integer, optional: true}, wake: {type: integer}}, priority: high, data: {a: b},
       apns: {payload: {aps: {badge: {$param: badge}, content-available: {$param: wake}}}}}
      """
    let silent = try Fixture.message(template: template, args: ["wake": 1])
    #expect(silent["apns"]?["headers"] == ["apns-priority": "5"])
    let shown = try Fixture.message(template: template, args: ["wake": 1, "badge": 2])
    #expect(shown["apns"]?["headers"]?["apns-priority"] == "10")
    #expect(shown["apns"]?["headers"]?["apns-collapse-id"] != nil)
    #expect(
      try Fixture.message(template: template, args: ["wake": 0])["apns"]?["headers"]?["apns-priority"] == "10"
    )
  }

  @Test func neverMatchesAVariantWithAnArgThatIsLeftOut() throws {
    let template = """
      {params: {n: {type: integer, optional: true}}, data: {n: {$param: n}},
       body: {ios: K, variants: [{when: {n: 0}, ios: ZERO}]}}
      """
    let alert = { (args: JSON) in
      try Fixture.message(template: template, args: args)["apns"]?["payload"]?["aps"]?["alert"]
    }
    #expect(try alert(["n": 0]) == ["loc-key": "ZERO"])
    #expect(try alert([:]) == ["loc-key": "K"])
  }

  @Test func countsValuesTowardsTheSize() throws {
    let catalog = try Fixture.catalog(
      template: "{params: {s: {type: string, max_length: 5000}}, data: {s: {$param: s}}, body: {ios: K}}")
    #expect(try #require(catalog.template("t")).longestMessageBytes > SealedMessage.byteCountMax)
    let long = AssemblyRequest(
      template: "t", args: .init([("s", .string(String(repeating: "x", count: 4100)))]))
    guard case .failure(let error) = catalog.assemble(long) else {
      Issue.record("accepted")
      return
    }
    #expect(error.code == .messageTooLarge && error.inputErrors.isEmpty)
    let short = try Fixture.catalog(
      template: "{params: {i: {type: integer}}, data: {s: {$param: i}}, body: {ios: K}}")
    let fixed = try Fixture.catalog(
      template: "{data: {s: \"-9223372036854775808\"}, body: {ios: K}}")
    #expect(short.template("t")?.longestMessageBytes == fixed.template("t")?.longestMessageBytes)
  }

  /// What `defaults` leave out for want of a param conflicts with nothing.
  @Test(arguments: [
    "notification: {title: {$param: zz}}", "android: {notification: {title: {$param: zz}}}",
    "android: {notification: {title_loc_key: {$param: zz}}}",
    "apns: {payload: {aps: {alert: {$param: zz}}}}", "apns: {payload: {aps: {alert: {title: {$param: zz}}}}}",
    "apns: {payload: {aps: {alert: {title-loc-key: {$param: zz}}}}}",
  ])
  func aDefaultWithoutItsParamConflictsWithNothing(defaults: String) throws {
    let slots = "title: {android: k, ios: K}, fallback: {title: T}"
    let message = try Fixture.message(template: "{\(slots)}", defaults: "{\(defaults)}")
    #expect(try message == Fixture.message(template: "{\(slots)}"))
    let own = Fixture.problems(
      template: "{params: {zz: {type: string}}, \(slots)}", defaults: "{\(defaults)}")
    #expect(own.count == 1, "\(own)")
  }
}
