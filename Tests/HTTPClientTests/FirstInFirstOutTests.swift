@testable import HTTPClient
import Testing

@Suite struct FirstInFirstOutTests {
  @Test func returnsElementsInOrderHoweverItIsUsed() {
    var queue = FirstInFirstOut<Int>()
    var expected: [Int] = []
    var random = SystemRandomNumberGenerator()
    for number in 0..<20_000 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<10:
        queue.append(number)
        expected.append(number)
      case 10..<18: #expect(queue.popFirst() == (expected.isEmpty ? nil : expected.removeFirst()))
      case 18:
        queue.prepend(-number)
        expected.insert(-number, at: 0)
      default:
        queue.removeAll { $0 % 97 == 0 }
        expected.removeAll { $0 % 97 == 0 }
      }
      #expect(queue.count == expected.count)
      #expect(queue.first == expected.first)
    }
    #expect(queue.elements == expected)
  }
}
