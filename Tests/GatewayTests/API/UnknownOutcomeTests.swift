import HTTPServer
import Outbox
import Testing

@testable import API

struct UnknownOutcomeTests {
  @Test func isAProblemOfItsOwn() {
    let error = OutboxError(code: .outcomeUnknown, description: "not confirmed")
    let response = APIError(error).response
    #expect(response.status == 503)
    #expect(response.headers["Retry-After"] == "2")
    #expect(APIError(error).code.type == "/problems/outcome-unknown")
    #expect(ProblemType.all.contains { $0.slug == "outcome-unknown" })
  }
}
