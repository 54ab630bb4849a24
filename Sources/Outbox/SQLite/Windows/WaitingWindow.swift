import Clock

/// Deliveries in ascending order of their keys. Insertion anywhere moves at most one chunk of entries, so
/// that new arrivals stay cheap in front of many that wait for a later time.
struct WaitingWindow {
  private struct Entry {
    let key: DueKey
    let delivery: QueuedDelivery
  }

  /// Entries of one chunk; it splits in two when full.
  private static let chunkEntriesMax = 128

  /// None of them is empty.
  private var chunks: [[Entry]] = []
  /// Entries at the start of the first chunk that were removed; fewer than the chunk has.
  private var head = 0
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  var first: QueuedDelivery? { chunks.first.map { $0[head].delivery } }

  var last: QueuedDelivery? { chunks.last?.last?.delivery }

  /// O(log n), plus moving at most one chunk. Ascending insertion appends.
  mutating func insert(_ delivery: QueuedDelivery) {
    let entry = Entry(key: delivery.key, delivery: delivery)
    count += 1
    guard let last = chunks.last?.last else {
      chunks = [[entry]]
      head = 0
      return
    }
    if last.key < entry.key {
      append(entry)
      return
    }
    let chunk = partitionPoint(0..<chunks.count) { (chunks[$0].last?.key ?? entry.key) < entry.key }
    let start = chunk == 0 ? head : 0
    if start > 0, entry.key < chunks[0][head].key {
      head -= 1
      chunks[0][head] = entry
      return
    }
    let position = partitionPoint(start..<chunks[chunk].count) { chunks[chunk][$0].key < entry.key }
    chunks[chunk].insert(entry, at: position)
    if chunks[chunk].count > Self.chunkEntriesMax { split(chunk) }
  }

  mutating func popFirst() -> QueuedDelivery? {
    guard let delivery = first else { return nil }
    count -= 1
    head += 1
    if head == chunks[0].count {
      chunks.removeFirst()
      head = 0
    }
    return delivery
  }

  /// Removes the delivery with that key; false when there is none. O(log n), plus moving one chunk.
  mutating func remove(_ key: DueKey) -> Bool {
    let chunk = partitionPoint(0..<chunks.count) { index in
      guard let last = chunks[index].last else { return true }
      return last.key < key
    }
    guard chunk < chunks.count else { return false }
    let start = chunk == 0 ? head : 0
    let position = partitionPoint(start..<chunks[chunk].count) { chunks[chunk][$0].key < key }
    guard position < chunks[chunk].count, chunks[chunk][position].key == key else { return false }
    chunks[chunk].remove(at: position)
    count -= 1
    if chunks[chunk].count == start {
      chunks.remove(at: chunk)
      if chunk == 0 { head = 0 }
    }
    return true
  }

  mutating func popLast() -> QueuedDelivery? {
    guard let last = chunks.indices.last, let entry = chunks[last].popLast() else { return nil }
    count -= 1
    if chunks[last].count == (last == 0 ? head : 0) {
      chunks.removeLast()
      if last == 0 { head = 0 }
    }
    return entry.delivery
  }

  private mutating func append(_ entry: Entry) {
    if let last = chunks.indices.last, chunks[last].count < Self.chunkEntriesMax {
      chunks[last].append(entry)
    } else {
      var chunk: [Entry] = []
      chunk.reserveCapacity(Self.chunkEntriesMax)
      chunk.append(entry)
      chunks.append(chunk)
    }
  }

  private mutating func split(_ index: Int) {
    if index == 0, head > 0 {
      chunks[0].removeFirst(head)
      head = 0
      return
    }
    let middle = chunks[index].count / 2
    let upper = Array(chunks[index][middle...])
    chunks[index].removeSubrange(middle...)
    chunks.insert(upper, at: index + 1)
  }

  /// The first index for which `isBefore` is false; it is true for all before that one.
  private func partitionPoint(_ range: Range<Int>, isBefore: (Int) -> Bool) -> Int {
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// An app's waiting deliveries of one priority: the next ones in memory, the rest on disk only.
///
/// Every waiting delivery before the horizon is in the window; every one at or after it is on disk only.
struct Lane {
  private(set) var window = WaitingWindow()
  /// Nil while the whole lane is in the window.
  private(set) var horizon: DueKey?

  /// Adds a delivery that is on disk, unless it lies beyond the horizon. A window that exceeds `countMax`
  /// drops its last one.
  mutating func add(_ delivery: QueuedDelivery, countMax: Int) {
    if let horizon, delivery.key >= horizon { return }
    window.insert(delivery)
    if window.count > countMax, let last = window.popLast() { horizon = last.key }
  }

  /// Adds the deliveries read from disk at the horizon, in order; `next` is the new horizon.
  mutating func refill(_ deliveries: [QueuedDelivery], next: DueKey?) {
    for delivery in deliveries { window.insert(delivery) }
    horizon = next
  }

  /// Removes a delivery that no longer waits; false when it was not in memory.
  mutating func remove(_ key: DueKey) -> Bool { window.remove(key) }

  /// Moves the horizon back to `key`, and drops what lies beyond it; returns how many these were.
  mutating func rewind(to key: DueKey) -> Int {
    if let horizon, horizon <= key { return 0 }
    var dropped = 0
    while let last = window.last, last.key >= key {
      _ = window.popLast()
      dropped += 1
    }
    horizon = key
    return dropped
  }

  mutating func popDue(now: Timestamp) -> QueuedDelivery? {
    guard let first = window.first, first.dueAt <= now else { return nil }
    return window.popFirst()
  }

  init() {}

  /// A lane of which nothing has been read yet.
  static var unread: Lane {
    var lane = Lane()
    lane.horizon = .first
    return lane
  }
}
