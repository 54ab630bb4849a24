import JSON
import Testing

@testable import Catalog

/// Args for previews that are given none.
@Suite struct ExampleTests {
  @Test func takesExamplesFirst() throws {
    let catalog = try Fixture.catalog(
      template: """
        {params: {a: {type: string, example: Zoë}, b: {type: number, example: "11.80"},
                  c: {type: integer, default: 7}, d: {type: string, optional: true},
                  e: {type: string, optional: true, example: x}, f: {type: integer, default: 7, example: 8}},
         data: {d: {$param: d}, e: {$param: e}}}
        """)
    let args = try #require(catalog.template("t")).exampleArgs
    #expect(try JSON.object(args) == ["a": "Zoë", "b": JSON.parse("11.80"), "e": "x", "f": 8])
  }

  @Test func makesValuesUpWithinTheLimits() throws {
    let catalog = try Fixture.catalog(
      template: """
        {params: {sender: {type: string, max_length: 2}, room_name: {type: string}, city: {type: string},
                  i: {type: integer, min: 5.5}, j: {type: integer, max: -5}, n: {type: number}, b: {type: boolean},
                  x: {type: string, enum: [q, r]}, z: {type: string, max_length: 0}}}
        """)
    let args = try #require(catalog.template("t")).exampleArgs
    #expect(
      try JSON.object(args) == [
        "sender": "Bo", "room_name": "Alice", "city": "City", "i": 6, "j": -5, "n": JSON.parse("12.5"),
        "b": true, "x": "q", "z": "",
      ])
    #expect(throws: Never.self) { try catalog.assemble(AssemblyRequest(template: "t", args: args)).get() }
  }

  @Test(arguments: [
    "android: {notification: {image: {$param: p}}}", "android: {notification: {color: {$param: p}}}",
    "android: {ttl: {$param: p}}", "android: {notification: {event_time: {$param: p}}}",
    "android: {notification: {visibility: {$param: p}}}", "webpush: {fcm_options: {link: {$param: p}}}",
    "android: {priority: {$param: p}}", "apns: {headers: {apns-push-type: {$param: p}}}",
    "apns: {payload: {aps: {interruption-level: {$param: p}}}}", "data: {p: {$param: p}}",
  ])
  func makesUpWhatFCMAccepts(_ field: String) throws {
    let catalog = try Fixture.catalog(template: "{params: {p: {type: string}}, body: {ios: K}, \(field)}")
    let args = try #require(catalog.template("t")).exampleArgs
    #expect(throws: Never.self) { try catalog.assemble(AssemblyRequest(template: "t", args: args)).get() }
  }

  @Test func checksExamplesAtLoad() {
    for (param, message) in [
      ("{type: string, max_length: 2, example: abc}", "must have at most 2 characters"),
      ("{type: integer, example: x}", "must be an integer"),
      ("{type: integer, max: 3, example: 4}", "at most 3"),
      ("{type: string, enum: [a], example: b}", "must be one of a"),
    ] {
      let problems = Fixture.problems(template: "{params: {p: \(param)}, data: {p: {$param: p}}}")
      #expect(problems.count == 1 && problems[0].contains(message), "\(param): \(problems)")
    }
    let rejected = Fixture.problems(
      template: "{params: {p: {type: string, example: red}}, android: {notification: {color: {$param: p}}}}")
    #expect(rejected.count == 1 && rejected[0].contains("cannot be red"), "\(rejected)")
  }
}
