internal import JSON

/// Jobs that wait, by client: the next one is of the client that has used the least so far.
///
/// Virtual time, as in fair queueing (Demers, Keshav and Shenker 1989): a client that had nothing to do
/// begins with what the one served last has used, so that it can neither save up for later nor has to wait
/// for the others. At most one entry for each client that has jobs, or has used more than that.
struct FairQueue<Job: Sendable>: Sendable {
  private struct Client: Sendable {
    var short = JobQueue<Job>()
    var long = JobQueue<Job>()
    var used: Int64

    var count: Int { short.count + long.count }
  }

  private var clients: [ExactText?: Client] = [:]
  /// What the client of the last job had used when it was taken.
  private var servedAt: Int64 = 0
  private(set) var count = 0

  mutating func append(_ job: Job, of name: ExactText?, isShort: Bool) {
    var client = clients[name] ?? Client(used: servedAt)
    if client.count == 0 { client.used = max(client.used, servedAt) }
    if isShort { client.short.append(job) } else { client.long.append(job) }
    clients[name] = client
    count += 1
  }

  /// The first job of the client that has used the least; its short ones come first, and its long ones only
  /// if they may begin.
  mutating func popNext(longMayBegin: (ExactText?) -> Bool = { _ in true }) -> Job? {
    var next: (name: ExactText?, used: Int64)?
    var leastUsed = Int64.max
    for (name, client) in clients where client.count > 0 {
      leastUsed = min(leastUsed, client.used)
      let isReady = client.short.count > 0 || longMayBegin(name)
      if isReady, client.used < next?.used ?? .max { next = (name, client.used) }
    }
    guard let (name, used) = next else { return nil }
    let job = clients[name]?.short.popFirst() ?? clients[name]?.long.popFirst()
    count -= 1
    // A job out of turn says nothing about whose turn it is.
    guard used == leastUsed else { return job }
    servedAt = used
    clients = clients.filter { $0.value.count > 0 || $0.value.used > used }
    return job
  }

  /// Counts what a job of a client has used. While nobody waits, nobody is delayed, and nothing counts.
  mutating func charge(_ amount: Int64, to name: ExactText?) {
    guard count > 0 else {
      (clients, servedAt) = ([:], 0)
      return
    }
    clients[name, default: Client(used: servedAt)].used += amount
  }

  /// Removes and returns the first jobs of each client, as long as they meet `condition`.
  mutating func removeFirst(while condition: (Job) -> Bool) -> [Job] {
    var removed: [Job] = []
    for name in clients.keys {
      removed += clients[name]?.short.removeFirst(while: condition) ?? []
      removed += clients[name]?.long.removeFirst(while: condition) ?? []
    }
    count -= removed.count
    return removed
  }
}

/// A queue in an array whose first elements may be gone already.
struct JobQueue<Job: Sendable>: Sendable {
  private var jobs: [Job] = []
  private var start = 0

  var count: Int { jobs.count - start }

  mutating func append(_ job: Job) { jobs.append(job) }

  mutating func popFirst() -> Job? {
    guard start < jobs.count else { return nil }
    let job = jobs[start]
    start += 1
    if start * 2 > jobs.count {
      jobs.removeFirst(start)
      start = 0
    }
    return job
  }

  /// Removes and returns the first jobs, as long as they meet `condition`.
  mutating func removeFirst(while condition: (Job) -> Bool) -> [Job] {
    var removed: [Job] = []
    while start < jobs.count, condition(jobs[start]), let job = popFirst() { removed.append(job) }
    return removed
  }
}
