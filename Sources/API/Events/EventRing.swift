/// The most recent events as they are sent, in the order of their numbers; new ones replace the oldest.
struct EventRing: Sendable {
  struct Entry: Sendable {
    let number: Int
    /// Shared by all streams that send it.
    let frame: [UInt8]
  }

  private let capacity: Int
  private var entries: [Entry] = []
  /// The index of the oldest entry.
  private var start = 0
  /// Events up to this number are not in the ring, or no longer.
  private(set) var floor: Int

  /// `floor` is a number below that of every event that will be added.
  init(capacity: Int, floor: Int) {
    self.capacity = max(1, capacity)
    self.floor = floor
  }

  /// Adds an event, whose number is higher than all before. O(1).
  mutating func append(_ frame: [UInt8], number: Int) {
    let entry = Entry(number: number, frame: frame)
    guard entries.count == capacity else { return entries.append(entry) }
    floor = entries[start].number
    entries[start] = entry
    start = (start + 1) % capacity
  }

  /// Up to `limit` events after a number; nil if some of them are no longer here. O(log n + limit).
  func events(after number: Int, limit: Int) -> [Entry]? {
    guard number >= floor else { return nil }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    return (low..<min(entries.count, low + limit)).map { self[$0] }
  }

  private subscript(position: Int) -> Entry { entries[(start + position) % entries.count] }
}
