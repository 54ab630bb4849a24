import HTTPServer
import JSON
import Testing

@Suite struct SendTests {
  let fixture = Fixture()

  @Test func namesAMessageAndStoresItInTheInbox() async throws {
    let first = try #require(await fixture.send(#""token":"t","android":{"priority":"high"}"#))
    let second = try #require(await fixture.send(#""token":"t""#))
    #expect(first.status == 200)
    let name = try #require(first.json["name"]?.string)
    #expect(name.hasPrefix("projects/p/messages/0:"))
    #expect(name != second.json["name"]?.string)
    #expect(first.headers["Content-Type"] == "application/json; charset=UTF-8")

    let inbox = try #require(await fixture.call("GET", "/inbox")).json
    #expect(inbox["count"] == 2)
    #expect(inbox["messages"]?[1]?["name"]?.string == name)
    #expect(inbox["messages"]?[1]?["project"] == "p")
    #expect(inbox["messages"]?[1]?["received_at"] == "2023-11-14T22:13:20.000Z")
    #expect(inbox["messages"]?[1]?["message"] == ["token": "t", "android": ["priority": "high"]])
  }

  @Test func validatesWithoutStoringWhenAsked() async throws {
    for spelling in ["validate_only", "validateOnly"] {
      let answer = await fixture.send(#""topic":"t""#, topLevel: "\"\(spelling)\":true,")
      #expect(answer?.json["name"] == "projects/p/messages/fake_message_id")
    }
    #expect(await fixture.call("GET", "/inbox")?.json["count"] == 0)
    #expect(await fixture.send(#""topic":"""#, topLevel: #""validate_only":true,"#)?.status == 400)
  }

  @Test(arguments: [#"{"message":null}"#, #"{"message":{}}"#, "{}"])
  func refusesARequestWithoutAMessage(_ body: String) async throws {
    let answer = try #require(await fixture.call("POST", "/v1/projects/p/messages:send", body: body))
    #expect(answer.status == 400)
    #expect(answer.error?["message"] == "Recipient of the message is not set.")
    #expect(await fixture.call("GET", "/inbox")?.json["count"] == 0)
  }

  @Test func reportsAnUnknownFieldWithoutAnFCMCode() async throws {
    let answer = try #require(await fixture.send(#""toen":"t""#))
    #expect(answer.status == 400)
    #expect(answer.error?["code"] == 400)
    #expect(answer.error?["status"] == "INVALID_ARGUMENT")
    #expect(
      answer.error?["message"]
        == "Invalid JSON payload received. Unknown name \"toen\" at 'message': Cannot find field.")
    #expect(answer.violatedFields == ["message"])
    #expect(answer.detail("FcmError") == nil)
  }

  @Test func reportsAWrongTypeWithoutAnFCMCode() async throws {
    let answer = try #require(await fixture.send(#""token":"t","data":{"a":12}"#))
    #expect(answer.error?["message"] == "Invalid value at 'message.data[0].value' (TYPE_STRING), 12")
    #expect(answer.violatedFields == ["message.data[0].value"])
    #expect(answer.detail("FcmError") == nil)
  }

  @Test func reportsEveryViolationWithFCMsCode() async throws {
    let answer = try #require(
      await fixture.send(#""token":"t","data":{"from":""},"android":{"ttl":"2419201s"}"#))
    #expect(answer.status == 400)
    #expect(answer.detail("FcmError")?["errorCode"] == "INVALID_ARGUMENT")
    #expect(answer.violatedFields == ["message.data[0].key", "message.android.ttl"])
  }

  @Test func checksMessagesToLiveActivities() async throws {
    func send(_ aps: String) async throws -> Fixture.Answer {
      try #require(
        await fixture.send(#""token":"t","apns":{"live_activity_token":"a","payload":{"aps":{\#(aps)}}}"#))
    }
    #expect(try await send(#""event":"update","timestamp":1,"content-state":{"a":1}"#).status == 200)
    let answer = try await send(#""event":"pause","timestamp":"1","attributes":{}"#)
    #expect(answer.status == 400)
    #expect(answer.detail("FcmError")?["errorCode"] == "INVALID_ARGUMENT")
    let aps = "message.apns.payload.aps"
    #expect(answer.violatedFields == ["\(aps).event", "\(aps).timestamp"])
  }

  @Test func requiresATarget() async throws {
    let answers = [
      await fixture.send(""),
      await fixture.call("POST", "/v1/projects/p/messages:send", body: "{}"),
    ]
    for answer in answers {
      #expect(answer?.error?["message"] == "Recipient of the message is not set.")
      #expect(answer?.violatedFields == ["message"])
      #expect(answer?.detail("FcmError")?["errorCode"] == "INVALID_ARGUMENT")
    }
  }

  @Test func acceptsFieldsWithoutEffect() async {
    let members =
      #""token":"t","notification":{"title":"T"},"android":{"notification":{"title_loc_key":"k"}}"#
    #expect(await fixture.send(members)?.status == 200)
  }

  @Test func lastOfEqualKeysWins() async throws {
    #expect(await fixture.send(#""token":"a","token":"b""#)?.status == 200)
    let inbox = try #require(await fixture.call("GET", "/inbox?token=b")).json
    #expect(inbox["messages"]?[0]?["message"] == ["token": "b"])
  }

  @Test(arguments: ["", "{", "[]", "1", "{\"message\":{\"token\":\"t\",}}", "{\"message\":[]}"])
  func rejectsWhatIsNotARequest(_ body: String) async throws {
    let answer = try #require(await fixture.call("POST", "/v1/projects/p/messages:send", body: body))
    #expect(answer.status == 400)
    #expect(answer.error?["status"] == "INVALID_ARGUMENT")
  }

  @Test func refusesARequestWithoutCredentials() async throws {
    for headers in [[:], ["Authorization": "Basic b3duZXI="], ["Authorization": "Bearer"]] as [HTTPHeaders] {
      let answer = try #require(
        await fixture.call("POST", "/v1/projects/p/messages:send", body: "{}", headers: headers))
      #expect(answer.status == 401)
      #expect(answer.error?["status"] == "UNAUTHENTICATED")
      #expect(answer.detail("ErrorInfo")?["reason"] == "CREDENTIALS_MISSING")
      #expect(
        answer.detail("ErrorInfo")?["metadata"]?["method"] == "google.firebase.fcm.v1.FcmService.SendMessage")
    }
  }

  @Test func refusesATokenThatItDidNotIssue() async throws {
    let answer = try #require(
      await fixture.call(
        "POST", "/v1/projects/p/messages:send", body: "{}", headers: ["Authorization": "Bearer x"]))
    #expect(answer.status == 401)
    #expect(answer.error?["details"] == nil)
    #expect(
      answer.error?["message"]?.string?.hasPrefix("Request had invalid authentication credentials.") == true)
  }

  @Test func answersUnknownPathsInGooglesForm() async throws {
    for (method, target, status) in [
      ("GET", "/page", 404), ("POST", "/v1/projects//messages:send", 404),
      ("POST", "/v1/projects/p/messages", 404),
      ("POST", "/v1/projects/p/messages:send/", 404), ("GET", "/v1/projects/p/messages:send", 405),
      ("GET", "/token", 405), ("POST", "/inbox", 405), ("DELETE", "/stats", 405),
    ] {
      let answer = try #require(await fixture.call(method, target))
      #expect(answer.status == status, "\(method) \(target)")
      #expect(answer.error?["code"] == JSON(status))
    }
    #expect(await fixture.call("POST", "/inbox")?.headers["Allow"] == "DELETE, GET, HEAD")
    #expect(await fixture.call("POST", "/v1/projects/a%2Db/messages%3Asend", body: "{}")?.status == 400)
  }
}
