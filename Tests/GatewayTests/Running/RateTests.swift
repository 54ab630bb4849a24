import API
import Foundation
import Gateway
import TestSupport
import Testing
import YAML

@testable import API

/// Rates from the configuration: what is taken, and what a client gets.
@Suite(.blocking) struct RateTests {
  private func configuration(rate: String) throws -> GatewayConfiguration {
    let text = """
      apps: {default: {catalog: c.yaml, credentials: fcm.json, rate: "\(rate)"}}
      auth: {clients: [{name: a, key_sha256: \(String(repeating: "ab", count: 32)), scopes: [send], \
      rate: "\(rate)"}]}
      """
    return try GatewayConfiguration.parse(Array(text.utf8), file: "gateway.yaml", environment: [:])
  }

  @Test(arguments: [
    "1e20/s", "1e-20/h", "10000000000000000000/s", "1000001/s", "0.9/h", "0/s", "-1/s", "nan/s", "inf/s", "5",
    "5/d", "/s",
  ])
  func refusesARateOutsideItsRange(_ rate: String) throws {
    let error = try #require(throws: ConfigurationError.self) { try configuration(rate: rate) }
    #expect(error.problems.count == 2)
    #expect(error.description.contains("must be a rate from 1/h to 1000000/s"))
  }

  @Test(arguments: ["1/h", "100/h", "600000/m", "500/s", "0.5/s", "1000000/s", "90.5/m"])
  func printsARateAsItWasGiven(_ rate: String) throws {
    let configuration = try configuration(rate: rate)
    #expect(configuration.printed.components(separatedBy: "rate: \(rate)").count == 3)
  }

  @Test(arguments: [
    ("100/h", 100, 3600, 36), ("600/m", 600, 60, 1), ("500/s", 500, 1, 1), ("0.5/s", 1, 2, 2),
    ("1/h", 1, 3600, 3600),
  ])
  func announcesAndEnforcesARate(_ text: String, quota: Int, windowSeconds: Int, secondsToNext: Int) throws {
    let start = ContinuousClock.now
    let rate = ClientRate(try #require(try configuration(rate: text).auth.clients.first?.rate), now: start)
    let verdicts = (0..<quota).map { _ in rate.take(now: start) }
    #expect(verdicts.allSatisfy { $0.isAllowed })
    #expect(verdicts.last?.remaining == 0)
    let refused = rate.take(now: start)
    #expect(!refused.isAllowed)
    #expect(refused.quota == quota)
    #expect(refused.windowSeconds == windowSeconds)
    #expect(refused.secondsToNext == secondsToNext)
    #expect(refused.headers.map(\.name) == ["RateLimit-Policy", "RateLimit", "Retry-After"])
    #expect(rate.take(now: start + .seconds(secondsToNext)).isAllowed)
    // A window's worth comes back in a window.
    #expect(rate.look(now: start + .seconds(2 * windowSeconds)).remaining == quota)
  }
}
