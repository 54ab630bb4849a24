import FCMMessage
import JSON
import Testing

@testable import Catalog

/// Values that cannot stand where a template puts them: at load, and in a request.
@Suite struct ValueErrorTests {
  private func problems(_ field: String, params: String) -> [String] {
    Fixture.problems(template: "{params: {p: \(params)}, \(field)}")
  }

  @Test func reportsParamsOfATypeThatTheFieldCannotHave() {
    let pairings = [
      ("{type: string}", "android: {notification: {sticky: {$param: p}}}", "must be a boolean"),
      ("{type: integer}", "android: {direct_boot_ok: {$param: p}}", "must be a boolean"),
      ("{type: string}", "android: {notification: {notification_count: {$param: p}}}", "must be a number"),
      ("{type: integer}", "android: {notification: {visibility: {$param: p}}}", "must be a string"),
      ("{type: integer}", "android: {notification: {event_time: {$param: p}}}", "must be a string"),
      ("{type: number}", "android: {notification: {vibrate_timings: [{$param: p}]}}", "must be a string"),
      ("{type: integer}", "android: {ttl: {$param: p}}", "must be a string"),
      ("{type: number}", "apns: {payload: {aps: {content-available: {$param: p}}}}", "must be an integer"),
      ("{type: boolean}", "apns: {payload: {aps: {content-available: {$param: p}}}}", "must be an integer"),
      ("{type: string}", "apns: {payload: {aps: {badge: {$param: p}}}}", "must be a number"),
      ("{type: integer}", "apns: {payload: {aps: {interruption-level: {$param: p}}}}", "must be a string"),
      ("{type: boolean}", "apns: {payload: {aps: {sound: {volume: {$param: p}}}}}", "must be a number"),
      ("{type: string}", "apns: {payload: {$param: p}}", "must be an object, which no param can be"),
      (
        "{type: string}", "apns: {payload: {aps: {$param: p}}}", "must be a dictionary, which no param can be"
      ),
      ("{type: string}", "data: {$param: p}", "must be an object, which no param can be"),
      ("{type: string}", "android: {notification: {$param: p}}", "must be an object, which no param can be"),
      ("{type: string}", "android: {notification: {title_loc_args: {$param: p}}}", "must be an array, which"),
      (
        "{type: string}", "android: {notification: {imag: {$param: p}}}",
        "unknown field; did you mean \"image\""
      ),
      ("{type: string}", "data: {from: {$param: p}}", "Invalid data payload key"),
      ("{type: string}", "data: {x: {$param: q}}", "unknown param"),
      ("{type: string}", "data: {x: {$param: p, y: 1}}", "a param stands alone in its mapping"),
      ("{type: string}", "data: {x: {$param: 1}}", "a param stands alone in its mapping"),
      ("{type: string}", "apns: {payload: {o: [{$param: p, y: 1}]}}", "a param stands alone in its mapping"),
    ]
    for (params, field, message) in pairings {
      let problems = problems(field, params: params)
      #expect(problems.count == 1 && problems[0].contains(message), "\(field): \(problems)")
      #expect(problems.first?.hasPrefix("catalog.yaml:4:") == true, "\(problems)")
    }
  }

  @Test func acceptsParamsOfATypeThatTheFieldCanHave() {
    let pairings = [
      ("{type: integer}", "android: {notification: {image: {$param: p}, tag: {$param: p}}}"),
      ("{type: boolean}", "data: {x: {$param: p}}, apns: {headers: {x-custom: {$param: p}}}"),
      ("{type: number}", "android: {notification: {notification_count: {$param: p}}}"),
      (
        "{type: string}", "android: {notification: {visibility: {$param: p}, vibrate_timings: [{$param: p}]}}"
      ),
      ("{type: string}", "apns: {payload: {aps: {alert: {$param: p}, interruption-level: {$param: p}}}}"),
      ("{type: integer}", "apns: {payload: {aps: {badge: {$param: p}, mutable-content: {$param: p}}}}"),
      (
        "{type: boolean}",
        "apns: {payload: {own: {$param: p}}}, webpush: {notification: {silent: {$param: p}}}"
      ),
      (
        "{type: string}",
        "android: {notification: {title_loc_key: {$param: p}, title_loc_args: [{$param: p}]}}"
      ),
    ]
    for (params, field) in pairings { #expect(problems(field, params: params) == [], "\(field)") }
  }

  @Test func reportsPairingsOfDefaultsAtTheirLine() {
    let problems = Fixture.problems(
      """
      version: 1
      defaults:
        apns: {payload: {aps: {badge: {$param: badge}}}}
      templates:
        a: {params: {badge: {type: string}}, body: {ios: K}}
        b: {params: {badge: {type: string}}, body: {ios: K}}
        c: {body: {ios: K}}
      """)
    #expect(
      problems == [
        "catalog.yaml:3:33: templates.a.apns.payload.aps.badge: "
          + "must be a number; the param badge is a string"
      ])
  }

  @Test func reportsDeclaredValuesThatFCMRejects() {
    let color = problems(
      "android: {notification: {color: {$param: p}}}", params: "{type: string, enum: [\"#ff0000\", red]}")
    #expect(color.count == 1 && color[0].contains("cannot be red, which the param p can be"), "\(color)")
    let level = problems(
      "apns: {payload: {aps: {interruption-level: {$param: p}}}}", params: "{type: string, default: loud}")
    #expect(level.count == 1 && level[0].contains("cannot be loud"), "\(level)")
    let ttl = problems("android: {ttl: {$param: p}}", params: "{type: string, enum: [90s, 1h]}")
    #expect(ttl.count == 1 && ttl[0].contains("cannot be 1h"), "\(ttl)")
  }

  @Test func refusesOptionalParamsInTextsAndWithDefaults() {
    let text = problems("body: {ios: K, args: [p]}", params: "{type: string, optional: true}")
    #expect(text.count == 1 && text[0].contains("an optional param cannot fill a text"), "\(text)")
    let both = problems("data: {p: {$param: p}}", params: "{type: string, optional: true, default: x}")
    #expect(both.count == 1 && both[0].contains("a param with a default is never left out"), "\(both)")
    #expect(problems("data: {p: {$param: p}}", params: "{type: string, optional: maybe}").count == 1)
  }

  @Test func refusesParamsWhereSlotsStand() {
    for field in [
      "title: {android: k}, android: {notification: {title: {$param: p}}}",
      "body: {ios: K}, apns: {payload: {aps: {alert: {$param: p}}}}",
      "fallback: {title: A}, apns: {payload: {aps: {alert: {title: {$param: p}}}}}",
      "ttl: 5s, android: {ttl: {$param: p}}",
    ] {
      #expect(problems(field, params: "{type: string}").count == 1, "\(field)")
    }
  }

  @Test func answersValuesThatFCMRejectsWithTheirPointer() throws {
    let string = "{type: string}"
    let errors: [(params: String, field: String, arg: JSON)] = [
      (string, "android: {notification: {image: {$param: p}}}", "ftp://a/b"),
      (string, "android: {notification: {color: {$param: p}}}", "red"),
      (string, "android: {notification: {visibility: {$param: p}}}", "LOUD"),
      (string, "android: {notification: {event_time: {$param: p}}}", "noon"),
      (string, "android: {notification: {vibrate_timings: [1s, {$param: p}]}}", "-1s"),
      (string, "android: {priority: {$param: p}}", "urgent"),
      (string, "android: {ttl: {$param: p}}", "1h"),
      (string, "android: {ttl: {$param: p}}", "2419201s"),
      ("{type: integer}", "android: {notification: {notification_count: {$param: p}}}", 2_147_483_648),
      (
        "{type: number}", "android: {notification: {notification_count: {$param: p}}}",
        .number(.init(1.5) ?? .init(1))
      ),
      ("{type: integer}", "apns: {payload: {aps: {badge: {$param: p}}}}", -1),
      ("{type: integer}", "apns: {payload: {aps: {alert: {title: T}, content-available: {$param: p}}}}", 2),
      (string, "apns: {payload: {aps: {alert: {title: T}, interruption-level: {$param: p}}}}", "loud"),
      ("{type: number}", "apns: {payload: {aps: {alert: {title: T}, relevance-score: {$param: p}}}}", 2),
      (string, "apns: {headers: {apns-priority: {$param: p}}}", "7"),
      (
        string, "apns: {headers: {apns-collapse-id: {$param: p}}}", .string(String(repeating: "x", count: 65))
      ),
      (string, "webpush: {fcm_options: {link: {$param: p}}}", "http://a"),
      (string, "webpush: {headers: {Urgency: {$param: p}}}", "now"),
      (string, "fcm_options: {analytics_label: {$param: p}}", "a b"),
    ]
    for (params, field, arg) in errors {
      let found = try Fixture.inputErrors(
        template: "{params: {p: \(params)}, \(field)}", args: .object(.init([("p", arg)])))
      #expect(found.count == 1 && found[0].hasPrefix("/args/p invalid: FCM rejects"), "\(field): \(found)")
      #expect(!(arg.string.map { $0.utf8.count > 4 && found.joined().contains($0) } ?? false), "\(found)")
    }
  }

  @Test func appliesRulesToWhatIsLeft() throws {
    let lights = """
      {params: {color: {type: number, optional: true}, on: {type: string, optional: true}}, body: {android: k},
       android: {notification: {light_settings:
         {color: {red: {$param: color}}, light_on_duration: {$param: on}, light_off_duration: 1s}}}}
      """
    #expect(try Fixture.inputErrors(template: lights, args: ["color": 1, "on": "1s"]) == [])
    #expect(
      try Fixture.inputErrors(template: lights, args: ["on": "1s"]) == [
        "/args/color missing: FCM rejects the value in android.notification.light_settings.color: "
          + "color is required when light_settings is set."
      ])
    let silent = """
      {params: {badge: {type: integer, optional: true}}, data: {a: b},
       apns: {headers: {apns-priority: "10"}, payload: {aps: {badge: {$param: badge}, content-available: 1}}}}
      """
    #expect(try Fixture.inputErrors(template: silent, args: ["badge": 1]) == [])
    let errors = try Fixture.inputErrors(template: silent)
    #expect(errors.count == 1 && errors[0].hasPrefix("/args/badge invalid: "), "\(errors)")
    let activity = """
      {params: {score: {type: number}}, apns: {payload: {aps: {alert: {title: T}, event: update,
        content-state: {a: 1}, relevance-score: {$param: score}}}}}
      """
    #expect(try Fixture.inputErrors(template: activity, args: ["score": 100]) == [])
  }

  @Test func namesTheParamThatAMissingFieldLacks() throws {
    let template = """
      {params: {k: {type: string, optional: true}, a: {type: string}, b: {type: string, optional: true}},
       android: {notification: {body_loc_key: {$param: b}, body_loc_args: [{$param: a}],
         title_loc_args: [{$param: a}], title_loc_key: {$param: k}}}}
      """
    func pointers(_ args: JSON) throws -> [String] {
      try Fixture.inputErrors(template: template, args: args).map { String($0.prefix { $0 != ":" }) }
    }
    #expect(try pointers(["a": "A", "b": "B", "k": "K"]) == [])
    #expect(try pointers(["a": "A", "b": "B"]) == ["/args/k missing"])
    #expect(try pointers(["a": "A", "k": "K"]) == ["/args/b missing"])
    #expect(try pointers(["a": "A", "b": "B", "k": ""]) == ["/args/k missing"])
    #expect(Set(try pointers(["a": "A"])) == ["/args/k missing", "/args/b missing"])
  }

  @Test func checksTheParamsOwnLimitsFirst() throws {
    let template = """
      {params: {s: {type: string, max_length: 2, optional: true}}, data: {s: {$param: s}}}
      """
    #expect(
      try Fixture.inputErrors(template: template, args: ["s": "abc"]).first?.hasPrefix("/args/s out_of_range")
        == true)
    #expect(
      try Fixture.inputErrors(template: template, args: ["s": nil]).first?.hasPrefix("/args/s wrong_type")
        == true)
  }
}

/// What mistakes cost that no answer lists.
@Suite struct InputErrorsTests {
  @Test func mistakesBeyondThoseThatAreListedAreOnlyCounted() {
    var made = 0
    func mistake() -> InputError {
      made += 1
      return InputError(pointer: .root, code: .unknown, detail: "")
    }
    var errors = InputErrors()
    for _ in 0..<(3 * InputErrors.keptMax) { errors.append(mistake()) }
    #expect(made == InputErrors.keptMax)
    #expect(errors.count == InputErrors.keptMax)
    #expect(errors.total == 3 * InputErrors.keptMax)
    // A part of a batch whose answer has listed enough.
    InputErrors.$keptMax.withValue(1) {
      made = 0
      var few = InputErrors()
      for _ in 0..<50 { few.append(mistake()) }
      few += errors
      #expect(made == 1)
      #expect(few.count == 1)
      #expect(few.total == 50 + errors.total)
    }
  }
}
