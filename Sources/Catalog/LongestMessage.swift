internal import FCMMessage
internal import JSON
internal import Plurals

extension Template {
  /// The size of the longest message that the params' own limits allow, counted as in `Catalog.assemble`.
  ///
  /// Each character of a string counts as four bytes, the longest in UTF-8, and the target as a registration
  /// token of 200 bytes. A string without `max_length` and `enum` has no limit of its own and counts as
  /// empty.
  package var longestMessageBytes: Int {
    let base = params.map(\.longestValue)
    let chosen = slots.flatMap(\.variants).map { variant in
      zip(params, base).map { param, value in
        variant.conditions.first { $0.param.hasSameBytes(as: param.name) }?.value ?? value
      }
    }
    let target = Target.token(String(repeating: "t", count: 200))
    // A ttl that a param sets is a placeholder, whose length is fixed.
    let settings = MessageSettings(
      ttlSeconds: plan.check.hasTTL ? MessageRules.ttlSecondsMax : nil,
      activity: activity == nil ? nil : .longest)
    let longest =
      ([base] + chosen).map { plan.message(values: $0, settings: settings).byteCount(to: target) }.max() ?? 0
    return longest + pluralKeyBytes
  }

  /// How much longer the keys of plurals can be than those of the numbers above.
  private var pluralKeyBytes: Int {
    slots.reduce(0) { sum, slot in
      guard let plural = slot.plural else { return sum }
      let suffixes = plural.partition.smallestMembers.indices.map {
        plural.partition.keySuffix(ofClass: $0).utf8.count
      }
      let platforms = AppPlatform.allCases.count { slot.texts[$0] != nil }
      return sum + platforms * ((suffixes.max() ?? 0) - (suffixes.min() ?? 0))
    }
  }
}

extension Param {
  /// An RFC 3339 time with nanoseconds and an offset.
  private static let dateBytesMax = 35
  /// A long date or amount in the languages that need most bytes, except for extreme numbers.
  private static let formattedBytesMax = 120

  fileprivate var longestValue: ParamValue {
    if let allowed, let longest = allowed.max(by: { $0.text.utf8.count < $1.text.utf8.count }) {
      return longest
    }
    if format != nil, type != .integer {
      return .string(String(repeating: "0", count: Self.formattedBytesMax))
    }
    switch type {
    case .string:
      // A longer text makes no difference: it already exceeds FCM's limit.
      let length = Swift.min(lengthMax ?? 0, SealedMessage.byteCountMax)
      return .string(String(repeating: "\u{1F600}", count: length))
    case .integer:
      let bounds = [min, max].map { Int64(exactly: ($0 ?? .nan).rounded()) ?? .min }
      return .integer(bounds.max { "\($0)".utf8.count < "\($1)".utf8.count } ?? .min)
    case .number: return .number(-.leastNormalMagnitude, text: "-2.2250738585072014e-308")
    case .boolean: return .boolean(false)
    case .date, .time, .datetime: return .string(String(repeating: "0", count: Self.dateBytesMax))
    }
  }
}
