internal import Outbox

/// The events that the webhook has read and that are not done.
///
/// Those that never failed are few and in the order of the log. Those that failed may be many; they are found
/// by id and by the time of their next attempt, so that only what concerns the whole receiver looks at all of
/// them.
struct WebhookBacklog {
  struct Entry {
    let event: WebhookEvent
    /// The event before it in the log: the cursor while this one is the first that is not done.
    let predecessor: Int64?
    var isSending = false
    /// The index in the schedule of its next or current attempt.
    var step = 0
    var due: Int64
    var failingSince: Int64?
    /// How many events the receiver had taken when this one failed last.
    var deliveredAtFailure = 0
    var triedAt: Int64 = .min
    /// An attempt outside the schedule, after the receiver has recovered.
    var early: Int64?
    /// Whether there was such an attempt since the last one of the schedule: one is enough.
    var wasHastened = false

    var id: Int64 { event.id }
    var hasFailed: Bool { failingSince != nil }
    var nextTry: Int64 { min(due, early ?? .max) }
  }

  /// When an event is attempted; ordered by time, then by the event.
  struct Slot: Comparable {
    let time: Int64
    let id: Int64

    static func < (left: Slot, right: Slot) -> Bool { (left.time, left.id) < (right.time, right.id) }
  }

  /// Never failed, in the order of the log.
  private var untried: [Entry] = []
  /// Failed at least once.
  private var failed: [Int64: Entry] = [:]
  /// Those in `failed`, ascending.
  private var failedIDs: [Int64] = []
  /// Those in `failed` that are not being sent, by time.
  private var retries: [Slot] = []
  private(set) var sendingCount = 0
  /// Those of them that failed before.
  private(set) var retryingCount = 0

  var count: Int { untried.count + failed.count }
  var untriedCount: Int { untried.count }
  var failedCount: Int { failed.count }

  /// The first in the log.
  var first: Entry? {
    guard let id = failedIDs.first, let oldest = failed[id] else { return untried.first }
    guard let next = untried.first, next.id < id else { return oldest }
    return next
  }

  /// The first that was never sent.
  var firstUntried: Entry? { untried.first { !$0.isSending } }
  /// The failed one that is attempted next.
  var nextRetry: Slot? { retries.first }
  /// The failed one whose last attempt is the oldest; looks at all of them.
  var leastRecentlyTried: Entry? {
    failed.values.lazy.filter { !$0.isSending }.min { ($0.triedAt, $0.id) < ($1.triedAt, $1.id) }
  }
  /// The first failed one in the log that is not being sent.
  var firstFailed: Entry? { failedIDs.lazy.compactMap { failed[$0] }.first { !$0.isSending } }

  func entry(_ id: Int64) -> Entry? { failed[id] ?? untried.first { $0.id == id } }

  /// Adds an event that comes after all others.
  mutating func append(_ entry: Entry) { untried.append(entry) }

  /// Removes an event; nil if there is none with this id.
  @discardableResult mutating func remove(_ id: Int64) -> Entry? {
    var entry = failed.removeValue(forKey: id)
    if let entry {
      failedIDs.removeSorted(id)
      if !entry.isSending { retries.removeSorted(Slot(time: entry.nextTry, id: id)) }
    } else if let index = untried.firstIndex(where: { $0.id == id }) {
      entry = untried.remove(at: index)
    }
    if let entry, entry.isSending {
      sendingCount -= 1
      if entry.hasFailed { retryingCount -= 1 }
    }
    return entry
  }

  /// Replaces an event, which may have failed for the first time meanwhile.
  mutating func update(_ id: Int64, _ change: (inout Entry) -> Void) {
    guard let old = entry(id) else { return }
    var new = old
    change(&new)
    if !old.hasFailed, !new.hasFailed {
      guard let index = untried.firstIndex(where: { $0.id == id }) else { return }
      untried[index] = new
      sendingCount += (new.isSending ? 1 : 0) - (old.isSending ? 1 : 0)
    } else {
      remove(id)
      insertFailed(new)
    }
  }

  /// Has each failed event that `time` gives one attempted at that time, too.
  mutating func hasten(_ time: (Entry) -> Int64?) {
    for id in failedIDs {
      guard let entry = failed[id], let early = time(entry) else { continue }
      failed[id]?.early = early
      failed[id]?.wasHastened = true
    }
    retries = failed.values.lazy.filter { !$0.isSending }.map { Slot(time: $0.nextTry, id: $0.id) }.sorted()
  }

  /// Nothing is being sent any more.
  mutating func abandon() {
    for index in untried.indices { untried[index].isSending = false }
    for id in failedIDs where failed[id]?.isSending == true { update(id) { $0.isSending = false } }
    sendingCount = 0
  }

  private mutating func insertFailed(_ entry: Entry) {
    failed[entry.id] = entry
    failedIDs.insertSorted(entry.id)
    if entry.isSending {
      sendingCount += 1
      retryingCount += 1
    } else {
      retries.insertSorted(Slot(time: entry.nextTry, id: entry.id))
    }
  }
}

extension Array where Element: Comparable {
  /// The index of the first element that is not less than `element`; O(log n).
  private func insertionIndex(of element: Element) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low
  }

  fileprivate mutating func insertSorted(_ element: Element) {
    insert(element, at: insertionIndex(of: element))
  }

  fileprivate mutating func removeSorted(_ element: Element) {
    let index = insertionIndex(of: element)
    if index < count, self[index] == element { remove(at: index) }
  }
}
