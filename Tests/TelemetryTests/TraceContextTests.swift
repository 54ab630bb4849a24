import Clock
import Testing

@testable import Telemetry

/// Cases from W3C's test suite for Trace Context (test/test.py), strict level 2, and from the specification.
struct TraceContextTests {
  private static let id = "12345678901234567890123456789012"
  private static let sound = "00-12345678901234567890123456789012-1234567890123456-01"

  @Test(arguments: [
    sound, "00-\(id)-1234567890123456-00", "cc-\(id)-1234567890123456-01",
    "cc-\(id)-1234567890123456-01-what-the-future-will-be-like", "cc-\(id)-1234567890123456-01-",
    "fe-\(id)-1234567890123456-01", " \(sound)", "\t\(sound)", "\(sound) ", "\(sound)\t", "\t \(sound) \t",
    "00-\(id)-1234567890123456-ff",
  ])
  func validParentsAreContinued(field: String) {
    let context = TraceContext(traceparent: [field], tracestate: [])
    #expect(context.traceID == Self.id)
    let sent = context.child().parent
    #expect(sent.traceID == context.parent.traceID)
    #expect(sent.spanID != context.parent.spanID)
    #expect(sent.description.hasPrefix("00-\(Self.id)-") && sent.description.utf8.count == 55)
  }

  @Test(arguments: [
    "", "00", "00-\(id)-1234567890123456-01.", "00-\(id)-1234567890123456-01-what-the-future-will-be-like",
    "00-\(id)-1234567890123456-01-", "cc-\(id)-1234567890123456-01.what-the-future-will-be-like",
    "ff-\(id)-1234567890123456-01", ".0-\(id)-1234567890123456-01", "0.-\(id)-1234567890123456-01",
    "000-\(id)-1234567890123456-01", "0000-\(id)-1234567890123456-01", "0-\(id)-1234567890123456-01",
    "00-00000000000000000000000000000000-1234567890123456-01",
    "00-.2345678901234567890123456789012-1234567890123456-01",
    "00-1234567890123456789012345678901.-1234567890123456-01",
    "00-123456789012345678901234567890123-1234567890123456-01",
    "00-1234567890123456789012345678901-1234567890123456-01", "00-\(id)-0000000000000000-01",
    "00-\(id)-.234567890123456-01", "00-\(id)-123456789012345.-01", "00-\(id)-12345678901234567-01",
    "00-\(id)-123456789012345-01", "00-\(id)-1234567890123456-.0", "00-\(id)-1234567890123456-0.",
    "00-\(id)-1234567890123456-001", "00-\(id)-1234567890123456-1",
    "00-ABCDEF78901234567890123456789012-1234567890123456-01", "00-\(id)-123456789012345A-01",
    "0A-\(id)-1234567890123456-01", "00_\(id)-1234567890123456-01", "00-\(id)_1234567890123456-01",
    "00-\(id)-1234567890123456_01", "\(sound),\(sound)", "\u{A0}\(sound)", "00-\(id)-123456789012345é-01",
  ])
  func invalidParentsStartATrace(field: String) {
    #expect(TraceParent(field) == nil)
    let context = TraceContext(traceparent: [field], tracestate: ["foo=1"])
    #expect(context.traceID != Self.id)
    #expect(TraceParent(context.parent.description) == context.parent)
    #expect(context.state == nil)
  }

  @Test func severalParentsOrNoneStartATrace() {
    for fields in [[], [Self.sound, Self.sound]] {
      let context = TraceContext(traceparent: fields, tracestate: ["foo=1"])
      #expect(context.traceID != Self.id)
      #expect(context.fields.map(\.name) == ["traceparent"])
    }
  }

  @Test(arguments: [
    ("00", "00", false), ("01", "01", true), ("03", "03", true), ("ff", "03", true), ("fc", "00", false),
  ])
  func onlyKnownFlagsAreContinued(flags: String, sent: String, isSampled: Bool) throws {
    let parent = try #require(TraceParent("00-\(Self.id)-1234567890123456-\(flags)"))
    #expect(parent.isSampled == isSampled)
    #expect(parent.child().description.hasSuffix("-\(sent)"))
  }

  @Test func newTracesAreRandomAndFlaggedSo() {
    let traces = (0..<100).map { _ in TraceParent.random() }
    #expect(Set(traces.map(\.traceID)).count == 100)
    #expect(Set(traces.map(\.spanID)).count == 100)
    #expect(traces.allSatisfy { $0.description.hasSuffix("-02") && !$0.isSampled })
    #expect(TraceParent.random(isSampled: true).description.hasSuffix("-03"))
  }

  @Test func idsOfZerosAreNeverGenerated() {
    var generator = ZerosThenOnes()
    let trace = TraceParent.random(using: &generator)
    #expect(TraceParent(trace.description) == trace)
  }

  @Test func fieldsAreWrittenAsTheyAreRead() {
    let context = TraceContext(traceparent: [Self.sound], tracestate: ["foo=1,bar=2"])
    #expect(context.fields.map(\.name) == ["traceparent", "tracestate"])
    #expect(context.fields.map(\.value) == [Self.sound, "foo=1,bar=2"])
    #expect(context.child().fields.last?.value == "foo=1,bar=2")
  }
}

/// Returns zeros a few times, which a real generator is unlikely to do.
private struct ZerosThenOnes: RandomNumberGenerator {
  private var zeros = 5
  mutating func next() -> UInt64 {
    zeros -= 1
    return zeros >= 0 ? 0 : 1
  }
}

struct TraceStateTests {
  private static let keyCharacters = "abcdefghijklmnopqrstuvwxyz0123456789_-*/"
  private static let valueCharacters = String(
    decoding: (UInt8(0x20)...0x7E).filter { $0 != 0x2C && $0 != 0x3D }, as: UTF8.self)

  @Test(arguments: [
    (["foo=1,bar=2"], "foo=1,bar=2"), (["foo=1", ""], "foo=1"), (["", "foo=1"], "foo=1"),
    (["foo=1,bar=2", "rojo=1,congo=2", "baz=3"], "foo=1,bar=2,rojo=1,congo=2,baz=3"),
    (["foo=1 \t , \t bar=2, \t baz=3"], "foo=1,bar=2,baz=3"), ([" foo=1"], "foo=1"),
    (["\t foo=1 \t"], "foo=1"),
    (["foo=1,,bar=2,"], "foo=1,bar=2"),
    (["\(keyCharacters)=\(valueCharacters)"], "\(keyCharacters)=\(valueCharacters)"),
    (["\(keyCharacters)@a-z0-9_-*/=\(valueCharacters)"], "\(keyCharacters)@a-z0-9_-*/=\(valueCharacters)"),
    (["1a@b=2"], "1a@b=2"), (["foo= 1"], "foo= 1"),
  ])
  func validStatesArePassedOn(fields: [String], expected: String) {
    #expect(TraceState(fields)?.description == expected)
  }

  @Test(arguments: [
    [], [""], [" , "], ["foo=1,foo=1"], ["foo=1,foo=2"], ["foo=1", "foo=1"], ["foo =1"], ["FOO=1"],
    ["foo.bar=1"],
    ["foo@=1,bar=2"], ["@foo=1,bar=2"], ["foo@@bar=1,bar=2"], ["foo@bar@baz=1,bar=2"], ["foo=bar=baz"],
    ["foo=,bar=3"], ["foo"], ["=1"], ["1foo=1"], ["foo@1a=1"], ["foo=é"], ["foo=\u{7F}"], ["foo=a\tb"],
    ["é=1"],
  ])
  func invalidStatesAreDiscardedAsAWhole(fields: [String]) {
    #expect(TraceState(fields) == nil)
  }

  @Test func lengthsAndCountsAreBounded() {
    func state(_ key: String, _ value: String = "1") -> TraceState? {
      TraceState(["foo=1", "\(key)=\(value)"])
    }
    func many(_ count: Int) -> [String] { (1...count).map { "bar\($0)=\($0)" } }
    func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
    #expect(state(repeated("z", 256)) != nil)
    #expect(state(repeated("z", 257)) == nil)
    #expect(state(repeated("t", 241) + "@" + repeated("v", 14)) != nil)
    #expect(state(repeated("t", 242) + "@v") == nil)
    #expect(state("t@" + repeated("v", 15)) == nil)
    #expect(state("k", repeated("v", 256)) != nil)
    #expect(state("k", repeated("v", 257)) == nil)
    #expect(TraceState(many(32)) != nil)
    #expect(TraceState(many(33)) == nil)
  }

  @Test func longMembersAreDroppedFirst() {
    let long = (0..<20).map { "long\($0)=" + String(repeating: "v", count: 240) }
    let state = TraceState(["first=1"] + long + ["last=2"])?.description ?? ""
    #expect(state.utf8.count <= 4_096 && state.utf8.count > 3_800)
    #expect(state.hasPrefix("first=1,long0=") && state.hasSuffix(",last=2"))
    #expect(!state.contains("long19="))
  }
}

struct RequestIDTests {
  @Test(arguments: ["a", "0199-abc", "!\"#~", String(repeating: "x", count: 128)])
  func validIDsAreAccepted(field: String) {
    #expect(RequestID(fields: [field]).description == field)
  }

  @Test(arguments: [
    [], [""], ["a b"], ["a\n"], ["é"], ["a\u{7F}"], [String(repeating: "x", count: 129)], ["a", "a"],
  ])
  func otherIDsAreReplaced(fields: [String]) {
    let id = RequestID(fields: fields).description
    #expect(!fields.contains(id))
    #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
  }

  @Test func newIDsContainTheTime() {
    var generator = Ones()
    let id = RequestID.random(milliseconds: 0x017F_22E2_79B0, using: &generator)
    #expect(id.description == "017f22e2-79b0-7fff-bfff-ffffffffffff")
  }
}

private struct Ones: RandomNumberGenerator {
  mutating func next() -> UInt64 { .max }
}

struct IDGeneratorTests {
  @Test func numbersAreSpreadAndUniqueAcrossThreads() async {
    let numbers = await withTaskGroup(of: [UInt64].self) { group in
      for _ in 0..<8 {
        group.addTask {
          var generator = IDGenerator()
          return (0..<10_000).map { _ in generator.next() }
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(numbers).count == 80_000)
    for bit in 0..<64 {
      let set = numbers.count { $0 >> UInt64(bit) & 1 == 1 }
      #expect((38_500...41_500).contains(set))
    }
  }
}
