import Clock
import Testing

@Suite struct UUIDv7Tests {
  @Test func growsWhenTheClockStepsBack() {
    var previous = UUIDv7(now: Timestamp(milliseconds: 5_000_000_000_000))
    for milliseconds in (0..<10_000).map({ Int64(4_000_000_000_000 - $0) }) {
      let next = UUIDv7(now: Timestamp(milliseconds: milliseconds))
      #expect(previous < next)
      previous = next
    }
  }

  @Test func carriesItsVersionAndVariant() {
    let characters = Array(UUIDv7().description)
    #expect(characters.count == 36)
    #expect(characters[14] == "7")
    #expect("89ab".contains(characters[19]))
  }

  @Test func roundTripsAsTextAndBytes() {
    let id = UUIDv7()
    #expect(UUIDv7(id.description) == id)
    #expect(UUIDv7(id.description.uppercased()) == id)
    #expect(UUIDv7(bytes: id.bytes) == id)
    for text in [
      "", "0199", "0199-00000000-0000-0000-000000000000-0", id.description + "0",
      "\(id.description.dropLast())g",
    ] {
      #expect(UUIDv7(text) == nil)
    }
  }
}
