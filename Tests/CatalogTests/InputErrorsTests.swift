import JSON
import Testing

@testable import Catalog

/// What mistakes cost that no answer lists.
@Suite struct InputErrorsTests {
  @Test func mistakesBeyondThoseThatAreListedAreOnlyCounted() {
    var made = 0
    func mistake() -> InputError {
      made += 1
      return InputError(pointer: .root, code: .unknown, detail: "")
    }
    var errors = InputErrors()
    for _ in 0..<(3 * InputErrors.keptMax) { errors.append(mistake()) }
    #expect(made == InputErrors.keptMax)
    #expect(errors.count == InputErrors.keptMax)
    #expect(errors.total == 3 * InputErrors.keptMax)
    // A part of a batch whose answer has listed enough.
    InputErrors.$keptMax.withValue(1) {
      made = 0
      var few = InputErrors()
      for _ in 0..<50 { few.append(mistake()) }
      few += errors
      #expect(made == 1)
      #expect(few.count == 1)
      #expect(few.total == 50 + errors.total)
    }
  }
}
