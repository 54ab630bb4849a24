internal import Synchronization

/// Random numbers for ids that need to be unique and not secret, without a system call for each: SplitMix64
/// over a counter that all threads share, from a seed of the system's, and masked by a second one, so that
/// two processes whose counters meet still differ.
package struct IDGenerator: RandomNumberGenerator {
  private static let counter = Atomic<UInt64>(.random(in: .min ... .max))
  private static let mask = UInt64.random(in: .min ... .max)
  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
  /// The numbers that a generator takes from the counter at once, as many as a trace has.
  private static let taken: UInt64 = 3

  private var current: UInt64 = 0
  private var left: UInt64 = 0

  package init() {}

  package mutating func next() -> UInt64 {
    if left == 0 {
      current = Self.counter.wrappingAdd(Self.step &* Self.taken, ordering: .relaxed).oldValue
      left = Self.taken
    }
    left -= 1
    current &+= Self.step
    var mixed = current
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31) ^ Self.mask
  }
}
