/// Future events by time: a binary heap, first in, first out for equal times.
struct Agenda<Happening> {
  private struct Entry {
    let at: Int64
    let number: Int
    let happening: Happening
  }

  private var heap: [Entry] = []
  private var number = 0

  var nextAt: Int64? { heap.first?.at }

  mutating func add(at time: Int64, _ happening: Happening) {
    heap.append(Entry(at: time, number: number, happening: happening))
    number += 1
    var child = heap.count - 1
    while child > 0, isBefore(child, (child - 1) / 2) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func takeNext() -> (at: Int64, happening: Happening)? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    return (first.at, first.happening)
  }

  private mutating func sink() {
    var parent = 0
    while true {
      let children = (2 * parent + 1..<2 * parent + 3).filter { $0 < heap.count }
      guard let least = children.min(by: { isBefore($0, $1) }), isBefore(least, parent) else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    (heap[left].at, heap[left].number) < (heap[right].at, heap[right].number)
  }
}
