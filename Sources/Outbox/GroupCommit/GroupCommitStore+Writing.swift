import Clock
import Dispatch
import Synchronization

/// The queue of pending operations and its transactions.
extension GroupCommitStore {
  /// Passes an operation to the writing queue, or refuses it. Returns at once. An operation whose `call` is
  /// answered before its turn is dropped. One that may wait does not start the queue by itself until then.
  @_specialize(where Backend == PostgresBackend)
  @_specialize(where Backend == SQLiteBackend)
  func submit(_ operation: Operation, _ call: TimedCall? = nil, waitMilliseconds: Int = 0) {
    if !operation.isClose,
      let refusal = refusal(addsDeliveries: operation.addsDeliveries)
    {
      return refusing.async { operation.refuse(refusal) }
    }
    let admission = pending.withLock {
      $0.admit(
        operation, call, waitMilliseconds: waitMilliseconds,
        deliveriesMax: configuration.pendingDeliveriesMax)
    }
    if operation.isWrite { rouse() }
    switch admission {
    case .admitted(let starts):
      if starts { writing.async { self.drain() } }
    case .endsDelay: delayEnds.signal()
    case .waits(let until):
      if let until { endWait(at: until) }
    case .refused(let error):
      writing.async { [self] in
        // A second close waits for the first one.
        if case .close(let completion) = operation { return backend.close(in: self, completion: completion) }
        operation.refuse(error)
      }
    case .keyInProgress:
      guard case .write(.queue(.enqueue(_, _, _, let completion))) = operation else { return }
      writing.async { completion(.success(.inProgress)) }
    }
  }

  /// Why an operation need not even be tried.
  @inline(__always)
  func refusal(addsDeliveries: Bool) -> OutboxError? {
    if !backend.isReachable, !isClosed { return outOfReach }
    if isStalled.load(ordering: .acquiring), !isClosed { return .stalled }
    return addsDeliveries ? backend.shortage : nil
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

  @_specialize(where Backend == PostgresBackend)
  @_specialize(where Backend == SQLiteBackend)
  func drain() {
    repeat { delayCommit() } while processNext()
  }

  /// Processes what is pending; false when nothing is.
  private func processNext() -> Bool {
    let batch = pending.withLock { $0.nextBatch(deliveriesMax: configuration.commitDeliveriesMax) }
    if let batch { process(batch) }
    return batch != nil
  }

  /// Waits until more intakes can share the next commit, where that is worthwhile.
  private func delayCommit() {
    let limits = configuration.commitDelay ?? (backend.gatewayCount > 1 ? .shared : .alone)
    guard let until = pending.withLock({ $0.beginDelay(limits) }) else { return }
    let wait = Int(saturating: (until - .now) / .nanoseconds(1))
    let isSignaled = delayEnds.wait(timeout: .now() + .nanoseconds(wait)) == .success
    // A signal that comes late, which is on its way then, would end the next delay.
    if !pending.withLock({ $0.endDelay() }), !isSignaled { _ = delayEnds.wait(timeout: .now() + .seconds(1)) }
  }

  /// Writes everything in one transaction, then answers all callers in the order of their calls.
  private func process(_ batch: OperationBatch<Backend.OwnWrite>) {
    let commit = batch.writes.isEmpty ? GroupCommit() : commit(batch.writes)
    answer(batch, commit.answers)
    notifyDue(commit.due)
    madeProgress()
    backend.batchEnded(in: self)
  }

  /// Answers in the order of the calls. Writes that follow each other are answered together; a question may
  /// take long, so that nobody waits for it who was answered before.
  private func answer(
    _ batch: OperationBatch<Backend.OwnWrite>, _ answers: [@Sendable () -> Void]
  ) {
    var answered = 0
    for other in batch.others {
      let end = min(other.writesBefore, answers.count)
      answerTogether(answers[answered..<end])
      answered = end
      switch other.operation {
      case .write: break
      case .ask(let body): body(backend.isReachable ? nil : isClosed ? .closed : outOfReach)
      case .close(let completion): backend.close(in: self, completion: completion)
      }
    }
    answerTogether(answers[answered...])
  }

  private func answerTogether(_ answers: ArraySlice<@Sendable () -> Void>) {
    if !answers.isEmpty { DeferredWork.afterwards { for answer in answers { answer() } } }
  }

  /// Writes in one transaction. The result has an answer for each write that can be answered now.
  private func commit(_ writes: [Write]) -> GroupCommit {
    do throws(BackendError) {
      let commit = try backend.write(writes, in: self)
      take(commit, of: writes)
      return commit
    } catch {
      // A write that breaks a rule of the schema must not fail the others of its transaction.
      if error.scope == .call, writes.count > 1 { return commitEach(writes) }
      note(error)
      // The backend answers these later.
      if error.scope == .uncertain { return GroupCommit() }
      releaseKeys(of: writes)
      var refusals = GroupCommit()
      let refusal = error.underlying
      refusals.answers = writes.map { write in { write.refuse(refusal) } }
      return refusals
    }
  }

  private func commitEach(_ writes: [Write]) -> GroupCommit {
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
  private func take(_ commit: GroupCommit, of writes: [Write]) {
    madeProgress()
    // Before the store says that it works: whoever waits for that may use a key again.
    releaseKeys(of: writes)
    if commit.isWritten { recovered() }
    guard let report = commit.report else { return }
    committed.add(1, ordering: .relaxed)
    if let observe = listeners.withLock({ $0.onCommit }) { observe(report) }
  }

  private func releaseKeys(of writes: [Write]) {
    // Most have none, and a look at each would count the references of all that it holds.
    guard pending.withLock({ $0.committed() }) else { return }
    let keys = writes.compactMap { $0.queueWrite?.idempotencyKey }
    if !keys.isEmpty { pending.withLock { $0.release(keys) } }
  }

  /// Answers the writes of a transaction whose outcome was uncertain. For the backend, on the writing queue.
  func complete(_ writes: [Write], with result: Result<GroupCommit, OutboxError>) {
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

  /// Reports that apps may have deliveries that are due.
  func notifyDue(_ apps: [String]) {
    guard !apps.isEmpty, let notify = listeners.withLock({ $0.onDue }) else { return }
    apps.forEach(notify)
  }
}
