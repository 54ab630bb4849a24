import JSON
import Testing

@Suite struct ControlTests {
  let fixture = Fixture()

  @Test func filtersTheInbox() async throws {
    for members in [
      #""token":"a""#, #""token":"b""#, #""fid":"a""#, #""topic":"a""#, #""condition":"'a' in topics""#,
    ] {
      #expect(await fixture.send(members)?.status == 200)
    }
    func count(_ query: String) async -> JSON? { await fixture.call("GET", "/inbox?\(query)")?.json["count"] }
    #expect(await count("") == 5)
    #expect(await count("token=a") == 2)
    #expect(await count("topic=a") == 1)
    #expect(await count("token=c") == 0)
    #expect(await count("token=a&topic=a") == 0)
    let limited = try #require(await fixture.call("GET", "/inbox?limit=2")).json
    #expect(limited["count"] == 5)
    #expect(limited["messages"]?.array?.count == 2)
    #expect(limited["messages"]?[0]?["message"]?["condition"] != nil)
    for query in ["limit=-1", "limit=x", "tokn=a", "token=%zz"] {
      #expect(await fixture.call("GET", "/inbox?\(query)")?.status == 400, "\(query)")
    }
  }

  @Test func emptiesTheInbox() async {
    _ = await fixture.send(#""token":"a""#)
    #expect(await fixture.call("DELETE", "/inbox")?.status == 200)
    #expect(await fixture.call("GET", "/inbox")?.json == ["count": 0, "messages": []])
  }

  @Test func keepsTheNewestTenThousand() async throws {
    for number in 1...10_002 { _ = await fixture.send("\"token\":\"t\(number)\"") }
    let answer = try #require(await fixture.call("GET", "/inbox"))
    #expect(answer.json["count"] == 10_000)
    #expect((990_000...1_000_000).contains(answer.body.count))
    #expect(answer.json["messages"]?[0]?["message"]?["token"] == "t10002")
    let inbox = try #require(await fixture.call("GET", "/inbox?limit=10000")).json
    let messages = try #require(inbox["messages"]?.array)
    #expect(inbox["count"] == 10_000)
    #expect(messages.count == 10_000)
    #expect(messages.first?["message"]?["token"] == "t10002")
    #expect(messages[1]["message"]?["token"] == "t10001")
    #expect(messages.last?["message"]?["token"] == "t3")
  }

  @Test func countsItsAnswers() async throws {
    _ = await fixture.setFaults(#"{"token":"dead","error_code":"UNREGISTERED"},{"token":"cut","close":true}"#)
    for token in ["a", "b", "dead"] { _ = await fixture.send("\"token\":\"\(token)\"") }
    #expect(await fixture.send(#""token":"cut""#) == nil)
    _ = await fixture.send("")
    _ = await fixture.call("POST", "/token")
    let stats = try #require(await fixture.call("GET", "/stats")).json
    #expect(
      stats == [
        "answers": ["200": 2, "400 INVALID_ARGUMENT": 1, "404 UNREGISTERED": 1, "closed": 1],
        "token_answers": ["400 invalid_request": 1], "inbox": ["count": 2],
      ])
  }

  @Test func reportsReadiness() async throws {
    let answer = try #require(await fixture.call("GET", "/readyz"))
    #expect(answer.status == 200)
    #expect(answer.json == ["status": "ready"])
  }
}
