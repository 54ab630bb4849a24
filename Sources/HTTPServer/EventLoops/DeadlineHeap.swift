/// The earliest of one deadline per slot: an indexed binary heap, so that no slot is in it twice.
struct DeadlineHeap: Sendable {
  private struct Entry: Sendable {
    var deadline: UInt64
    var slot: Int
  }

  private var entries: [Entry] = []
  /// The position of each slot in `entries`; -1 for none.
  private var positions: [Int] = []

  init() {}

  var isEmpty: Bool { entries.isEmpty }

  var earliest: (deadline: UInt64, slot: Int)? { entries.first.map { ($0.deadline, $0.slot) } }

  func deadline(of slot: Int) -> UInt64? {
    guard slot < positions.count, positions[slot] >= 0 else { return nil }
    return entries[positions[slot]].deadline
  }

  /// Adds or moves a slot; O(log n).
  mutating func set(_ slot: Int, to deadline: UInt64) {
    while positions.count <= slot { positions.append(-1) }
    let position = positions[slot]
    if position >= 0 {
      let earlier = deadline < entries[position].deadline
      entries[position].deadline = deadline
      if earlier { siftUp(position) } else { siftDown(position) }
    } else {
      entries.append(Entry(deadline: deadline, slot: slot))
      positions[slot] = entries.count - 1
      siftUp(entries.count - 1)
    }
  }

  /// Removes a slot; O(log n).
  mutating func remove(_ slot: Int) {
    guard slot < positions.count, positions[slot] >= 0 else { return }
    let position = positions[slot]
    positions[slot] = -1
    let last = entries.removeLast()
    guard position < entries.count else { return }
    entries[position] = last
    positions[last.slot] = position
    siftUp(position)
    siftDown(positions[last.slot])
  }

  private mutating func siftUp(_ start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 2
      guard entries[position].deadline < entries[parent].deadline else { return }
      exchange(position, parent)
      position = parent
    }
  }

  private mutating func siftDown(_ start: Int) {
    var position = start
    while true {
      var least = position
      for child in [2 * position + 1, 2 * position + 2]
      where child < entries.count && entries[child].deadline < entries[least].deadline {
        least = child
      }
      guard least != position else { return }
      exchange(position, least)
      position = least
    }
  }

  private mutating func exchange(_ left: Int, _ right: Int) {
    entries.swapAt(left, right)
    positions[entries[left].slot] = left
    positions[entries[right].slot] = right
  }
}
