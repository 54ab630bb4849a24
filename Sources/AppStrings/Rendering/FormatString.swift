package import FCMMessage

/// The placeholders of a text, for checks: what a platform does with each `%`.
///
/// Accepts any text. `AndroidFormatter` and `AppleFormatter` produce what a phone really shows.
package struct FormatString: Sendable, Equatable {
  /// The type of arg that a placeholder is meant for.
  package enum Conversion: Sendable, Equatable {
    /// `%s`, `%S`, `%@`.
    case text
    /// `%d`, `%ld`, `%.2f`, `%x`: needs a number.
    case number
    /// `%c`.
    case character
    /// Android's `%tY`.
    case date
    /// Android's `%b`, which shows `true` whatever the arg.
    case boolean
    /// Android's `%h`, which shows a hash code.
    case hash
    /// Apple's `%#@name@`: a plural's variable, which push notifications do not fill.
    case plural
  }

  /// How a placeholder names its arg.
  package enum Numbering: Sendable, Equatable {
    case ordinary
    /// Android's `%<s`.
    case relative
    /// `%2$s`, as written: 0 is possible, and a number beyond an int is `Int.max`.
    case explicit(Int)
  }

  package struct Placeholder: Sendable, Equatable {
    /// As written, `%1$s`; cut after 40 characters.
    package let text: String
    /// Offsets in the text's UTF-8.
    package let range: Range<Int>
    package let numbering: Numbering
    package let conversion: Conversion
    /// The arg that it takes or was meant to take, from 0; nil if its position is impossible.
    package let argument: Int?
    /// Whether it belongs to another formatter than the one for this platform's notifications: `%@` on
    /// Android, and everything but `%@` and `%1$@` on iOS.
    package let isForeign: Bool
    /// Whether it has a space flag, as in "50% off" and "100% sure", which is almost certainly a percent sign
    /// that was not doubled. It takes no arg, and Android always throws for it.
    package let looksStray: Bool
    /// What Android throws for it even with enough args; nil if it formats, and on iOS.
    package let exception: AndroidFormatError.Kind?

    /// Whether it is meant for an integer: `%d`, `%ld`, `%x`.
    package var isInteger: Bool {
      conversion == .number && "dDiuUxXoO".utf8.contains(text.utf8.last ?? 0)
    }
  }

  /// A `%` that begins no placeholder of either platform.
  package struct StrayPercent: Sendable, Equatable {
    /// On iOS everything that vanishes with it, on Android the `%` and the next character.
    package let text: String
    /// Offsets in the text's UTF-8.
    package let range: Range<Int>
  }

  package let platform: AppPlatform
  package let text: String
  /// In text order.
  package private(set) var placeholders: [Placeholder] = []
  package private(set) var strayPercents: [StrayPercent] = []
  /// The number of `%%` (and on Android `%n`), which are replaced only where args are sent.
  package private(set) var escapeCount = 0
  /// The number of fullwidth `％` that seem to be meant as placeholders: `％s`, `％1$@`.
  package private(set) var fullwidthPercentCount = 0

  package init(_ text: String, platform: AppPlatform) {
    self.platform = platform
    self.text = text
    let bytes = Array(text.utf8)
    var arguments = PlaceholderArguments()
    var offset = 0
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "%"): offset = take(bytes, at: offset, &arguments)
      case 0xEF where bytes[offset...].starts(with: "\u{FF05}".utf8):
        if PrintfSyntax(bytes, at: offset + 2) != nil { fullwidthPercentCount += 1 }
        offset += 3
      default: offset += 1
      }
    }
  }

  /// Parses what begins with the `%` there and returns the offset after it.
  private mutating func take(
    _ bytes: [UInt8], at percent: Int, _ arguments: inout PlaceholderArguments
  ) -> Int {
    if bytes[percent...].starts(with: "%%".utf8) {
      escapeCount += 1
      return percent + 2
    }
    let found =
      platform == .android
      ? androidPlaceholder(bytes, at: percent, &arguments) : applePlaceholder(bytes, at: percent, &arguments)
    switch found {
    case .placeholder(let placeholder):
      placeholders.append(placeholder)
      return placeholder.range.upperBound
    case .escape(let end):
      escapeCount += 1
      return end
    case .stray:
      let range = percent..<strayEnd(bytes, at: percent)
      strayPercents.append(StrayPercent(text: quote(bytes[range]), range: range))
      return range.upperBound
    }
  }

  /// The offset after the `%` and the next character, or on iOS the next digits; never past another `%`.
  private func strayEnd(_ bytes: [UInt8], at percent: Int) -> Int {
    var end = percent + 1
    if platform == .ios, end < bytes.count, bytes[end].isASCIIDigit {
      while end < bytes.count, bytes[end].isASCIIDigit { end += 1 }
      return end
    }
    guard end < bytes.count, bytes[end] != UInt8(ascii: "%") else { return end }
    end += 1
    while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
    return end
  }
}

extension FormatString {
  /// The number of args that the placeholders take: the highest position, or their count.
  package var argumentCount: Int { placeholders.compactMap(\.argument).max().map { $0 + 1 } ?? 0 }

  /// Android's `%<s` before any placeholder whose arg it could repeat, for which Java throws
  /// `MissingFormatArgumentException` however many args are sent; nil if there is none.
  package var danglingRelative: Placeholder? {
    placeholders.first { $0.numbering == .relative && $0.argument == nil && !$0.looksStray }
  }

  /// The args that placeholders take, from 0.
  package var usedArguments: Set<Int> { Set(placeholders.compactMap(\.argument)) }

  /// The number of placeholders without a position.
  package var ordinaryCount: Int { placeholders.count { $0.numbering == .ordinary } }

  /// Whether some placeholders have a position and others do not.
  package var mixesNumbering: Bool {
    ordinaryCount > 0 && placeholders.contains { if case .explicit = $0.numbering { true } else { false } }
  }

  /// Whether the text changes when args are sent.
  package var hasPercent: Bool { !placeholders.isEmpty || !strayPercents.isEmpty || escapeCount > 0 }
}

/// Assigns args to placeholders as both platforms do: those without a position are counted separately.
struct PlaceholderArguments {
  private var nextOrdinary = 0
  private var last: Int?

  mutating func next(_ numbering: FormatString.Numbering) -> Int? {
    switch numbering {
    case .relative: break
    case .ordinary:
      last = nextOrdinary
      nextOrdinary += 1
    case .explicit(let index): last = index > 0 && index <= Int(Int32.max) ? index - 1 : nil
    }
    return last
  }
}
