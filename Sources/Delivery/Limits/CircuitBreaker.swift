/// Detects outages: ten server errors in a row, or most of at least twenty answers within ten seconds.
///
/// It only counts; `AppGate` decides what follows. Pure, O(1).
struct CircuitBreaker: Sendable {
  private static let rowMax = 10
  private static let windowSeconds: Int64 = 10
  private static let windowAnswersMin = 20

  private struct Second {
    var number = Int64.min
    var answers = 0
    var failures = 0
  }

  private var inARow = 0
  private var seconds = [Second](repeating: Second(), count: Int(windowSeconds))

  /// Counts one answer; whether it begins an outage.
  mutating func noted(isFailure: Bool, now: Int64) -> Bool {
    let number = now / 1000
    let place = Int(((number % Self.windowSeconds) + Self.windowSeconds) % Self.windowSeconds)
    if seconds[place].number != number { seconds[place] = Second(number: number) }
    seconds[place].answers += 1
    guard isFailure else {
      inARow = 0
      return false
    }
    inARow += 1
    seconds[place].failures += 1
    return inARow >= Self.rowMax || isMostOfTheWindow(number)
  }

  private func isMostOfTheWindow(_ number: Int64) -> Bool {
    var answers = 0
    var failures = 0
    for second in seconds where second.number > number - Self.windowSeconds && second.number <= number {
      answers += second.answers
      failures += second.failures
    }
    return answers >= Self.windowAnswersMin && failures * 2 > answers
  }

  mutating func reset() { self = CircuitBreaker() }
}
