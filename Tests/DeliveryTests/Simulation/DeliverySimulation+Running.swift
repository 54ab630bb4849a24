import DeliveryReports
import Clock
import FCM
import Outbox

@testable import Delivery

extension DeliverySimulation {
  /// Runs until no event is left, or far too many have happened.
  mutating func run() {
    tell([])
    for _ in 0..<100_000 {
      if let next = agenda.nextAt, next <= timer ?? .max, let (at, happening) = agenda.takeNext() {
        now = max(now, at)
        take(happening)
      } else if let timer {
        now = max(now, timer)
        tell([.timer])
      } else {
        return
      }
    }
    ownViolations.append("never came to rest")
  }

  mutating func tell(_ events: [DeliveryCore.Event]) {
    guard !isDown else { return }
    perform(core.handle(events, now: time))
    timer = isDown ? nil : core.timerTicks(now: time)
  }

  mutating func take(_ happening: Happening) {
    if isSuspended, holds(happening) { return held.append(happening) }
    switch happening {
    case .arrival(let row): arrived(row)
    case .events(let events, let generation):
      guard generation == self.generation else { return }
      for event in events { note(event) }
      tell(events)
    case .commit(let settlements, let generation):
      if generation == self.generation { commit(settlements) }
    case .departure(let delivery, let app, let generation):
      if generation == self.generation { leave(delivery, app: app) }
    case .cancellation(let id):
      if queue.cancel(id), ledger.isUnderWay(id), !ledger.mayBeLost(id) {
        ownViolations.append("cancelled what had left")
      }
    case .clockJump(let by):
      wallOffset += by
      forgetsDemands = true
      ledger.forgetLost()
      if generation > 0 { fcm.forgetDeliveries() }
    case .crash: if !isDown { start() }
    case .stop:
      isStopping = true
      tell([.stop(grace: .seconds(20))])
    case .start: start()
    case .remove(let app): tell([.update(Self.quotas(fcm).filter { $0.name != Self.appNames[app] })])
    case .serveAll: tell([.update(Self.quotas(fcm))])
    case .suspension(let milliseconds): suspend(milliseconds)
    case .wake: wake()
    case .leaseEnd(let unreachable): endLease(unreachable: unreachable)
    case .reconnection: reconnect()
    case .otherClaims: otherClaims()
    case .otherSettles(let claims, let sent): otherSettles(claims, sent: sent)
    }
  }

  private mutating func arrived(_ row: SimulatedQueue.Row) {
    queue.add(row)
    if isSuspended || isDown || isUnreachable || chance(0.3) || lastAnswerAt > now {
      return take(.events([.due(app: row.app)], generation: generation))
    }
    guard let offer = core.claimOffer(app: row.app, now: time), let lease = queue.lease else {
      return tell([.due(app: row.app)])
    }
    // The engine makes the claim on the store's thread.
    let claims = queue.claim(
      app: row.app, limit: offer.limit, normalMin: offer.normalMin, now: time.wall, lease: lease)
    var events: [DeliveryCore.Event] = [.claimed(app: row.app, .success(claims))]
    if claims.count < offer.limit {
      events.append(.nextDue(app: row.app, .success(queue.nextDue(app: row.app))))
    }
    if chance(0.5) {
      tell([.claimBegan(app: row.app, offer)] + events)
    } else {
      tell([.claimBegan(app: row.app, offer)])
      answer(events)
    }
  }

  /// The store answers, after what it has answered before.
  private mutating func answer(_ events: [DeliveryCore.Event]) {
    lastAnswerAt = max(lastAnswerAt, now + upTo(20))
    agenda.add(at: lastAnswerAt, .events(events, generation: generation))
  }

  private mutating func commit(_ settlements: [Settlement]) {
    let fails = isUnreachable || chance(0.1)
    // The answer to a commit may be lost.
    if !fails || isShared && !isUnreachable && chance(0.3) {
      noteReleases(settlements)
      let over = queue.settle(settlements)
      if !fails { return recorded(over) }
    }
    answer([.settled(.failure(diskFull))])
  }

  private mutating func recorded(_ over: [DeliveryID]) {
    answer([.settled(.success(over))])
    if queue.lease == nil { renewLease() }
  }

  /// What has left is not released before it is answered, except by a gateway that stops.
  private mutating func noteReleases(_ settlements: [Settlement]) {
    for settlement in settlements where settlement.state == nil && queue.isCurrent(settlement.claim) {
      guard ledger.isUnderWay(settlement.claim.id) else { continue }
      if !isStopping { ownViolations.append("released what is being sent") }
      ledger.forget([settlement.claim.id])
    }
  }

  private mutating func note(_ event: DeliveryCore.Event) {
    switch event {
    case .answered(let app, let id, .withdrawn), .claimEnded(let app, let id): fcm.withdrew(id, app: app)
    case .answered(let app, let id, let outcome):
      fcm.answered(id, app: app, outcome, now: now)
      ledger.answered(id, by: .tested, outcome)
    case .settled: isSettling = false
    case .claimed(_, .success(let claims)): for claim in claims { noteClaim(claim.id) }
    default: break
    }
  }

  private mutating func noteClaim(_ id: DeliveryID) {
    let held: HeldState? =
      if ledger.isUnderWay(id) {
        .underWay
      } else if fcm.hasBegun(id) {
        .waitingToLeave
      } else if ledger.isUnrecorded(id) {
        .unrecorded
      } else {
        ready.contains(id) ? .ready : nil
      }
    if let held { claimsAgain[held, default: 0] += 1 } else { ready.insert(id) }
  }

  private mutating func perform(_ actions: [DeliveryCore.Action]) {
    for action in actions {
      switch action {
      case .claim(let app, let limit, let normalMin):
        guard !isUnreachable, !chance(0.05) else {
          answer([.claimed(app: app, .failure(diskFull))])
          continue
        }
        if queue.lease == nil { renewLease() }
        let claims = queue.claim(
          app: app, limit: limit, normalMin: normalMin, now: time.wall, lease: queue.lease ?? 0)
        answer([.claimed(app: app, .success(claims))])
      case .nextDue(let app):
        let fails = isUnreachable || chance(0.05)
        answer([.nextDue(app: app, fails ? .failure(diskFull) : .success(queue.nextDue(app: app)))])
      case .send(let app, let delivery): send(delivery, app: app)
      case .settle(let settlements, let waitMilliseconds):
        if isSettling { ownViolations.append("two settles at once") }
        isSettling = true
        for settlement in settlements { ready.remove(settlement.claim.id) }
        // Another write may come along at any time, or none.
        let at = now + upTo(20) + upTo(Int64(waitMilliseconds) + 1)
        agenda.add(at: at, .commit(settlements, generation: generation))
      case .settleNow: if !isSettling { ownViolations.append("hurried a settle that is over") }
      case .report(let event): note(event)
      case .takeProbeTurn(let app, let stop):
        answer([.probeTurn(app: app, stop: stop, isTaken: !chance(0.2))])
      case .validate, .refuseValidation, .publish, .hold, .returnProbeTurn: break
      case .finished:
        isDown = true
        ledger.forgetAll()
      }
    }
  }

  private mutating func note(_ event: DeliveryEvent) {
    switch event {
    case .breakerOpened(let app, _): index(app).map { fcm.breakerOpened(app: $0, now: now) }
    // A pause replaces an open breaker.
    case .breakerClosed(let app), .paused(let app, _): index(app).map { fcm.breakerClosed(app: $0) }
    case .outcomeUnknown: outcomeUnknown += 1
    default: break
    }
  }

  private func index(_ app: String) -> Int? { Self.appNames.firstIndex(of: app) }

  /// Begins a request, as the engine does: most leave at once.
  private mutating func send(_ delivery: ClaimedDelivery, app: Int) {
    ready.remove(delivery.id)
    fcm.begin(delivery, app: app, now: now, wall: time.wall)
    guard queue.holds(delivery), !delivery.departure.isRecalled else {
      return agenda.add(at: now, .events([.claimEnded(app: app, delivery.id)], generation: generation))
    }
    if chance(0.8) { return leave(delivery, app: app) }
    agenda.add(at: now + upTo(3000), .departure(delivery, app: app, generation: generation))
  }

  private mutating func leave(_ delivery: ClaimedDelivery, app: Int) {
    let id = delivery.id
    guard time.wall < delivery.expiresAt, queue.holds(delivery), delivery.departure.leave() else {
      return agenda.add(at: now, .events([.answered(app: app, id, .withdrawn)], generation: generation))
    }
    if !queue.isCurrent(delivery) { ownViolations.append("sent under a claim that was over") }
    ledger.sent(id, by: .tested)
    let (wait, outcome) = fcm.send(app: app, now: now, using: &generator)
    agenda.add(at: now + wait, .events([.answered(app: app, id, outcome)], generation: generation))
  }
}
