import Testing

@testable import API

struct CursorSealTests {
  private let seal = CursorSeal(keyHashes: [sha256([1]), sha256([2])])

  @Test(arguments: [1, 2, 255, 256, 4_294_967_296, Int64.max])
  func returnsThePlaceToItsClient(_ row: Int64) {
    for client in [nil, "orders", ""] {
      let text = seal.text(row, in: .notifications, for: client)
      #expect(text.utf8.count == 32)
      #expect(seal.place(text, in: .notifications, for: client) == row)
    }
  }

  @Test func otherClientsAndOtherKeysHaveOtherCursors() {
    let text = seal.text(7, in: .notifications, for: "orders")
    #expect(seal.place(text, in: .notifications, for: "other") == nil)
    #expect(seal.place(text, in: .notifications, for: nil) == nil)
    #expect(seal.place(text, in: .feedback, for: "orders") == nil)
    #expect(CursorSeal(keyHashes: [sha256([1])]).place(text, in: .notifications, for: "orders") == nil)
    // Gateways that list the same clients in another order have the same cursors.
    #expect(
      CursorSeal(keyHashes: [sha256([2]), sha256([1])]).place(text, in: .notifications, for: "orders") == 7)
  }

  /// Neighboring places have nothing in common that a client could count by.
  @Test func tellsNothingAboutTheRow() {
    let texts = (1...1000).map { seal.text($0, in: .notifications, for: "orders") }
    #expect(Set(texts).count == texts.count)
    for position in 0..<32 {
      let digits = Set(texts.map { Array($0.utf8)[position] })
      #expect(digits.count == 16, "digit \(position)")
    }
    #expect(texts != texts.sorted())
  }

  @Test func refusesWhatItDidNotMake() {
    let text = seal.text(7, in: .notifications, for: "orders")
    let changed = (0..<32).map { index in
      var digits = Array(text.utf8)
      digits[index] = digits[index] == 0x30 ? 0x31 : 0x30
      return String(decoding: digits, as: UTF8.self)
    }
    for wrong in ["", "n1", text.uppercased(), text + "0", String(text.dropLast()), "!"] + changed
    where wrong != text {
      #expect(seal.place(wrong, in: .notifications, for: "orders") == nil, "\(wrong)")
    }
  }
}
