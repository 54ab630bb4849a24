internal import FCMMessage
internal import JSON
internal import LocaleRules

/// A request with the longest values that its template's params allow.
///
/// Each character of a string counts as four bytes, the longest in UTF-8, and the target as a registration
/// token of 200 bytes. A string without `max_length` and `enum` has no limit of its own and counts as empty.
package struct LongestRequest: Sendable {
  package let message: PreparedMessage
  /// The longest texts that any language makes of the formatted args.
  package let args: ArgTexts
  /// How much longer the args of another number of the same class can be.
  fileprivate var furtherBytes = 0

  fileprivate static let target = Target.token(String(repeating: "t", count: 200))

  /// The size of the message with `content`, counted as in `Catalog.assemble`.
  package func byteCount(_ content: MessageContent) -> Int {
    let plan = message.template.plan
    return plan.message(values: message.values, settings: message.settings, content: content)
      .byteCount(to: Self.target) + furtherBytes
  }
}

extension Template {
  /// The size of the longest message with loc keys that the params' own limits allow.
  package var longestMessageBytes: Int {
    let longest = longestOfVariants.map { request in
      var content = MessageContent.deviceTexts
      (content.androidArgs, content.iosArgs) = (request.args, request.args)
      return request.byteCount(content)
    }
    return (longest.max() ?? 0) + pluralKeyBytes
  }

  /// The longest requests for each choice of texts: those of the slots, of each variant, and of each class of
  /// a plural.
  package var longestRequests: [LongestRequest] { longestOfVariants + longestOfClasses }

  private var longestValues: [ParamValue] { params.map(\.longestValue) }

  private var longestOfVariants: [LongestRequest] {
    ([longestValues] + slots.flatMap(\.variants).map(longestValues)).map(request)
  }

  private func longestValues(choosing variant: TextSlot.Variant) -> [ParamValue] {
    zip(params, longestValues).map { param, value in
      variant.conditions.first { $0.param.hasSameBytes(as: param.name) }?.value ?? value
    }
  }

  private var longestOfClasses: [LongestRequest] {
    slots.flatMap { slot -> [LongestRequest] in
      let variants = slot.variants.filter { $0.plural != nil }.map(longestValues)
      return ([longestValues] + variants).flatMap { longestOfClasses(of: slot, $0) }
    }
  }

  private func longestOfClasses(of slot: TextSlot, _ base: [ParamValue]) -> [LongestRequest] {
    guard let plural = slot.plural, let param = params.index(of: plural.param) else { return [] }
    return plural.partition.smallestMembers.map { number in
      var values = base
      values[param] = .integer(Int64(clamping: number))
      var longest = request(values)
      longest.furtherBytes =
        occurrences(of: params[param].name) * (base[param].textBytes - values[param].textBytes)
      return longest
    }
  }

  /// How often a message can show a param, at most once for each platform and browsers in a text.
  private func occurrences(of param: String) -> Int {
    slots.reduce(0) { sum, slot in
      let texts = AppPlatform.allCases.flatMap { slot.allTexts(on: $0) }
      return sum + 3 * (texts.map { $0.args.count { $0.hasSameBytes(as: param) } }.max() ?? 0)
    }
  }

  private func request(_ values: [ParamValue]) -> LongestRequest {
    var args = ArgTexts()
    for (index, param) in params.enumerated() {
      if let format = param.format {
        let bytes = max(values[index].textBytes, format.longestTextBytes(wholeDigits: param.wholeDigits))
        args.add(String(repeating: "0", count: bytes), of: index)
      }
    }
    // A ttl that a param sets is a placeholder, whose length is fixed.
    let settings = MessageSettings(
      ttlSeconds: plan.check.hasTTL ? MessageRules.ttlSecondsMax : nil,
      activity: activity == nil ? nil : .longest)
    return LongestRequest(
      message: PreparedMessage(template: self, values: values, settings: settings), args: args)
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

extension ParamValue {
  fileprivate var textBytes: Int { text.utf8.count }
}

extension Param {
  /// An RFC 3339 time with nanoseconds and an offset.
  private static let dateBytesMax = 35
  /// The digits of the largest whole numbers that doubles represent exactly; larger ones are no amounts.
  private static let wholeDigitsMax = 16

  /// The number of digits before the decimal separator, by the param's own limits.
  fileprivate var wholeDigits: Int {
    guard type == .integer || type == .number else { return 0 }
    let bounds = [min, max].compactMap { $0?.double } + (allowed ?? []).compactMap { Double($0.text) }
    let usual = type == .integer ? "\(Int64.max)".utf8.count : Self.wholeDigitsMax
    guard min != nil && max != nil || allowed != nil else { return usual }
    let longest = bounds.map { Int64(exactly: $0.rounded(.towardZero)).map { "\($0.magnitude)".utf8.count } }
    return longest.reduce(1) { Swift.max($0, $1 ?? usual) }
  }

  fileprivate var longestValue: ParamValue {
    if let allowed, let longest = allowed.max(by: { $0.textBytes < $1.textBytes }) {
      return longest
    }
    switch type {
    case .string:
      // A longer text makes no difference: it already exceeds FCM's limit.
      let length = Swift.min(lengthMax ?? 0, SealedMessage.byteCountMax)
      return .string(String(repeating: "\u{1F600}", count: length))
    case .integer:
      let bounds = [min, max].map { Int64(exactly: ($0?.double ?? .nan).rounded()) ?? .min }
      return .integer(bounds.max { "\($0)".utf8.count < "\($1)".utf8.count } ?? .min)
    case .number: return .number(-.leastNormalMagnitude, text: "-2.2250738585072014e-308")
    case .boolean: return .boolean(false)
    case .date, .time, .datetime:
      return .date(.day(0), text: String(repeating: "0", count: Self.dateBytesMax))
    }
  }
}
