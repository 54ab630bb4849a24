import FCMMessage
import Foundation
import JSON
import Testing

@testable import AppStrings

/// Where texts are cut; scripts/test-browser compares the same texts with the console's drawings.
@Suite struct CollapsedSlotTests {
  private func shown(
    _ text: String, _ slot: String = "body", on platform: AppPlatform = .android
  ) throws -> Int? {
    try #require(CollapsedSlot(slot, on: platform)).shownCharacters(of: text)
  }

  @Test func cutsTextsWhereTheConsoleDoes() throws {
    let url = try #require(Bundle.module.url(forResource: "Fixtures/cuts", withExtension: "json"))
    let cuts = try #require(JSON.parse(Array(Data(contentsOf: url))).array)
    #expect(cuts.count > 30)
    for cut in cuts {
      let platform = try #require(cut["platform"]?.string.flatMap(AppPlatform.init))
      let text = try #require(cut["text"]?.string)
      let count = try shown(text, try #require(cut["slot"]?.string), on: platform)
      #expect(count.map(Int64.init) == cut["shown"]?.int64, "\(text)")
      guard let count, let end = cut["end"]?.string, !text.contains("\n") else { continue }
      #expect(text.prefix(count).hasSuffix(end.dropLast()), "\(text)")
    }
  }

  /// Roboto's advance widths of H, e, l and o are 1460, 1086, 497 and 1168 of 2048.
  @Test func measuresCharactersAsTheirFontDoes() {
    let table = WidthTable.shared
    let font = table.font("android400")
    let width = "Hello".reduce(0) { $0 + table.width(of: $1, in: font) }
    let real = Double(1460 + 1086 + 2 * 497 + 1168) / 2048
    #expect(abs(Double(width) / Double(table.units) - real) < 0.02)
    let ems: [(Character, Double)] = [
      ("数", 1), ("한", 0.925), ("👩‍👩‍👧", 1.25), ("🇫🇷", 1.25), ("\u{200B}", 0),
    ]
    for (text, ems) in ems {
      #expect(table.width(of: text, in: font) == Int(ems * Double(table.units)), "\(text)")
    }
    let alike: [(Character, Character)] = [("é", "e"), ("e\u{301}", "e"), ("ế", "e"), ("ά", "α")]
    for (accented, plain) in alike {
      #expect(table.width(of: accented, in: font) == table.width(of: plain, in: font))
    }
  }

  @Test func countsLinesAndTheirEnds() throws {
    #expect(try shown("") == nil)
    #expect(try shown("One\n") == nil)
    #expect(try shown("One\r\nTwo") == 3)
    #expect(try shown("\n\n") == 0)
    #expect(try shown("1\n2\n3\n4\n", on: .ios) == nil)
    #expect(try shown("1\n2\r3\r\n4\n5", on: .ios) == 4)
    #expect(try shown(String(repeating: "w", count: 100_000), on: .ios).map { $0 > 80 && $0 < 130 } == true)
    #expect(try shown(String(repeating: "a ", count: 50_000), on: .ios).map { $0 > 100 && $0 < 200 } == true)
  }

  @Test func knowsTheSlotsThatAPlatformShows() {
    #expect(CollapsedSlot("subtitle", on: .android) == nil)
    #expect(CollapsedSlot("body", on: .ios)?.linesMax == 4)
    #expect(CollapsedSlot("body", on: .android)?.linesMax == 1)
  }
}
