internal import Clock

/// A position in a distributed trace: the `traceparent` field (W3C Trace Context, level 2, §3.2).
package struct TraceParent: Sendable, Hashable, CustomStringConvertible {
  /// A trace id: 16 bytes, not all zero.
  package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    init?(high: UInt64, low: UInt64) {
      guard high != 0 || low != 0 else { return nil }
      self.high = high
      self.low = low
    }

    package var description: String {
      var bytes: [UInt8] = []
      append(to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the text of `description`.
    func append(to bytes: inout [UInt8]) {
      high.appendHexDigits(to: &bytes)
      low.appendHexDigits(to: &bytes)
    }
  }

  package let traceID: TraceID
  /// The span that made the request; never zero.
  package let spanID: UInt64
  /// The flags that this version defines: sampled, and random trace id.
  package let flags: UInt8

  private static let sampledFlag: UInt8 = 1
  private static let randomFlag: UInt8 = 2

  package var isSampled: Bool { flags & Self.sampledFlag != 0 }

  /// The field's value as it is sent: version 00, lower case.
  package var description: String { "00-\(traceID)-\(spanID.hexDigits)-0\(flags)" }

  private init(traceID: TraceID, spanID: UInt64, flags: UInt8) {
    self.traceID = traceID
    self.spanID = spanID
    self.flags = flags & (Self.sampledFlag | Self.randomFlag)
  }

  /// Parses a field's value; nil if a new trace must be started (§3.2.2.5, §4.3): a character that is not
  /// lower-case hexadecimal, version ff, an id of zeros, or extra text in version 00. Of a later version the
  /// first 55 characters are read, which only a dash may follow.
  package init?(_ value: String) {
    let bytes = Array(value.utf8)[...].trimmingOWS
    let digits = Array(bytes.prefix(55))
    guard digits.count == 55, digits[2] == .dash, digits[35] == .dash, digits[52] == .dash,
      let version = Self.hex(digits[0..<2]), version != 0xFF,
      let high = Self.hex(digits[3..<19]), let low = Self.hex(digits[19..<35]),
      let traceID = TraceID(high: high, low: low),
      let spanID = Self.hex(digits[36..<52]), spanID != 0,
      let flags = Self.hex(digits[53..<55])
    else { return nil }
    if bytes.count > 55 {
      guard version > 0, bytes[bytes.startIndex + 55] == .dash else { return nil }
    }
    self.init(traceID: traceID, spanID: spanID, flags: UInt8(truncatingIfNeeded: flags))
  }

  /// Starts a trace with random ids.
  package static func random(
    isSampled: Bool = false, using generator: inout some RandomNumberGenerator
  ) -> TraceParent {
    while true {
      let high = generator.next() as UInt64
      if let traceID = TraceID(high: high, low: generator.next()) {
        let flags = randomFlag | (isSampled ? sampledFlag : 0)
        return TraceParent(traceID: traceID, spanID: randomSpanID(using: &generator), flags: flags)
      }
    }
  }

  /// Starts a trace with random ids.
  package static func random(isSampled: Bool = false) -> TraceParent {
    var generator = IDGenerator()
    return random(isSampled: isSampled, using: &generator)
  }

  /// The same trace with a new span, for a request that this one causes.
  package func child(using generator: inout some RandomNumberGenerator) -> TraceParent {
    TraceParent(traceID: traceID, spanID: Self.randomSpanID(using: &generator), flags: flags)
  }

  /// The same trace with a new span, for a request that this one causes.
  package func child() -> TraceParent {
    var generator = IDGenerator()
    return child(using: &generator)
  }

  private static func randomSpanID(using generator: inout some RandomNumberGenerator) -> UInt64 {
    .random(in: 1...UInt64.max, using: &generator)
  }

  /// The value of up to 16 lower-case hexadecimal digits; nil for any other text.
  private static func hex(_ digits: ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
      default: return nil
      }
    }
    return value
  }
}

extension UInt8 {
  fileprivate static let dash = UInt8(ascii: "-")
}

extension UInt64 {
  /// 16 lower-case digits.
  fileprivate var hexDigits: String {
    var bytes: [UInt8] = []
    appendHexDigits(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
