import API
import JSON
import TestSupport
import Testing

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
}
