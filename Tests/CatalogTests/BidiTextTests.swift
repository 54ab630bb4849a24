import FCMMessage
import JSON
import Testing
import _FoundationICU

@testable import Catalog

/// The direction of args in texts.
@Suite struct BidiTextTests {
  private static let (lre, rle, pdf, lro, rlo) =
    ("\u{202A}", "\u{202B}", "\u{202C}", "\u{202D}", "\u{202E}")
  private static let (lri, rli, fsi, pdi) = ("\u{2066}", "\u{2067}", "\u{2068}", "\u{2069}")

  @Test func balancesControls() {
    let (lre, rle, pdf, lro, rlo) = (Self.lre, Self.rle, Self.pdf, Self.lro, Self.rlo)
    let (lri, rli, fsi, pdi) = (Self.lri, Self.rli, Self.fsi, Self.pdi)
    let cases = [
      ("", ""), ("a é 😀 \u{2027}\u{202F}\u{2065}\u{206A}", "a é 😀 \u{2027}\u{202F}\u{2065}\u{206A}"),
      (rlo + "evil", rlo + "evil" + pdf), (lre + rle + "x", lre + rle + "x" + pdf + pdf),
      (lro + "x" + pdf + "y", lro + "x" + pdf + "y"), (pdf + "x" + pdi, "x"),
      (fsi + "x", fsi + "x" + pdi), (lri + rlo + "x" + pdi + "y", lri + rlo + "x" + pdi + "y"),
      (rlo + rli + "x" + pdf + "y", rlo + rli + "x" + "y" + pdi + pdf),
      (rli + "x" + pdf + pdi + pdi, rli + "x" + pdi),
      (rlo + "a\nb" + pdf, rlo + "a" + pdf + "\nb"),
      (fsi + "a\u{2029}b\u{85}" + rle, fsi + "a" + pdi + "\u{2029}b\u{85}" + rle + pdf),
      (rle + "a\u{2028}b", rle + "a\u{2028}b" + pdf), (rle + "\r\n" + pdi, rle + pdf + "\r\n"),
    ]
    for (text, expected) in cases {
      #expect(
        Array(BidiText.directed(text, isolates: false).utf8) == Array(expected.utf8),
        "\(text.debugDescription)")
    }
  }

  @Test func isolatesEachParagraph() {
    let (fsi, pdi) = (Self.fsi, Self.pdi)
    let cases = [
      ("", fsi + pdi), ("Bob", fsi + "Bob" + pdi), ("a\nb", fsi + "a" + pdi + "\n" + fsi + "b" + pdi),
      ("a\r\nb", fsi + "a" + pdi + "\r\n" + fsi + "b" + pdi),
      ("a\n\rb", fsi + "a" + pdi + "\n" + fsi + pdi + "\r" + fsi + "b" + pdi),
      ("x" + pdi + Self.rlo + "y", fsi + "x" + Self.rlo + "y" + Self.pdf + pdi),
      (fsi, fsi + fsi + pdi + pdi),
    ]
    for (text, expected) in cases {
      #expect(
        Array(BidiText.directed(text, isolates: true).utf8) == Array(expected.utf8),
        "\(text.debugDescription)")
    }
  }

  /// ICU's levels of the text around an arg do not depend on what the arg contains.
  @Test func argsLeaveTheTextAroundThemAlone() throws {
    var generator = SplitMix(seed: 7)
    let pieces =
      ["a", "B ", "1", "א", "ש ", "٣", "(", "]", "-", " ", ", "] + [
        Self.lre, Self.rle, Self.pdf, Self.lro, Self.rlo, Self.lri, Self.rli, Self.fsi, Self.pdi, "\u{200E}",
        "\u{200F}",
        "\u{61C}",
      ]
    var changedRaw = 0
    for _ in 0..<4_000 {
      let count = Int(generator.next() % 12)
      let arg = (0..<count).map { _ in pieces[Int(generator.next() % UInt64(pieces.count))] }.joined()
      for (before, after) in [("New from ", ": 3 files"), ("הודעה מאת ", " (3) new!")] {
        let empty = try levels(before, Self.fsi + Self.pdi, after)
        let isolated = try levels(before, BidiText.directed(arg, isolates: true), after)
        #expect(isolated == empty, "\(arg.debugDescription)")
        if try levels(before, Self.fsi + arg + Self.pdi, after) != empty { changedRaw += 1 }
        // An arg that is not isolated ends where it ends: a word after it keeps its own direction.
        let word = try levels("", BidiText.directed(arg, isolates: false), " word ש")
        #expect(word[1] % 2 == 0 && word[6] % 2 == 1, "\(arg.debugDescription)")
      }
    }
    #expect(changedRaw > 1_000)
  }

  /// The embedding levels of `before` and `after`, in a paragraph from left to right.
  private func levels(_ before: String, _ arg: String, _ after: String) throws -> [UInt8] {
    let units = Array((before + arg + after).utf16)
    let bidi = try #require(swift_ubidi_open())
    defer { swift_ubidi_close(bidi) }
    var status = U_ZERO_ERROR
    swift_ubidi_setPara(bidi, units, Int32(units.count), 0, nil, &status)
    let levels = try #require(swift_ubidi_getLevels(bidi, &status))
    let all = (0..<units.count).map { levels[$0] }
    return Array(all.prefix(before.utf16.count)) + Array(all.suffix(after.utf16.count))
  }

  @Test func directsTheArgsOfTextsOnly() throws {
    let template = """
      {params: {s: {type: string, bidi: isolate}, r: {type: string, max_length: 3}, i: {type: integer, bidi: isolate},
                e: {type: string, default: "", bidi: isolate}},
       data: {s: {$param: s}, r: {$param: r}}, body: {android: k, ios: K, args: [s, r, i, e]}}
      """
    let raw: JSON = "\u{202E}ab"
    let message = try Fixture.message(template: template, args: ["s": raw, "r": raw, "i": 3])
    let args: JSON = [
      "\u{2068}\u{202E}ab\u{202C}\u{2069}", "\u{202E}ab\u{202C}", "\u{2068}3\u{2069}", "\u{2068}\u{2069}",
    ]
    #expect(message["android"]?["notification"]?["body_loc_args"] == args)
    #expect(message["apns"]?["payload"]?["aps"]?["alert"]?["loc-args"] == args)
    #expect(message["data"] == ["s": raw, "r": raw])
  }

  @Test func defaultsIsolateStringsUnlessAParamSaysOtherwise() throws {
    let template = """
      {params: {s: {type: string}, n: {type: string, bidi: none}, i: {type: integer}}, body: {ios: K, args: [s, n, i]}}
      """
    let message = try Fixture.message(
      template: template, defaults: "{bidi: isolate}", args: ["s": "a", "n": "b", "i": 1])
    #expect(
      message["apns"]?["payload"]?["aps"]?["alert"]?["loc-args"] == ["\u{2068}a\u{2069}", "b", "1"])
    let problems = Fixture.problems(template: "{params: {s: {type: string, bidi: rtl}}}")
    #expect(problems.count == 1 && problems[0].contains("must be one of none, isolate"), "\(problems)")
  }

  @Test func countsTheAddedCharacters() throws {
    func bytes(_ bidi: String) throws -> Int {
      let catalog = try Fixture.catalog(
        template: "{params: {s: {type: string, max_length: 4, bidi: \(bidi)}}, body: {ios: K, args: [s]}}")
      let message = try catalog.assemble(AssemblyRequest(template: "t", args: .init([("s", "abcd")]))).get()
      #expect(message.message.message(to: nil, values: Fixture.placeholderValues).count <= message.byteCount)
      return try message.byteCount - (#require(catalog.template("t")).longestMessageBytes)
    }
    #expect(try bytes("isolate") == bytes("none"))
  }
}

/// A generator of the same numbers in every run.
private struct SplitMix: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
