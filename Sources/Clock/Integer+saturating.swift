extension Int {
  /// `real` cut to a whole number, or the nearest `Int`; 0 for "not a number". `Int(_: Double)` traps.
  package init(saturating real: Double) {
    self = Int(exactly: real.rounded(.towardZero)) ?? (real < 0 ? .min : real > 0 ? .max : 0)
  }
}

extension Int64 {
  /// `real` cut to a whole number, or the nearest `Int64`; 0 for "not a number". `Int64(_: Double)` traps.
  package init(saturating real: Double) {
    self = Int64(exactly: real.rounded(.towardZero)) ?? (real < 0 ? .min : real > 0 ? .max : 0)
  }
}
