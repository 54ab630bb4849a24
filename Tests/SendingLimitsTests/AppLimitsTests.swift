import Clock
import SendingLimits
import TestSupport
import Testing

/// What gateways know together does not depend on the order in which they learn it.
struct AppLimitsTests {
  private func random(_ generator: inout SeededGenerator) -> AppLimits {
    func time() -> Timestamp { Timestamp(milliseconds: .random(in: 0..<4, using: &generator)) }
    var limits = AppLimits()
    if Bool.random(using: &generator) {
      limits.climb = .init(beganAt: time(), millirate: .random(in: 0..<3, using: &generator))
    }
    if Bool.random(using: &generator) { limits.usedAt = time() }
    if Bool.random(using: &generator) { limits.quota = .init(attemptBeganAt: time(), heldUntil: time()) }
    if Bool.random(using: &generator) {
      // One gateway decides at one time; two at the same time differ in their reason.
      let reason = AppLimits.Stop.Reason(rawValue: .random(in: 0..<3, using: &generator))
      limits.stop = .init(
        decidedAt: time(), reason: reason, since: Timestamp(milliseconds: 0),
        probeAt: Timestamp(milliseconds: 9), failure: nil)
    }
    return limits
  }

  private func merged(_ parts: AppLimits...) -> AppLimits { parts.reduce(into: AppLimits()) { $0.merge($1) } }

  @Test func mergeInAnyOrder() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let (a, b, c) = (random(&generator), random(&generator), random(&generator))
      #expect(merged(a, b) == merged(b, a))
      #expect(merged(a, merged(b, c)) == merged(merged(a, b), c))
      #expect(merged(a, b, a, b) == merged(a, b))
    }
  }
}
