internal import Synchronization

/// The outcomes that a store writes to the feedback log. Any thread may change them; a transaction reads them
/// once.
package final class LoggedOutcomes: Sendable {
  /// A choice of outcomes.
  package struct Choice: Sendable {
    fileprivate var bits: UInt8 = 0

    package init() {}

    var isEmpty: Bool { bits == 0 }

    func contains(_ state: DeliveryState) -> Bool { bits & 1 << UInt8(state.rawValue) != 0 }
  }

  private let bits = Atomic<UInt8>(0)

  package init() {}

  var current: Choice {
    var choice = Choice()
    choice.bits = bits.load(ordering: .relaxed)
    return choice
  }

  func replace(with outcomes: Set<DeliveryOutcome>) {
    bits.store(outcomes.reduce(0) { $0 | 1 << UInt8($1.rawValue) }, ordering: .relaxed)
  }
}
