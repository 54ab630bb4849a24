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

  @Test func isWrittenInLowerCase() {
    let id = UUIDv7(high: 0x0123_4567_89AB_7CDE, low: 0x8FED_CBA9_8765_4321)
    #expect(id.description == "01234567-89ab-7cde-8fed-cba987654321")
    var bytes = Array("id=".utf8)
    id.append(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "id=01234567-89ab-7cde-8fed-cba987654321")
  }

  @Test func digitsOfEveryByteAreThoseOfTheStandardLibrary() {
    for byte in UInt64(0)...255 {
      let number = byte << 56 | byte << 24 | (255 - byte)
      var bytes: [UInt8] = []
      number.appendHexDigits(to: &bytes)
      let expected = String(number, radix: 16)
      #expect(
        String(decoding: bytes, as: UTF8.self)
          == String(repeating: "0", count: 16 - expected.count) + expected)
    }
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
