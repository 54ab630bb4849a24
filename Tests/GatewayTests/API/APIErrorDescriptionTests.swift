import JSON
import TestSupport
import Testing

@testable import API
@testable import Gateway

/// No error of the API shows a registration token, an API key or a text of the request.
@Suite(.blocking) struct APIErrorDescriptionTests {
  @Test func holdsNoValueOfTheRequest() async throws {
    let secret: JSON = "s3cret"
    let requests: [JSON] = [
      ["template": "welcome", "to": ["token": [secret]], "args": ["name": "A"]],
      ["template": "welcome", "to": ["token": "t", "fid": secret], "args": ["name": "A"]],
      ["template": "welcome", "to": ["topic": "s3cret/%%"], "args": ["name": [secret]]],
      ["template": "welcome", "to": ["condition": secret], "args": ["name": "A"]],
      ["template": "new_message", "to": ["token": "t"], "args": ["count": secret, "sender": [secret]]],
      [
        "template": "welcome", "to": ["token": "t"], "args": ["name": "A"], "ttl": secret, "send_at": secret,
        "priority": secret, "collapse_key": [secret], "data": ["from": secret],
      ],
      ["template": "welcome", "to": secret, "args": secret, "data": secret, "app": [secret]],
    ]
    let malformed = [#"{"template":"s3cret"#, #"{"a":"s3cret",}"#, "s3cret", #"{"a":"s3cret\ud800"}"#]
    try await GatewayFixture.run { fixture in
      for request in requests {
        let answer = try fixture.client.post("/v1/notifications", request)
        #expect(answer.status == 422, "\(answer.text)")
        #expect(!answer.text.contains("s3cret"))
      }
      for body in malformed {
        let answer = try fixture.client.post("/v1/notifications", bytes: Array(body.utf8))
        #expect(answer.status == 400, "\(answer.text)")
        #expect(!answer.text.contains("s3cret"))
      }
    }
  }
}
