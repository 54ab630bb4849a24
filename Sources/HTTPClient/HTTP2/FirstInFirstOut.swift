/// A first-in, first-out queue whose operations take amortized constant time.
struct FirstInFirstOut<Element> {
  private var storage: [Element?] = []
  private var head = 0

  var count: Int { storage.count - head }
  var isEmpty: Bool { head == storage.count }
  var first: Element? { isEmpty ? nil : storage[head] }
  var elements: [Element] { storage[head...].compactMap { $0 } }

  mutating func append(_ element: Element) { storage.append(element) }

  mutating func prepend(_ element: Element) {
    if head > 0 {
      head -= 1
      storage[head] = element
    } else {
      storage.insert(element, at: 0)
    }
  }

  mutating func popFirst() -> Element? {
    guard head < storage.count else { return nil }
    let element = storage[head]
    storage[head] = nil
    head += 1
    if head == storage.count {
      storage.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1024, head > storage.count / 2 {
      storage.removeFirst(head)
      head = 0
    }
    return element
  }

  mutating func removeAll(where isMeant: (Element) -> Bool) {
    storage = elements.filter { !isMeant($0) }
    head = 0
  }
}
