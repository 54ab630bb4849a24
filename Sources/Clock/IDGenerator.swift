internal import Synchronization

/// Random numbers for ids that need to be unique and not secret, without a system call for each: SplitMix64
/// over a counter that all threads share, from a seed of the system's, and masked by a second one, so that
/// two processes whose counters meet still differ.
package struct IDGenerator: RandomNumberGenerator {
  private static let counter = Atomic<UInt64>(.random(in: .min ... .max))
  private static let mask = UInt64.random(in: .min ... .max)

  package init() {}

  package mutating func next() -> UInt64 {
    var mixed = Self.counter.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31) ^ Self.mask
  }
}
