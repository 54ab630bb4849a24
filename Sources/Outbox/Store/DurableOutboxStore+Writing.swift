import Clock
import Dispatch
import JSON
import Synchronization
import Telemetry
import SQL

/// The queue of pending operations and its transactions.
extension DurableOutboxStore {
  /// Passes an operation to the writing queue, or refuses it. Returns at once. An operation whose `call` is
  /// answered before its turn is dropped. One that may wait does not start the queue by itself until then.
  func submit(_ operation: QueueOperation, _ call: TimedCall? = nil, waitMilliseconds: Int = 0) {
    if !operation.isClose, let refusal = refusal(addsDeliveries: operation.traits.contains(.addsDeliveries)) {
      return refusing.async { operation.refuse(refusal) }
    }
    let admission = pending.withLock {
      $0.admit(
        operation, call, waitMilliseconds: waitMilliseconds,
        deliveriesMax: configuration.pendingDeliveriesMax, at: .now)
    }
    if operation.isWrite { wake() }
    switch admission {
    case .admitted(let starts):
      if starts { writing.async { self.drain() } }
    case .waits(let until):
      if let until { endWait(at: until) }
    case .refused(let error):
      writing.async { [self] in
        // A second close waits for the first one.
        if case .close(let completion) = operation { return database.close(in: self, completion: completion) }
        operation.refuse(error)
      }
    case .keyInProgress:
      guard case .write(.enqueue(let work)) = operation else { return }
      writing.async { work.completion(.success(.inProgress)) }
    }
  }

  /// Passes a change to the writing queue. Its caller is answered in time if it is a request.
  func change<Value: Sendable>(
    _ traits: QueueChange.Traits = [], deliveryCount: Int = 1, waitMilliseconds: Int = 0,
    _ completion: @escaping QueueWrite.Completion<Value>, _ body: @escaping QueueChange.Body<Value>
  ) {
    let (call, answer): (TimedCall?, QueueWrite.Completion<Value>) =
      traits.contains(.isRequest) ? timed(.write, completion) : (nil, completion)
    let change = QueueChange(traits, deliveryCount: deliveryCount, answer, body)
    submit(.write(.change(change)), call, waitMilliseconds: waitMilliseconds)
  }

  /// Why an operation need not even be tried.
  func refusal(addsDeliveries: Bool) -> OutboxError? {
    if !database.isReachable, !isClosed { return outOfReach }
    if isStalled.load(ordering: .acquiring), !isClosed { return .stalled }
    return addsDeliveries ? database.shortage : nil
  }

  /// Ends at `deadline` the wait of the operations whose time is over then.
  private func endWait(at deadline: ContinuousClock.Instant) {
    let milliseconds = max(1, Int(saturating: (deadline - .now) / .milliseconds(1) + 1))
    writing.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      guard let self else { return }
      let (starts, next) = pending.withLock { $0.waitEnded(at: .now) }
      if let next { endWait(at: next) }
      if starts { drain() }
    }
  }

  func drain() { while processNext() {} }

  /// Processes what is pending; false when nothing is.
  private func processNext() -> Bool {
    let (batch, nextLargeAt) = pending.withLock {
      ($0.nextBatch(deliveriesMax: configuration.commitDeliveriesMax, at: .now), $0.nextLargeAt)
    }
    if let batch {
      process(batch)
    } else if let nextLargeAt {
      let nanoseconds = max(1, Int(saturating: (nextLargeAt - .now) / .nanoseconds(1)))
      writing.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in self?.drain() }
    }
    return batch != nil
  }

  /// Writes everything in one transaction, then answers all callers in the order of their calls.
  private func process(_ batch: OperationBatch) {
    let commit = batch.writes.isEmpty ? GroupCommit() : commit(batch.writes)
    answer(batch, commit.answers)
    notifyDue(commit.due)
    madeProgress()
    database.batchEnded(in: self)
  }

  /// Answers in the order of the calls. Writes that follow each other are answered together; a question may
  /// take long, so that nobody waits for it who was answered before.
  private func answer(
    _ batch: OperationBatch, _ answers: [@Sendable () -> Void]
  ) {
    var answered = 0
    for other in batch.others {
      let end = min(other.writesBefore, answers.count)
      answerTogether(answers[answered..<end])
      answered = end
      switch other.operation {
      case .write: break
      case .ask(let body): body(database.isReachable ? nil : isClosed ? .closed : outOfReach)
      case .close(let completion): database.close(in: self, completion: completion)
      }
    }
    answerTogether(answers[answered...])
  }

  private func answerTogether(_ answers: ArraySlice<@Sendable () -> Void>) {
    if !answers.isEmpty { DeferredWork.afterwards { for answer in answers { answer() } } }
  }

  /// Writes in one transaction. The result has an answer for each write that can be answered now.
  private func commit(_ writes: [QueueWrite]) -> GroupCommit {
    do throws(QueueWriteError) {
      let commit = try database.write(writes, claimLimits: claimLimits(for: writes), in: self)
      take(commit, of: writes)
      return commit
    } catch {
      // A write that breaks a rule of the schema must not fail the others of its transaction.
      if error.underlying.kind == .constraint, writes.count > 1 { return commitEach(writes) }
      note(error.underlying)
      // The database answers these later.
      if error.isUncertain { return GroupCommit() }
      releaseKeys(of: writes)
      var refusals = GroupCommit()
      let refusal = error.underlying.outboxError
      refusals.answers = writes.map { write in { write.refuse(refusal) } }
      return refusals
    }
  }

  /// How many deliveries of each app that `writes` adds to may be inserted as claimed.
  private func claimLimits(for writes: [QueueWrite]) -> [ExactText: Int] {
    guard let offer = listeners.withLock({ $0.onAccept }) else { return [:] }
    var claimLimits: [ExactText: Int] = [:]
    var last: String?
    for case .enqueue(let work) in writes {
      for notification in work.notifications
      where notification.start.state == .queued && notification.app != last {
        last = notification.app
        let app = ExactText(notification.app)
        if claimLimits[app] == nil {
          claimLimits[app] = database.memory.ready.claimLimit(for: app, offered: offer(app.text))
        }
      }
    }
    return claimLimits
  }

  private func commitEach(_ writes: [QueueWrite]) -> GroupCommit {
    var all = GroupCommit()
    for write in writes {
      let one = commit([write])
      all.answers += one.answers
      all.due += one.due
    }
    return all
  }

  /// Records a commit before its callers are answered: a caller with an answer may use its key again at
  /// once.
  private func take(_ commit: GroupCommit, of writes: [QueueWrite]) {
    madeProgress()
    report(commit)
    // Before the store says that it works: whoever waits for that may use a key again.
    releaseKeys(of: writes)
    if commit.isWritten { recovered() }
    guard let report = commit.report else { return }
    committed.add(1, ordering: .relaxed)
    if let observe = listeners.withLock({ $0.onCommit }) { observe(report) }
  }

  private func releaseKeys(of writes: [QueueWrite]) {
    // Most have none, and a look at each would count the references of all that it holds.
    guard pending.withLock({ $0.hasKeys }) else { return }
    let keys = writes.compactMap(\.idempotencyKey)
    if !keys.isEmpty { pending.withLock { $0.release(keys) } }
  }

  /// Answers the writes of a transaction whose outcome was uncertain. For the database, on the writing queue.
  func complete(_ writes: [QueueWrite], with result: Result<GroupCommit, OutboxError>) {
    switch result {
    case .success(let commit):
      take(commit, of: writes)
      answerTogether(commit.answers[...])
      notifyDue(commit.due)
    case .failure(let error):
      releaseKeys(of: writes)
      for write in writes { write.refuse(error) }
    }
  }

  /// Logs what a transaction has found.
  private func report(_ commit: GroupCommit) {
    if let first = commit.damaged.min() {
      log.error(
        "queue holds deliveries that cannot be read; they end as failed",
        ["count": .integer(commit.damaged.count), "first_row": .integer(Int(first))])
    }
    guard commit.lost > 0 else { return }
    healthState.withLock { $0.lostClaimCount += commit.lost }
    log.warning(
      "queue: outcomes were not recorded, because their claims were over", ["count": .integer(commit.lost)])
  }

  /// Reports that apps may have deliveries that are due.
  func notifyDue(_ apps: [String]) {
    guard !apps.isEmpty, let notify = listeners.withLock({ $0.onDue }) else { return }
    apps.forEach(notify)
  }
}
