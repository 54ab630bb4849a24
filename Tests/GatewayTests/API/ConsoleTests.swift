import Foundation
import TestSupport
import Testing

@testable import API
@testable import Gateway

@Suite struct ConsoleTests {
  private func content(of element: String, in page: String) throws -> String {
    let start = try #require(page.range(of: "<\(element)>")).upperBound
    let end = try #require(page.range(of: "</\(element)>")).lowerBound
    return String(page[start..<end])
  }

  @Test func isServedWithoutAKeyAndAllowsOnlyItsOwnCode() async throws {
    let client = ClientGrant(
      name: "a", keyHash: sha256(Array("key-a".utf8)), scopes: [.read], apps: nil, templates: nil, rate: nil)
    try await GatewayFixture.run(adjust: { $0.auth.clients = [client] }) { fixture in
      let answer = try fixture.client.get("/")
      #expect(answer.status == 200)
      #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
      let page = String(decoding: answer.body, as: UTF8.self)
      let policy = try #require(answer.header("Content-Security-Policy"))
      #expect(policy.hasPrefix("default-src 'none';"))
      for (directive, element) in [("script-src", "script"), ("style-src", "style")] {
        let hash = Data(sha256(Array(try content(of: element, in: page).utf8))).base64EncodedString()
        #expect(policy.contains("\(directive) 'sha256-\(hash)'"))
      }
      // It loads nothing from elsewhere, and no attribute contains code or style.
      for part in ["http://", "https://", "src=", "onclick=\"", "style=\"", "innerHTML"] {
        #expect(!page.contains(part), "\(part)")
      }
    }
  }

  @Test func isTheFileOfTheRepository() throws {
    let file = "\(GatewayFixture.repository)/Sources/API/Console/console.html"
    #expect(try String(contentsOfFile: file, encoding: .utf8) == ConsolePage.text)
  }
}
