import TestSupport
import Testing

@testable import HTTPServer

/// Parses mutated requests: the same steps however they are cut, no crash, and no more buffered than
/// allowed.
@Suite(.timeLimit(.minutes(2))) struct ParserFuzzTests {
  private static let limits: HTTPServerConfiguration = {
    var limits = HTTPServerConfiguration.testing
    limits.requestLineBytesMax = 200
    limits.headerBytesMax = 400
    limits.headerCountMax = 8
    limits.bodyBytesMax = 64
    limits.chunkLineBytesMax = 40
    limits.chunkExtensionBytesMax = 60
    return limits
  }()

  /// Every request of the rules' tables that is not meant to be large.
  private static let corpus: [[UInt8]] = [
    HTTPRule.hosts, HTTPRule.fieldLines, HTTPRule.requestLines, HTTPRule.lengths, HTTPRule.codings,
    HTTPRule.chunks,
    HTTPRule.ends,
  ].joined().map(\.bytes).filter { $0.count < 400 }

  @Test func everyRequestParsesTheSameHoweverItIsCut() {
    for bytes in Self.corpus {
      let whole = parse(bytes, cuts: [], limits: Self.limits)
      for cut in 1..<max(2, bytes.count) {
        #expect(parse(bytes, cuts: [cut], limits: Self.limits) == whole, "\(bytes) cut at \(cut)")
      }
    }
  }

  @Test(arguments: [1, 2, 3, 4]) func mutatedRequestsParseTheSameHoweverTheyAreCut(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for round in 0..<3000 {
      let bytes = mutated(&random)
      let whole = parse(bytes, cuts: [], limits: Self.limits)
      for request in whole.requests {
        #expect(
          (request.body?.utf8.count ?? 0) <= 3 * Self.limits.bodyBytesMax, "seed \(seed) round \(round)")
        // One more than the client may send: the Host that an absolute-form target stands for.
        #expect(request.fields.count <= Self.limits.headerCountMax + 1, "seed \(seed) round \(round)")
      }
      let each = parse(bytes, cuts: Array(0..<bytes.count), limits: Self.limits)
      #expect(each == whole, "seed \(seed) round \(round): \(bytes)")
      let cuts = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        Int.random(in: 0...bytes.count, using: &random)
      }
      let some = parse(bytes, cuts: cuts.sorted(), limits: Self.limits)
      #expect(some == whole, "seed \(seed) round \(round): \(bytes) cut at \(cuts)")
    }
  }

  /// Endless input must not be buffered endlessly: after twice the limits, the parser has rejected it.
  @Test(arguments: ["G", "GET /", "GET / HTTP/1.1\r\nA: ", "GET / HTTP/1.1\r\n", "\r\n"])
  func endlessInputIsRejectedInTime(start: String) {
    for filler in ["a", "A: b\r\n", "\r\n", " ", "\u{0}", ",", ";"] {
      let text = start + String(repeating: filler, count: 2000)
      let stream = parse(Array(text.utf8), cuts: [], limits: Self.limits)
      // Blank lines end heads, so that each is an incomplete request.
      #expect(stream.error != nil, "\(start.debugDescription) \(filler.debugDescription)")
    }
  }

  private func mutated(_ random: inout SeededGenerator) -> [UInt8] {
    var bytes = pick(&random)
    if Bool.random(using: &random) { bytes += pick(&random) }
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let place = Int.random(in: 0...bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 1:
        let words: [StaticString] = [
          "\r", "\n", "\r\n", " ", ":", ";", ",", "\"", "0", "chunked", "Content-Length: 3",
        ]
        let word = words[Int.random(in: 0..<words.count, using: &random)]
        bytes.insert(contentsOf: Array("\(word)".utf8), at: place)
      case 2 where place < bytes.count: bytes.remove(at: place)
      case 3 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 4:
        let other = pick(&random)
        bytes.replaceSubrange(place..., with: other.suffix(Int.random(in: 0...other.count, using: &random)))
      case 5 where place < bytes.count:
        bytes += bytes[place...].prefix(40)
      default: break
      }
    }
    return Array(bytes.prefix(1500))
  }

  private func pick(_ random: inout SeededGenerator) -> [UInt8] {
    Self.corpus[Int.random(in: 0..<Self.corpus.count, using: &random)]
  }
}
