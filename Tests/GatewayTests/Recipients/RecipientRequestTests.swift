import Foundation
import Gateway
import JSON
import TestSupport
import Testing

/// `recipient` and `render` of requests.
@Suite(.blocking) struct RecipientRequestTests {
  private static let resources = [
    "res/values/strings.xml": #"<resources><string name="k">Hi %1$s</string></resources>"#,
    "res/values-fr/strings.xml": #"<resources><string name="k">Salut %1$s</string></resources>"#,
    "old.json": #"{"platform":"android","version":"4.0","locales":{"default":{}},"problems":[]}"#,
    "newer.json": """
    {"platform": "android", "version": "4.5", "problems": [], "locales": {
      "default": {"k": {"kind": "string", "text": "Hello %1$s", "file": "app.apk", "line": null}},
      "fr": {"k": {"kind": "string", "text": "Bonjour %1$s", "file": "app.apk", "line": null}}}}
    """,
  ]

  private static let catalog = """
    version: 1
    resources: {android: res, development_language: en}
    releases: {android: [{version: 4.0, resources: old.json}, {version: 4.5, resources: newer.json}]}
    templates:
      t: {params: {name: {type: string}}, body: {android: k, args: [name]}}
      safe: {params: {name: {type: string}}, body: {android: k, args: [name]}, fallback: {body: News.}}
      written: {params: {name: {type: string}}, render: gateway, body: {android: k, args: [name]}}
    """

  /// Runs `body` with the app above.
  static func run(_ body: (GatewayFixture) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    for (name, text) in resources { try folder.write(text, to: name) }
    try folder.write(catalog, to: "catalog.yaml")
    try await GatewayFixture.run(adjust: { $0.apps[0].catalog = "\(folder.path)/catalog.yaml" }, body)
  }

  private func request(_ recipient: JSON?, _ render: String? = nil, template: String = "t") -> JSON {
    var object = JSON.Object([
      ("template", .string(template)), ("to", ["token": "phone"]), ("args", ["name": "Bob"]),
    ])
    object["recipient"] = recipient
    object["render"] = render.map(JSON.string)
    return .object(object)
  }

  /// What the phone gets: its body, as a key or as a text.
  private func sent(_ fixture: GatewayFixture, _ request: JSON) async throws -> String? {
    let answer = try fixture.client.post("/v1/notifications", request)
    #expect(answer.status == 202, "\(answer.text)")
    _ = try await fixture.settled(answer.json["id"]?.string ?? "")
    let notification = try fixture.inbox().first?["android"]?["notification"]
    return notification?["body_loc_key"]?.string.map { "[\($0)]" } ?? notification?["body"]?.string
  }

  @Test func eachRequestIsForItsOwnRecipient() async throws {
    try await Self.run { fixture in
      let plain = try await sent(fixture, request(nil))
      #expect(plain == "[k]")
      let old: JSON = ["platform": "android", "app_version": "4.2", "locale": "fr-CA"]
      #expect(try await sent(fixture, request(old)) == "Salut Bob")
      let list: JSON = ["platform": "android", "app_version": "4.2", "locale": ["tlh", "fr"]]
      #expect(try await sent(fixture, request(list)) == "Salut Bob")
      #expect(try await sent(fixture, request(old, "device")) == "[k]")
      #expect(try await sent(fixture, request(["locale": "de"], "gateway")) == "Hi Bob")
      #expect(try await sent(fixture, request(["locale": "fr"], template: "written")) == "Salut Bob")
      #expect(try await sent(fixture, request(nil, "device", template: "written")) == "[k]")
    }
  }

  @Test func refusesWhatNoTextCanBeMadeOf() async throws {
    try await Self.run { fixture in
      let old: JSON = ["platform": "android", "app_version": "4.0"]
      let answer = try fixture.client.post("/v1/notifications", request(old))
      #expect(answer.status == 422)
      #expect(answer.json["type"] == "/problems/not-renderable")
      #expect(answer.json["errors"]?[0]?["detail"]?.string?.contains("slot body") == true)
      #expect(try fixture.client.get("/problems/not-renderable").status == 200)
      #expect(try fixture.client.get("/v1/stats").json["deliveries"]?["sent"] == 0)
      #expect(try fixture.client.get("/v1/notifications").json["notifications"] == [])
      #expect(try await sent(fixture, request(old, template: "safe")) == "News.")
      let missing = try fixture.client.post(
        "/v1/notifications", request(["platform": "android"], template: "written"))
      #expect(missing.status == 422)
      #expect(missing.json["errors"]?[0]?["pointer"] == "/recipient/locale")
      #expect(missing.json["errors"]?[0]?["code"] == "missing")
    }
  }

  @Test func aBatchHasARecipientForEachItem() async throws {
    try await Self.run { fixture in
      let fr: JSON = ["platform": "android", "app_version": "4.0", "locale": "fr"]
      let old: JSON = ["platform": "android", "app_version": "4.0"]
      let items = [request(fr), request(old), request(nil, template: "written"), request(["platform": 1])]
      let answer = try fixture.client.post(
        "/v1/notifications/batch", ["notifications": .array(items)])
      #expect(answer.status == 202)
      #expect(answer.json["accepted"] == 1)
      let results = answer.json["results"]?.array ?? []
      #expect(results[1]["problem"]?["type"] == "/problems/not-renderable")
      #expect(results[1]["problem"]?["errors"]?[0]?["pointer"] == "/notifications/1/template")
      #expect(results[2]["problem"]?["errors"]?[0]?["pointer"] == "/notifications/2/recipient/locale")
      #expect(results[3]["problem"]?["errors"]?[0]?["pointer"] == "/notifications/3/recipient/platform")
      _ = try await fixture.settled(results[0]["id"]?.string ?? "")
      #expect(try fixture.inbox().first?["android"]?["notification"]?["body"] == "Salut Bob")
    }
  }

  @Test func reportsEveryMistakeInARecipient() async throws {
    try await Self.run { fixture in
      let recipient: JSON = [
        "platform": "windows", "app_version": "new", "locale": ["fr", 1, "f"], "phone": 1,
      ]
      let answer = try fixture.client.post("/v1/notifications", request(recipient, "both"))
      let errors = (answer.json["errors"]?.array ?? []).map {
        "\($0["pointer"]?.string ?? "") \($0["code"]?.string ?? "")"
      }
      #expect(
        errors.sorted() == [
          "/recipient/app_version invalid", "/recipient/locale/1 wrong_type", "/recipient/locale/2 invalid",
          "/recipient/phone unknown", "/recipient/platform invalid", "/render invalid",
        ])
      for bad: JSON in [[], 1, "", .array(Array(repeating: "fr", count: 21))] {
        let answer = try fixture.client.post("/v1/notifications", request(["locale": bad]))
        #expect(answer.json["errors"]?[0]?["pointer"] == "/recipient/locale", "\(answer.text)")
        // It is not missing too.
        let once = try fixture.client.post("/v1/notifications", request(["locale": bad], "gateway"))
        #expect(once.json["errors"]?.array?.count == 1, "\(once.text)")
      }
      #expect(try fixture.client.post("/v1/notifications", request("fr")).status == 422)
    }
  }

  @Test func validatesTheRecipientsMessage() async throws {
    try await Self.run { fixture in
      var body = request(["locale": "fr", "platform": "android"], "gateway").object ?? .init()
      body["validate_only"] = true
      let answer = try fixture.client.post("/v1/notifications", .object(body))
      #expect(answer.json["valid"] == true)
      #expect(
        answer.json["deliveries"]?[0]?["message"]?["android"]?["notification"]?["body"] == "Salut Bob")
    }
  }

  @Test func previewsAReleaseOfTheApp() async throws {
    try await Self.run { fixture in
      func makers(_ body: JSON) throws -> [String] {
        let answer = try fixture.client.post("/v1/templates/t/preview", body)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json["previews"]?.array?.compactMap { $0["rendered_by"]?.string } ?? []
      }
      let args: JSON = ["name": "Bob"]
      let plain = try makers(["args": args, "locales": ["fr"]])
      #expect(plain == ["device"])
      #expect(try makers(["args": args, "locales": ["fr"], "app_version": "4.0"]) == ["gateway"])
      #expect(
        try makers(["args": args, "locales": ["fr"], "app_version": "4.0", "render": "device"]) == ["device"])
      #expect(try makers(["args": args, "locales": ["fr"], "render": "gateway"]) == ["gateway"])
    }
  }

  /// A phone shows the strings of its own release, the gateway writes the newest.
  @Test func previewsTheStringsOfTheRelease() async throws {
    try await Self.run { fixture in
      func shown(_ version: String, render: String = "auto", _ locale: String = "fr") throws -> String {
        let preview = try fixture.client.post(
          "/v1/templates/t/preview",
          [
            "args": ["name": "Bob"], "locales": [.string(locale)], "platforms": ["android"],
            "app_version": .string(version), "render": .string(render),
          ]
        ).json["previews"]?[0]
        let body = preview?["body"]
        return "\(body?["outcome"]?.string ?? "") \(body?["text"]?.string ?? "")"
          + " \(preview?["resolved_locale"]?.string ?? "")"
      }
      let own = try shown("4.5")
      #expect(own == "text Bonjour Bob fr")
      #expect(try shown("4.9.1") == "text Bonjour Bob fr")
      #expect(try shown("4.5", render: "auto", "de") == "text Hello Bob default")
      #expect(try shown("4.0") == "text Salut Bob fr")
      #expect(try shown("4.0", render: "device") == "dropped  default")
      #expect(try shown("3.9", render: "device") == "dropped  ")
      #expect(try shown("4.5", render: "gateway") == "text Salut Bob fr")
    }
  }
}
