internal import Synchronization

/// Decides, for one claim of a delivery, which comes first: its request leaves, or it is recalled.
///
/// Of a cancel and a send that meet, exactly one succeeds: what a cancel has recalled is never sent, and
/// what has left is answered as being sent.
package final class Departure: Sendable, Equatable {
  private enum Stage: UInt8, AtomicRepresentable {
    case waiting, left, recalled
    /// It has left, but a further try, after FCM reported that it had not processed the request, is recalled.
    case leftAndRecalled
  }

  private let stage = Atomic<Stage>(.waiting)

  package init() {}

  /// All are equal: claims are compared by what was claimed.
  package static func == (one: Departure, other: Departure) -> Bool { true }

  /// Whether it was recalled before anything of it had left.
  package var isRecalled: Bool { stage.load(ordering: .acquiring) == .recalled }

  /// Whether the request may leave now. From then on it cannot be recalled, except between two tries.
  package func leave() -> Bool {
    let before = stage.compareExchange(
      expected: .waiting, desired: .left, ordering: .acquiringAndReleasing
    ).original
    return before == .waiting || before == .left
  }

  /// Recalls the delivery; whether nothing of it has left.
  package func recall() -> Bool {
    let before = stage.compareExchange(
      expected: .waiting, desired: .recalled, ordering: .acquiringAndReleasing
    ).original
    if before == .left { stage.store(.leftAndRecalled, ordering: .releasing) }
    return before == .waiting || before == .recalled
  }
}
