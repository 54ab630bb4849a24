extension Int {
  /// `value` without its fraction, or the nearest `Int`; 0 for "not a number". `Int(_: Double)` traps instead.
  package init(saturating value: Double) {
    self = Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : value > 0 ? .max : 0)
  }
}

extension Int64 {
  /// `value` without its fraction, or the nearest `Int64`; 0 for "not a number". `Int64(_: Double)` traps
  /// instead.
  package init(saturating value: Double) { self = Int64(Int(saturating: value)) }
}
