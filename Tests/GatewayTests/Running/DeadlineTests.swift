import Testing

@testable import Gateway

struct DeadlineTests {
  @Test func waitsNoLongerThanItsLimit() async {
    let begun = ContinuousClock.now
    let isInTime = await Deadline.keeps(.milliseconds(50)) {
      await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }
    #expect(!isInTime)
    #expect(ContinuousClock.now - begun < .seconds(10))
  }

  @Test func returnsAsSoonAsTheWorkEnds() async {
    let begun = ContinuousClock.now
    #expect(await Deadline.keeps(.seconds(60)) {})
    #expect(ContinuousClock.now - begun < .seconds(30))
  }
}
