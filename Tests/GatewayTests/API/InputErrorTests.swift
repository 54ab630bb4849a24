import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// However many mistakes a request has, its answer stays small.
@Suite(.blocking) struct InputErrorTests {
  private func unknownMembers(_ count: Int) -> JSON.Object {
    JSON.Object((0..<count).map { ("x\($0)", JSON(0)) })
  }

  @Test(arguments: [100, 101, 50_000])
  func listsTheFirstHundredMistakes(_ count: Int) async throws {
    try await GatewayFixture.run { fixture in
      var request = unknownMembers(count - 1)
      request["template"] = "welcome"
      request["to"] = ["token": "t"]
      request["args"] = ["name": "A", "y": 1]
      let answer = try fixture.client.post("/v1/notifications", .object(request))
      #expect(answer.status == 422)
      #expect(answer.json["errors"]?.array?.count == 100)
      #expect(answer.json["errors_total"] == (count > 100 ? JSON(count) : JSON?.none))
      #expect(answer.json["detail"]?.string?.contains("\(count) mistakes") == true)
      #expect(answer.body.count < 50_000)
    }
  }

  @Test func listsTheFirstHundredMistakesInTheArgs() async throws {
    try await GatewayFixture.run { fixture in
      let answer = try fixture.client.post(
        "/v1/notifications",
        ["template": "welcome", "to": ["token": "t"], "args": .object(unknownMembers(20_000))])
      #expect(answer.json["errors"]?.array?.count == 100)
      #expect(answer.json["errors_total"] == 20_001)
    }
  }

  @Test func listsAThousandMistakesOfABatchAndThenOneOfEach() async throws {
    try await GatewayFixture.run { fixture in
      var item = unknownMembers(150)
      item["template"] = "welcome"
      let answer = try fixture.client.post(
        "/v1/notifications/batch", ["notifications": .array(Array(repeating: .object(item), count: 300))])
      #expect(answer.status == 422)
      let problems = (answer.json["results"]?.array ?? []).compactMap { $0["problem"] }
      #expect(problems.count == 300)
      #expect(problems.prefix(10).allSatisfy { $0["errors"]?.array?.count == 100 })
      #expect(problems.dropFirst(10).allSatisfy { $0["errors"]?.array?.count == 1 })
      // The unknown members, `to` and the arg.
      #expect(problems.allSatisfy { $0["errors_total"] == 152 })
    }
  }

  @Test(arguments: [[1, "Bob"], "Bob"] as [JSON]) func argsOfTheWrongTypeAreOneMistake(
    _ args: JSON
  ) async throws {
    try await GatewayFixture.run { fixture in
      let answer = try fixture.client.post(
        "/v1/notifications", ["template": "new_message", "to": ["token": "t"], "args": args, "priority": "x"])
      #expect(answer.status == 422)
      let pointers = (answer.json["errors"]?.array ?? []).map { $0["pointer"]?.string }
      #expect(pointers == ["/args", "/priority"])
    }
  }

  /// Such an `app` is not absent: nothing about the default app would help.
  @Test(arguments: [JSON.null, 5, ["default"]])
  func anAppOfTheWrongTypeIsNotTheDefaultOne(_ app: JSON) async throws {
    let limited = ClientGrant(
      name: "other", keyHash: sha256(Array("key".utf8)), scopes: [.send, .preview], apps: ["other"])
    try await GatewayFixture.run(adjust: { $0.auth.clients = [limited] }) { fixture in
      let key = [("Authorization", "Bearer key")]
      func mistakes(_ answer: HTTPTestClient.Answer, _ problem: JSON?) -> [String] {
        #expect(answer.status == 422)
        #expect(problem?["type"] == "/problems/invalid-request")
        return (problem?["errors"]?.array ?? []).map {
          "\($0["pointer"]?.string ?? "") \($0["code"]?.string ?? "")"
        }
      }
      let request: JSON = ["template": "nope", "app": app, "to": ["token": "t"], "ttl": 5]
      let single = try fixture.client.post("/v1/notifications", request, headers: key)
      #expect(mistakes(single, single.json) == ["/app wrong_type", "/ttl wrong_type"])
      let batch = try fixture.client.post(
        "/v1/notifications/batch", ["notifications": [request]], headers: key)
      #expect(
        mistakes(batch, batch.json["results"]?[0]?["problem"])
          == ["/notifications/0/app wrong_type", "/notifications/0/ttl wrong_type"])
      let preview = try fixture.client.post(
        "/v1/templates/nope/preview", ["app": app, "locales": []], headers: key)
      #expect(mistakes(preview, preview.json) == ["/app wrong_type", "/locales out_of_range"])
    }
  }
}
