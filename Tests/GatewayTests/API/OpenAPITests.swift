import DeliveryReports
import CatalogCheck
import FCM
import Feedback
import Foundation
import JSON
import Outbox
import TestSupport
import Testing

@testable import Catalog
@testable import API
@testable import Gateway

/// The OpenAPI description matches the gateway.
@Suite(.blocking) struct OpenAPITests {
  private let document: JSON
  private let schema: JSONSchema

  init() throws {
    document = try JSON.parse(OpenAPIDocument.bytes(asksForKeys: true))
    schema = JSONSchema(document: document)
  }

  private struct Operation {
    let method: String
    let path: String
    let object: JSON
    var name: String { "\(method) \(path)" }
    var isFCMs: Bool { path.hasSuffix("messages:send") }
    var scope: String? { object["security"]?[0]?["key"]?[0]?.string }
  }

  private var operations: [Operation] {
    (document["paths"]?.object ?? .init()).flatMap { path, item in
      (item.object ?? .init()).compactMap { method, object in
        method == "parameters" ? nil : Operation(method: method.uppercased(), path: path, object: object)
      }
    }
  }

  private func schemaOf(_ name: String) -> JSON? { document["components"]?["schemas"]?[name] }

  private func texts(_ json: JSON?) -> [String] { (json?.array ?? []).compactMap(\.string) }

  @Test func isTheOneInTheRepository() throws {
    let file = URL(filePath: "\(GatewayFixture.repository)/Sources/API/OpenAPI/openapi.json")
    #expect(try String(contentsOf: file, encoding: .utf8) == OpenAPIDocument.text)
  }

  @Test func describesExactlyTheRoutes() {
    let routes = APIRoute.table.map { "\($0.method) \($0.template) \($0.scope?.rawValue ?? "no key")" }
    #expect(routes.sorted() == operations.map { "\($0.name) \($0.scope ?? "no key")" }.sorted())
    for operation in operations {
      #expect(
        operation.object["security"]?.array?.count == (operation.scope == nil ? 0 : 1), "\(operation.name)")
    }
    let names = operations.compactMap { $0.object["operationId"]?.string }
    #expect(Set(names).count == operations.count)
  }

  @Test func declaresWhichBodiesAreJSON() {
    for route in APIRoute.table {
      let operation = operations.first { $0.name == "\(route.method) \(route.template)" }
      let media = operation?.object["requestBody"]?["content"]?.object?.map(\.key) ?? []
      #expect(media == (route.takesJSON ? ["application/json"] : []), "\(route.template)")
      #expect(
        (operation?.object["responses"]?["415"] != nil) == (route.method == "POST"), "\(route.template)")
    }
  }

  @Test func listsEveryProblemWithItsStatus() {
    var described: Set<String> = []
    for operation in operations {
      for (status, response) in operation.object["responses"]?.object ?? .init() {
        let parts = schema.resolved(response)["content"]?["application/problem+json"]?["schema"]?["allOf"]
        let own = parts?[1]?["properties"]
        for type in texts(own?["type"]?["enum"]) {
          described.insert("\(type) \(own?["status"]?["const"]?.int64 ?? 0)")
          #expect(own?["status"]?["const"]?.int64.map(String.init) == status, "\(operation.name) \(type)")
        }
      }
    }
    #expect(described == Set(ProblemType.all.map { "\($0.type) \($0.status)" }))
    let slugs = document["components"]?["parameters"]?["slug"]?["schema"]?["enum"]
    #expect(texts(slugs) == ProblemType.all.map(\.slug).sorted())
  }

  @Test func listsTheEnumValuesOfTheCode() {
    let states = DeliveryState.allCases.map(\.name)
    #expect(texts(schemaOf("DeliveryStatus")?["enum"]) == states)
    #expect(texts(schemaOf("NotificationStatus")?["enum"]) == states + ["partial"])
    #expect(
      texts(schemaOf("DeliveryError")?["properties"]?["code"]?["enum"])
        == SendError.Code.allCases.map(\.rawValue) + [DeliveryError.superseded.code])
    #expect(
      texts(schemaOf("Finding")?["properties"]?["rule"]?["enum"]).sorted()
        == CheckRule.allCases.map(\.rawValue).sorted())
    #expect(texts(schemaOf("Param")?["properties"]?["type"]?["enum"]) == ParamType.allCases.map(\.rawValue))
  }

  @Test func describesTheWebhooksEvents() throws {
    let types = WebhookEventType.allCases.map(\.rawValue)
    #expect(texts(schemaOf("WebhookEvent")?["properties"]?["type"]?["enum"]) == types)
    #expect(
      texts(schemaOf("FeedbackEvent")?["properties"]?["type"]?["enum"])
        + texts(schemaOf("OutcomeEvent")?["properties"]?["type"]?["enum"]) == types)
    #expect(
      texts(schemaOf("OutcomeEvent")?["properties"]?["code"]?["enum"])
        == SendError.Code.allCases.map(\.rawValue))
    let body = document["webhooks"]?["event"]?["post"]?["requestBody"]?["content"]?["application/json"]
    let examples = body?["examples"]?.object?.compactMap { $0.value["value"] } ?? []
    #expect(examples.count == 2)
    for example in examples {
      #expect(schema.complaints(about: example, against: try #require(body?["schema"])) == [])
    }
  }

  @Test func listsTheLimitsOfTheCode() {
    let tokens = schemaOf("TokensTarget")?["properties"]?["tokens"]
    #expect(tokens?["maxItems"]?.int64 == Int64(NotificationRequest.targetsMax))
    let batch = schemaOf("BatchRequest")?["properties"]?["notifications"]
    #expect(batch?["maxItems"]?.int64 == Int64(Intake.batchMax))
    let locales = schemaOf("PreviewRequest")?["properties"]?["locales"]
    #expect(locales?["maxItems"]?.int64 == Int64(PreviewRequest.localesMax))
    let limit = document["components"]?["parameters"]?["limit"]?["schema"]
    #expect(limit?["maximum"]?.int64 == Int64(QueryReader.pageMax))
    #expect(limit?["default"]?.int64 == Int64(QueryReader.pageDefault))
    let validated = schemaOf("ValidationResult")?["properties"]?["deliveries"]
    #expect(validated?["maxItems"]?.int64 == Int64(NotificationRequest.validatedTargetsMax))
  }

  @Test func hasExamplesThatFitTheirSchemas() {
    var count = 0
    func check(_ media: JSON, _ place: String) {
      let examples =
        (media["examples"]?.object?.compactMap { $0.value["value"] } ?? [])
        + [media["example"]].compactMap(\.self)
      for example in examples {
        count += 1
        #expect(schema.complaints(about: example, against: media["schema"] ?? true) == [], "\(place)")
      }
    }
    for operation in operations {
      for (_, media) in operation.object["requestBody"]?["content"]?.object ?? .init() {
        check(media, operation.name)
      }
      for (status, response) in operation.object["responses"]?.object ?? .init() {
        for (_, media) in schema.resolved(response)["content"]?.object ?? .init() {
          check(media, "\(operation.name) \(status)")
        }
      }
    }
    #expect(count >= 15)
  }

  @Test func schemaCheckFindsMismatches() {
    let request = schemaOf("NotificationRequest") ?? false
    let sound: JSON = ["template": "welcome", "to": ["token": "t"]]
    #expect(schema.complaints(about: sound, against: request) == [])
    let wrong: [JSON] = [
      ["to": ["token": "t"]], ["template": "a b", "to": ["token": "t"]], ["template": "a", "to": [:]],
      ["template": "a", "to": ["token": "t", "fid": "f"]], ["template": "a", "to": ["tokens": []]],
      ["template": "a", "to": ["token": "t"], "args": ["x": .null]],
      ["template": "a", "to": ["token": "t"], "data": ["from": "x"]],
      ["template": "a", "to": ["token": "t"], "priority": "urgent"],
      ["template": "a", "to": ["token": "t"], "colour": "red"],
    ]
    for value in wrong { #expect(schema.complaints(about: value, against: request) != []) }
  }

  /// Calls every operation with the description's own examples and checks its answer against the
  /// description.
  @Test func describesTheAnswers() async throws {
    try await GatewayFixture.run { fixture in
      let made = try fixture.client.post(
        "/v1/notifications", ["template": "welcome", "to": ["token": "t"], "args": ["name": "A"]])
      let id = try #require(made.json["id"]?.string)
      _ = try await fixture.settled(id)
      // A stream of all events does not end, and the app has no icon: `EventsTests`, `IconTests`.
      for operation in operations
      where !["followAll", "showIcon"].contains(operation.object["operationId"]?.string) {
        for (name, body) in bodies(operation) {
          let answer = try fixture.client.send(
            operation.method, path(operation, id: id),
            headers: operation.method == "POST" ? [("Content-Type", "application/json")] : [], body: body)
          // A sent notification can be neither cancelled nor retried.
          let isTooLate = ["cancelNotification", "retryNotification"].contains(
            operation.object["operationId"]?.string)
          #expect(
            (200..<300).contains(answer.status) != isTooLate, "\(operation.name) \(name): \(answer.text)")
          #expect(complaints(about: answer, to: operation) == [], "\(operation.name) \(name)")
        }
      }
    }
  }

  @Test func describesRefusals() async throws {
    try await GatewayFixture.run { fixture in
      let refused: [JSON] = [
        ["args": [:]], [], ["template": ""],
        ["template": "welcome", "to": ["token": 1], "args": ["name": .null], "x": 1],
        ["template": "nope", "to": ["token": "t"]],
        ["template": "welcome", "to": ["topic": "a b"], "app": "x"],
        [
          "template": "welcome", "to": ["token": "t"], "args": ["name": "A"],
          "data": ["k": .string(String(repeating: "x", count: 5000))],
        ],
      ]
      for operation in operations where operation.object["requestBody"] != nil {
        for body in refused {
          let answer = try fixture.client.post(path(operation, id: "x"), body)
          #expect(answer.status == (operation.isFCMs ? 400 : 422))
          #expect(complaints(about: answer, to: operation) == [], "\(operation.name) \(answer.text)")
        }
      }
      for operation in operations where operation.method == "GET" {
        let path = path(operation, id: "01a1fdf9-5c1b-7c4e-9d0a-3f6b2a71c85e")
        for target in ["\(path)?limit=0&nope=1&after=x&app=nope", "\(path)?limit=1&limit=2", "\(path)?%ff"] {
          let answer = try fixture.client.get(target)
          #expect(complaints(about: answer, to: operation) == [], "\(target) \(answer.text)")
        }
      }
    }
  }

  @Test func statesTheVersionOfTheProgram() async throws {
    try await GatewayFixture.run { fixture in
      let served = try fixture.client.get("/openapi.json")
      #expect(served.json["info"]?["version"] == .string(Gateway.version))
    }
  }

  @Test func requiresNoKeyForAnonymousCallers() async throws {
    try await GatewayFixture.run { fixture in
      let served = try fixture.client.get("/openapi.json")
      #expect(served.header("Content-Type") == "application/json")
      let post = served.json["paths"]?["/v1/notifications"]?["post"]
      #expect(post?["security"] == [["key": ["send"]], [:]])
      #expect(served.json["paths"]?["/healthz"]?["get"]?["security"] == [])
    }
    let client = ClientGrant(
      name: "a", keyHash: sha256(Array("k".utf8)), scopes: [.send], apps: nil, templates: nil, rate: nil)
    try await GatewayFixture.run(adjust: { $0.auth.clients = [client] }) { fixture in
      let served = try fixture.client.get("/openapi.json")
      #expect(served.text == OpenAPIDocument.text)
    }
  }

  private func bodies(_ operation: Operation) -> [(String, [UInt8]?)] {
    guard let media = operation.object["requestBody"]?["content"]?["application/json"] else {
      return [("", nil)]
    }
    return (media["examples"]?.object ?? .init()).map { ($0.key, $0.value["value"]?.serialized) }
  }

  /// The operation's path with the examples of its parameters filled in.
  private func path(_ operation: Operation, id: String) -> String {
    operation.path.replacing("{id}", with: id).replacing("{template}", with: "new_message")
      .replacing("{project}", with: "p").replacing("{slug}", with: "invalid-request").replacing(
        "{folder}/{file}", with: "app/main.js")
  }

  private func complaints(about answer: HTTPTestClient.Answer, to operation: Operation) -> [String] {
    guard let response = operation.object["responses"]?[String(answer.status)].map(schema.resolved) else {
      return ["\(answer.status) is not described"]
    }
    var complaints: [String] = []
    for (name, header) in response["headers"]?.object ?? .init() {
      let described = schema.resolved(header)
      if let value = answer.header(name) {
        let isNumber = described["schema"]?["type"] == "integer"
        let json = isNumber ? (try? JSON.parse(value)) ?? .null : JSON.string(value)
        complaints += schema.complaints(about: json, against: described["schema"] ?? true, at: name)
      } else if described["required"] == true {
        complaints.append("\(name) is missing")
      }
    }
    let type = answer.header("Content-Type")?.split(separator: ";").first.map(String.init) ?? ""
    guard let media = response["content"]?[type] else { return complaints + ["\(type) is not described"] }
    let body = type.hasSuffix("json") ? answer.json : .string(answer.text)
    return complaints + schema.complaints(about: body, against: media["schema"] ?? true)
  }
}
