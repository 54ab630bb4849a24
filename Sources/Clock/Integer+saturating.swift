extension Int {
  /// `fraction` cut to a whole number, or the nearest `Int`; 0 for "not a number". `Int(_: Double)` traps.
  package init(saturating fraction: Double) {
    self = Int(exactly: fraction.rounded(.towardZero)) ?? (fraction < 0 ? .min : fraction > 0 ? .max : 0)
  }
}

extension Int64 {
  /// `fraction` cut to a whole number, or the nearest `Int64`; 0 for "not a number". `Int64(_: Double)` traps.
  package init(saturating fraction: Double) {
    self = Int64(exactly: fraction.rounded(.towardZero)) ?? (fraction < 0 ? .min : fraction > 0 ? .max : 0)
  }
}
