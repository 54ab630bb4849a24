import FCMMessage
import TestSupport
import Testing

@testable import AppStrings

/// Rules that hold for any text, tested with seeded random texts.
@Suite struct RenderPropertyTests {
  private static let tokens = [
    "%", "%", "%", "%s", "%1$s", "%2$s", "%<s", "%d", "%%", "%n", "%S", "%@", "%1$@", "%ld", "$", "1$", "0$",
    "-", "#",
    "+", " ", "0", ",", "(", "<", "1", "2", "12", "2147483648", "99999999999999999999", ".", ".1", "s", "S",
    "d", "x",
    "b", "h", "n", "t", "T", "tY", "l", "u", "@", "#@n@", "é", "😀", "off", " of ", "日", "\n", "\u{FF05}",
    "e\u{301}",
    "\u{200D}", "\u{0}",
  ]

  private static func formats(seed: UInt64, count: Int) -> [String] {
    var chance = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      (0...Int.random(in: 0...7, using: &chance)).map { _ in
        tokens[Int.random(in: 0..<tokens.count, using: &chance)]
      }.joined()
    }
  }

  private static func noise(seed: UInt64, count: Int) -> [String] {
    var chance = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      let bytes = (0..<Int.random(in: 0...40, using: &chance)).map { _ in
        Bool.random(using: &chance)
          ? UInt8.random(in: 0x20...0x40, using: &chance) : .random(in: 0...255, using: &chance)
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private static let argLists = [[], ["A"], ["A", "50% %s 😀"], ["", "é", "5"]]

  private static func exception(_ format: String, _ args: [String]) -> AndroidFormatError? {
    do throws(AndroidFormatError) {
      _ = try AndroidFormatter.format(format, args: args, language: nil)
      return nil
    } catch {
      return error
    }
  }

  @Test func verdictEqualsTheErrorOfFormatting() {
    for format in Self.formats(seed: 1, count: 10_000) + Self.noise(seed: 2, count: 5_000) {
      for args in Self.argLists {
        let verdict = AndroidFormatter.verdict(format, argCount: args.count)
        #expect(verdict == Self.exception(format, args), "\(format.debugDescription) \(args)")
      }
    }
  }

  @Test func aFormatStringWithoutFaultsFormatsAndOneWithFaultsDoesNot() {
    for format in Self.formats(seed: 3, count: 20_000) + Self.noise(seed: 4, count: 5_000) {
      let parsed = FormatString(format, platform: .android)
      let isFaulty =
        !parsed.strayPercents.isEmpty || parsed.placeholders.contains { $0.exception != nil }
      for count in 0...3 {
        let isShort =
          parsed.argumentCount > count || parsed.placeholders.contains { $0.argument == nil }
        switch AndroidFormatter.verdict(format, argCount: count)?.kind {
        case nil: #expect(!isFaulty && !isShort, "\(format.debugDescription)")
        case .missingArgument: #expect(isShort, "\(format.debugDescription)")
        case .outOfMemory: break
        default: #expect(isFaulty, "\(format.debugDescription)")
        }
      }
    }
  }

  @Test func iOSShowsEveryTextOfItsOwnPlaceholdersAsDocumented() {
    for format in Self.formats(seed: 5, count: 20_000) + Self.noise(seed: 6, count: 5_000) {
      let parsed = FormatString(format, platform: .ios)
      guard parsed.strayPercents.isEmpty, parsed.placeholders.allSatisfy({ !$0.isForeign }) else { continue }
      let args = ["A", "50% %@"]
      guard parsed.argumentCount <= args.count, parsed.placeholders.allSatisfy({ $0.argument != nil }) else {
        continue
      }
      let shown = AppleFormatter.format(format, args: args)
      #expect(shown == DocumentedText.fill(format, args: args, platform: .ios), "\(format.debugDescription)")
    }
  }

  @Test func rangesCoverPercentsInOrder() {
    for format in Self.formats(seed: 7, count: 10_000) + Self.noise(seed: 8, count: 5_000) {
      let bytes = Array(format.utf8)
      for platform in [AppPlatform.android, .ios] {
        let parsed = FormatString(format, platform: platform)
        var end = 0
        for range in (parsed.placeholders.map(\.range) + parsed.strayPercents.map(\.range))
          .sorted(by: { $0.lowerBound < $1.lowerBound })
        {
          #expect(
            range.lowerBound >= end && range.upperBound <= bytes.count && bytes[range.lowerBound] == 0x25)
          end = range.upperBound
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(1))) func formatsAnyLongTextQuickly() {
    let long = 30_000
    for unit in [
      "%", "%1", "%1$", "%#@", "1", "%.", "% ", "%-", "\u{FF05}", "%<s", "%s", "%tY", "%0$s", "%h", "😀%",
    ] {
      let text = "%" + String(repeating: unit, count: long / unit.utf8.count)
      let args = [String(repeating: "x", count: 100_000)]
      _ = Self.exception(text, args)
      _ = AppleFormatter.format(text, args: args)
      for platform in [AppPlatform.android, .ios] {
        #expect(FormatString(text, platform: platform).text.utf8.count == text.utf8.count)
        _ = DocumentedText.fill(text, args: args, platform: platform)
      }
    }
  }
}
