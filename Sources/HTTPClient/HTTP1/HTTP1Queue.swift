/// Decides which requests over HTTP/1.1 begin, and which wait until one to their host ends: takes events with
/// their time, does no I/O.
///
/// libcurl has such a queue too, but what waits there can no longer be withdrawn, and its time runs.
struct HTTP1Queue<Request> {
  typealias Instant = ContinuousClock.Instant

  private struct Waiting {
    let request: Request
    let deadline: Instant
  }

  private struct Host {
    var underWay = 0
    var waiting = FirstInFirstOut<Waiting>()
  }

  private let limits: TransportLimits
  /// Those with a request that is under way or waits.
  private var hosts: [String: Host] = [:]
  private var underWay = 0
  private var waitingCount = 0
  /// The earliest moment at which `removeLate` may have something to end; nil for none.
  private(set) var due: Instant?

  init(limits: TransportLimits) { self.limits = limits }

  /// Whether the request begins now, and is under way until `ended`. Otherwise it waits until `deadline`.
  mutating func admit(_ request: Request, to host: String, until deadline: Instant) -> Bool {
    if hasRoom(hosts[host]) {
      began(on: host)
      return true
    }
    hosts[host, default: Host()].waiting.append(Waiting(request: request, deadline: deadline))
    waitingCount += 1
    due = due.map { min($0, deadline) } ?? deadline
    return false
  }

  /// A request to the host is no longer under way.
  mutating func ended(on host: String) {
    guard var entry = hosts[host], entry.underWay > 0 else { return }
    underWay -= 1
    entry.underWay -= 1
    hosts[host] = entry.underWay == 0 && entry.waiting.isEmpty ? nil : entry
  }

  /// The next request that waits and for which there is room now: it is under way until `ended`.
  mutating func next() -> Request? {
    guard waitingCount > 0,
      let host = hosts.first(where: { !$0.value.waiting.isEmpty && hasRoom($0.value) })?.key,
      let next = hosts[host]?.waiting.popFirst()
    else { return nil }
    waitingCount -= 1
    began(on: host)
    return next.request
  }

  /// Removes the requests that have waited for too long.
  mutating func removeLate(now: Instant) -> [Request] {
    guard let due, due <= now else { return [] }
    return remove { $0.deadline <= now }
  }

  /// Removes the waiting requests that `isMeant` selects.
  mutating func removeAll(where isMeant: (Request) -> Bool) -> [Request] {
    waitingCount > 0 ? remove { isMeant($0.request) } : []
  }

  private mutating func remove(_ isMeant: (Waiting) -> Bool) -> [Request] {
    var removed: [Request] = []
    due = nil
    for (host, var entry) in hosts where !entry.waiting.isEmpty {
      entry.waiting.removeAll { waiting in
        guard isMeant(waiting) else {
          due = due.map { min($0, waiting.deadline) } ?? waiting.deadline
          return false
        }
        removed.append(waiting.request)
        return true
      }
      hosts[host] = entry.underWay == 0 && entry.waiting.isEmpty ? nil : entry
    }
    waitingCount -= removed.count
    return removed
  }

  private func hasRoom(_ host: Host?) -> Bool {
    underWay < limits.totalConnectionsMax && host?.underWay ?? 0 < limits.hostConnectionsMax
  }

  private mutating func began(on host: String) {
    underWay += 1
    hosts[host, default: Host()].underWay += 1
  }
}
