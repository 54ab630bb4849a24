import JSON
import Testing

@testable import FCMEmulator

struct ErrorDescriptionTests {
  private let secret = "s3cret-token"

  @Test func faultListErrorHoldsNothingOfTheList() throws {
    let rule: JSON = [
      "token": 1, "status": .string(secret), "error_code": .string(secret), "latency": .string(secret),
      "times": .string(secret), "probability": .string(secret), "close": .string(secret),
    ]
    var unknown = JSON.Object()
    unknown[secret] = .string(secret)
    let error = try #require(throws: FaultListError.self) {
      try FaultList(json: ["rules": [rule, .object(unknown)]])
    }
    #expect(error.problems.count == 8)
    #expect(!"\(error)".contains(secret))
  }

  @Test(arguments: [
    "grant_type=SECRET", "grant_type=a&SECRET=1&SECRET=2", "grant_type=refresh_token&client_id=SECRET",
    "grant_type=refresh_token&client_id=SECRET&client_secret=SECRET",
    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=SECRET",
  ])
  func oauthErrorHoldsNoValueOfTheForm(_ form: String) async throws {
    let answer = try #require(
      await Fixture().call("POST", "/token", body: form.replacing("SECRET", with: secret)))
    #expect(answer.status == 400)
    #expect(!answer.text.contains(secret))
  }
}
