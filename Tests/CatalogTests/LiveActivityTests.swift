import Catalog
import FCMMessage
import JSON
import Testing

/// Templates of Live Activities: what loads, and the message for each event.
@Suite struct LiveActivityTests {
  private static let match = """
    {params: {home: {type: integer}, away: {type: number}, scorer: {type: string, optional: true}},
     live_activity: {attributes_type: MatchAttributes, attributes: {league: "1"},
       content_state: {home: {$param: home}, away: {$param: away}, last: {scorer: {$param: scorer}}, n: [1]}},
     title: {ios: GOAL_TITLE, args: [home]},
     body: {ios: GOAL_BODY, args: [home, away]}}
    """
  private static let silent = """
    {params: {home: {type: integer, optional: true}},
     live_activity: {attributes_type: A, content_state: {home: {$param: home}}}}
    """
  /// What other templates take from `defaults` has no place in a Live Activity.
  private static let defaults = """
    {priority: high, ttl: 1h, android: {notification: {channel_id: c}}, webpush: {data: {a: b}},
     apns: {headers: {apns-priority: "10", apns-collapse-id: x}, payload: {aps: {sound: default}, own: 1}}}
    """

  private func message(
    _ template: String, args: JSON, _ activity: ActivityRequest, defaults: String = "{}",
    _ change: (inout AssemblyRequest) -> Void = { _ in }
  ) throws -> JSON {
    var request = AssemblyRequest(template: "t", args: args.object ?? .init(), activity: activity)
    change(&request)
    let catalog = try Fixture.catalog(template: template, defaults: defaults)
    let values = SealedMessage.PlaceholderValues(
      deliveryID: "id", ttlSeconds: 60, expiration: 1_800_000_060, activityTimestamp: 1_800_000_000)
    let message = try JSON.parse(
      try catalog.assemble(request).get().message.message(to: .token("phone"), values: values))
    #expect(MessageRules.violations(inMessage: message) == [])
    #expect(MessageSchema.violations(in: message, of: .message) == [])
    return message
  }

  @Test func startsAnActivityAsTheDocumentsShow() throws {
    let activity = ActivityRequest(
      token: "80fd", event: .start, staleDate: 1_800_003_600, relevanceScore: JSON.Number(75))
    let found = try message(Self.match, args: ["home": 2, "away": "1.50", "scorer": "Ada"], activity)
    let expected: JSON = [
      "token": "phone",
      "apns": [
        "live_activity_token": "80fd", "headers": ["apns-priority": "10"],
        "payload": [
          "aps": [
            "timestamp": 1_800_000_000, "event": "start", "stale-date": 1_800_003_600, "relevance-score": 75,
            "content-state": try JSON.parse(#"{"home":2,"away":1.50,"last":{"scorer":"Ada"},"n":[1]}"#),
            "attributes-type": "MatchAttributes", "attributes": ["league": "1"],
            "alert": [
              "title": ["loc-key": "GOAL_TITLE", "loc-args": ["2"]],
              "body": ["loc-key": "GOAL_BODY", "loc-args": ["2", "1.50"]],
            ],
          ]
        ],
      ],
    ]
    #expect(found == expected)
  }

  @Test func updatesAndEndsWithoutAttributes() throws {
    for event in [ActivityEvent.update, .end] {
      let activity = ActivityRequest(token: "a", event: event, dismissalDate: event == .end ? 0 : nil)
      let found = try message(
        Self.match, args: ["home": 2, "away": 1], activity, defaults: Self.defaults)
      let aps = try #require(found["apns"]?["payload"]?["aps"]?.object)
      let dates = event == .end ? ["dismissal-date"] : []
      #expect(aps.map(\.key) == ["timestamp", "event"] + dates + ["content-state", "alert"])
      #expect(aps["content-state"] == ["home": 2, "away": 1, "n": [1]])
      #expect(found.object?.map(\.key) == ["token", "apns"])
      #expect(found["apns"]?["payload"]?["own"] == 1)
      #expect(found["apns"]?["headers"] == ["apns-priority": "10", "apns-expiration": "1800000060"])
    }
  }

  @Test func keepsAnEmptyState() throws {
    let found = try message(Self.silent, args: [:], .example(), defaults: Self.defaults)
    #expect(found["apns"]?["payload"]?["aps"]?["content-state"] == [:])
    #expect(found["apns"]?["payload"]?["aps"]?["alert"] == nil)
  }

  /// APNs counts messages of priority 10 against a budget.
  @Test func choosesThePriority() throws {
    func priority(
      _ template: String, _ requested: String? = nil, args: JSON = ["home": 1]
    ) throws -> String? {
      let found = try message(template, args: args, .example(), defaults: Self.defaults) {
        $0.priority = requested
      }
      return found["apns"]?["headers"]?["apns-priority"]?.string
    }
    #expect(try priority(Self.silent) == "5")
    #expect(try priority(Self.silent, "high") == "10")
    #expect(try priority(Self.match, args: ["home": 1, "away": 1]) == "10")
    #expect(try priority(Self.match, "normal", args: ["home": 1, "away": 1]) == "5")
    #expect(try priority("{priority: high, " + Self.silent.dropFirst()) == "10")
    let header = #"{apns: {headers: {apns-priority: "10"}}, "#
    #expect(try priority(header + Self.silent.dropFirst()) == "10")
    let alert = "{apns: {payload: {aps: {alert: {title: Goal, sound: default}}}}, "
    #expect(try priority(alert + Self.silent.dropFirst()) == "10")
    let variants = Self.silent.dropLast() + ", title: {variants: [{when: {home: 1}, ios: K}]}}"
    #expect(try priority(String(variants).replacing(", optional: true", with: "")) == "10")
    #expect(try priority(String(variants).replacing(", optional: true", with: ""), args: ["home": 2]) == "5")
  }

  @Test func onlyAnAlertStartsAnActivity() throws {
    let errors = try Fixture.inputErrors(template: Self.silent) { $0.activity = .example(.start) }
    #expect(errors.count == 1)
    #expect(errors.first?.hasPrefix("/live_activity/event invalid: only a message with an alert") == true)
    #expect(try Fixture.inputErrors(template: Self.silent) { $0.activity = .example(.end) } == [])
  }

  @Test func countsTheWholeMessage() throws {
    let template = """
      {params: {s: {type: string}}, live_activity: {attributes_type: A, content_state: {s: {$param: s}}}}
      """
    let catalog = try Fixture.catalog(template: template)
    func size(_ count: Int) -> Result<AssembledMessage, AssemblyError> {
      catalog.assemble(
        AssemblyRequest(
          template: "t", args: .init([("s", .string(String(repeating: "x", count: count)))]),
          activity: .example()))
    }
    let base = try size(0).get().byteCount
    #expect(try size(4096 - base).get().byteCount == 4096)
    #expect(throws: AssemblyError.self) { try size(4097 - base).get() }
    let bounded = template.replacing("type: string", with: "type: string, max_length: 1000")
    #expect(try Fixture.catalog(template: bounded).template("t")?.longestMessageBytes ?? 0 > 4096)
  }

  @Test(arguments: [
    ("{live_activity: {content_state: {}}}", "attributes_type"),
    ("{live_activity: {attributes_type: A}}", "content_state"),
    ("{live_activity: {attributes_type: A, content_state: [1]}}", "must be an object"),
    ("{live_activity: {attributes_type: A, content_state: {a: {$param: b}}}}", "unknown param"),
    ("{live_activity: {attributes_type: A, content_state: {}, state: {}}}", "unknown field"),
    ("{android: {priority: high}, live_activity: {attributes_type: A, content_state: {}}}", "only iPhones"),
    ("{webpush: {data: {a: b}}, live_activity: {attributes_type: A, content_state: {}}}", "only iPhones"),
    ("{collapse_key: k, live_activity: {attributes_type: A, content_state: {}}}", "not collapsed"),
    ("{subtitle: {ios: K}, live_activity: {attributes_type: A, content_state: {}}}", "no subtitle"),
    ("{title: {android: k}, live_activity: {attributes_type: A, content_state: {}}}", "Android has no"),
    (
      "{apns: {payload: {aps: {event: end}}}, live_activity: {attributes_type: A, content_state: {}}}",
      "set by each request"
    ),
    (
      "{apns: {payload: {aps: {attributes: {}}}}, live_activity: {attributes_type: A, content_state: {}}}",
      "set by live_activity"
    ),
    (
      "{apns: {payload: {aps: {sound: s}}}, live_activity: {attributes_type: A, content_state: {}}}",
      "belongs in alert"
    ),
    (
      "{apns: {payload: {aps: {alert: {loc-key: K}}}}, live_activity: {attributes_type: A, content_state: {}}}",
      "only title, body and sound"
    ),
    (
      "{apns: {headers: {apns-priority: '1'}}, live_activity: {attributes_type: A, content_state: {}}}",
      "must be 10 or 5"
    ),
    (
      "{apns: {live_activity_token: a}, live_activity: {attributes_type: A, content_state: {}}}",
      "each request has the token"
    ),
  ])
  func refusesWhatNoPhoneShows(_ template: String, _ problem: String) {
    let problems = Fixture.problems(template: template)
    #expect(problems.contains { $0.contains(problem) }, "\(problems)")
  }
}
