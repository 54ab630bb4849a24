package import FCMMessage

/// A text taken apart into its placeholders, for checks: what a platform does with each `%` in it.
///
/// Total over any text; what a phone really shows is for `AndroidFormatter` and `AppleFormatter` to say.
package struct FormatString: Sendable, Equatable {
  /// What a placeholder is meant for.
  package enum Conversion: Sendable, Equatable {
    /// `%s`, `%S`, `%@`.
    case text
    /// `%d`, `%ld`, `%.2f`, `%x`: wants a number.
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
    /// The arg that it takes or was meant to take, from 0; nil where it names none that can be.
    package let argument: Int?
    /// Written for other formatters than the one that this platform's notifications go through: `%@` on
    /// Android; everything but `%@` and `%1$@` on iOS.
    package let isForeign: Bool
    /// It has a space flag, as in "50% off" and "100% sure": surely a percent sign that was not doubled. It
    /// counts for no arg, and Android always throws for it.
    package let looksStray: Bool
    /// What Android throws for it even where there are args enough; nil where it formats, and on iOS.
    package let exception: AndroidFormatError.Kind?
  }

  /// A `%` that begins no placeholder of either platform.
  package struct StrayPercent: Sendable, Equatable {
    /// What goes with it: on iOS all that vanishes, on Android the `%` and the character behind it.
    package let text: String
    /// Offsets in the text's UTF-8.
    package let range: Range<Int>
  }

  package let platform: AppPlatform
  package let text: String
  /// In the order of the text.
  package private(set) var placeholders: [Placeholder] = []
  package private(set) var strayPercents: [StrayPercent] = []
  /// How many `%%` (and on Android `%n`) it has, which only a text with args turns into what they mean.
  package private(set) var escapeCount = 0
  /// How many fullwidth `％` stand where a placeholder seems meant: `％s`, `％1$@`.
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

  /// Takes what begins with the `%` there; the offset behind it.
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

  /// Behind the `%` and the character after it, or on iOS the digits after it; never over another `%`.
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
  /// How many args the placeholders take: the highest that one of them names, or their count.
  package var argumentCount: Int { placeholders.compactMap(\.argument).max().map { $0 + 1 } ?? 0 }

  /// The args that placeholders take, from 0.
  package var usedArguments: Set<Int> { Set(placeholders.compactMap(\.argument)) }

  /// How many placeholders take the next arg, whatever it is.
  package var ordinaryCount: Int { placeholders.count { $0.numbering == .ordinary } }

  /// Whether some placeholders say which arg they take and others take the next.
  package var mixesNumbering: Bool {
    ordinaryCount > 0 && placeholders.contains { if case .explicit = $0.numbering { true } else { false } }
  }

  /// Whether it is shown otherwise when args are sent than when none are.
  package var hasPercent: Bool { !placeholders.isEmpty || !strayPercents.isEmpty || escapeCount > 0 }
}

/// Counts through placeholders as both platforms do: those without a number apart from those with one.
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
