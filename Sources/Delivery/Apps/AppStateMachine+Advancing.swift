internal import DeliveryReports
internal import Clock
internal import FCM
internal import FCMMessage
internal import Outbox

// Starts what is possible now: sends, releases, claims and queries.
extension AppStateMachine {
  /// A probe's claim is small, but large enough to skip a few deliveries that have expired meanwhile, and
  /// those for targets that have failed.
  private static let probeClaimMax = 32
  /// Device quotas are 240 messages a minute (Firebase documentation, "Throttling and quotas"): deliveries
  /// that waited for one target become due at that pace, over at most `targetSpreadMillisecondsMax`.
  private static let targetSpacingMilliseconds: Int64 = 250
  private static let targetSpreadMillisecondsMax: Int64 = 600_000

  /// Does everything that is possible now. `storeWorks` is false while outcomes cannot be recorded: a message
  /// sent then might be sent again.
  mutating func advance(storeWorks: Bool, now: Moment, into effects: inout Effects) {
    defer { tellOthers(into: &effects) }
    targetHolds.sweep(now: now.ticks)
    retryHolds.sweep(now: now.ticks)
    startValidations(now: now, into: &effects)
    if storeWorks { startSending(now: now, into: &effects) }
    if isLeaving || gate.mustHandBack(now: now) { releaseReady(now: now, into: &effects) }
    guard !isLeaving else { return }
    switch watch.nextQuery(now: now) {
    case .claim: claimIfRoom(storeWorks: storeWorks, now: now, into: &effects)
    case .nextDue:
      watch.beganNextDue()
      effects.actions.append(.nextDue(app: app))
    case .nothing: break
    }
  }

  /// Tells the gateways that share the queue what this one has learnt.
  private mutating func tellOthers(into effects: inout Effects) {
    if let news = gate.takeNews() { effects.actions.append(.publish(app: app, news)) }
  }

  mutating func giveUpTurn(now: Moment, into effects: inout Effects) {
    guard let stop = gate.giveUpTurn(now: now) else { return }
    effects.actions.append(.returnProbeTurn(app: app, stop: stop))
  }

  private mutating func startSending(now: Moment, into effects: inout Effects) {
    guard !isLeaving, !ready.isEmpty else { return }
    var allowed = gate.allowance(room: sendingRoom, now: now)
    if allowed > 0 { ready = gate.ordered(ready) }
    var probed: Set<Int> = []
    while allowed > 0, let delivery = ready.popLast() {
      if settleIfExpired(delivery, now: now, into: &effects) { continue }
      if deferIfHeld(delivery, now: now, into: &effects) { continue }
      // A second probe of one target, or more than one of those that were refused, would find out nothing.
      if gate.isClosed, !probed.isEmpty, !gate.isFresh(delivery, besides: probed) {
        ready.append(delivery)
        break
      }
      if gate.isClosed { probed.insert(gate.probeKey(delivery)) }
      sending[delivery.id] = Sending(delivery: delivery, startedAtTicks: now.ticks)
      gate.began(delivery, now: now)
      effects.actions.append(.send(app: app, delivery))
      allowed -= 1
    }
  }

  private mutating func releaseReady(now: Moment, into effects: inout Effects) {
    while let delivery = ready.popLast() {
      if settleIfExpired(delivery, now: now, into: &effects) { continue }
      if gate.makesRoom(delivery) {
        let later = now.wall.adding(milliseconds: AppGate.asideMilliseconds)
        settle(.deferred(delivery, at: now.wall, dueAt: min(later, delivery.dueBeforeExpiry)), into: &effects)
        continue
      }
      settle(.release(delivery, at: now.wall), into: &effects)
    }
  }

  /// Nothing is sent at or after its expiry; if a pause outlasted the expiry, the error is that of the
  /// pause.
  private mutating func settleIfExpired(
    _ delivery: ClaimedDelivery, now: Moment, into effects: inout Effects
  ) -> Bool {
    guard delivery.expiresAt <= now.wall else { return false }
    let error = gate.isClosed ? gate.failure.map { DeliveryError($0) } : nil
    settle(.expired(delivery, at: now.wall, error: error), into: &effects)
    return true
  }

  /// Defers a delivery that may not be sent yet: its target's quota is used up, or the clock was set back
  /// after it was claimed.
  private mutating func deferIfHeld(
    _ delivery: ClaimedDelivery, now: Moment, into effects: inout Effects
  ) -> Bool {
    // Claimed before its `send_at`, by a clock that was ahead then.
    if delivery.dueSince > now.wall, delivery.dueSince > delivery.createdAt {
      let early = delivery.dueSince.milliseconds - now.wall.milliseconds
      postpone(delivery, milliseconds: early, error: nil, now: now, into: &effects)
      return true
    }
    if !retryHolds.isEmpty, let until = retryHolds.heldUntil(delivery.id, now: now.ticks) {
      postpone(delivery, milliseconds: until - now.ticks, error: nil, now: now, into: &effects)
      return true
    }
    if !gate.messages.isEmpty, let until = gate.messages.heldUntil(delivery.message, now: now.ticks) {
      postpone(delivery, milliseconds: until - now.ticks, error: nil, now: now, into: &effects)
      return true
    }
    guard !targetHolds.isEmpty else { return false }
    let key = delivery.target.hashValue
    guard let until = targetHolds.heldUntil(key, now: now.ticks) else { return false }
    let spread = targetHolds.postpone(key) * Self.targetSpacingMilliseconds * Int64(gate.gatewayCount)
    postpone(
      delivery, milliseconds: until - now.ticks,
      spreadMilliseconds: spread % Self.targetSpreadMillisecondsMax, error: .targetQuota, now: now,
      into: &effects)
    return true
  }

  private mutating func postpone(
    _ delivery: ClaimedDelivery, milliseconds: Int64, spreadMilliseconds: Int64 = 0, error: DeliveryError?,
    now: Moment, into effects: inout Effects
  ) {
    let free = now.wall.adding(milliseconds: milliseconds)
    guard free < delivery.expiresAt else {
      return settle(.expired(delivery, at: now.wall, error: error), into: &effects)
    }
    // The spread is limited by the expiry, so that a delivery with little time left still gets a last
    // attempt.
    let room = delivery.expiresAt.milliseconds - free.milliseconds - 1
    let until = free.adding(milliseconds: min(spreadMilliseconds, room))
    settle(.deferred(delivery, at: now.wall, dueAt: until), into: &effects)
  }

  private mutating func claimIfRoom(storeWorks: Bool, now: Moment, into effects: inout Effects) {
    if let ticks = gate.claimTicks(now: now) { guard ticks <= now.ticks else { return } } else { return }
    let limit: Int
    if gate.isClosed {
      guard storeWorks, ready.isEmpty else { return }
      if let stop = gate.askForTurn() {
        return effects.actions.append(.takeProbeTurn(app: app, stop: stop))
      }
      guard gate.mayProbe else { return }
      let batch = batch(now: now)
      limit = gate.mayBeMessages ? batch : min(batch, Self.probeClaimMax + gate.failedTargetCount)
    } else {
      guard let batch = batchWithRoom(now: now) else { return }
      limit = batch
    }
    let offer = ClaimOffer(limit: limit, normalMin: normalShare(of: limit))
    claimBegan(offer)
    effects.actions.append(.claim(app: app, limit: offer.limit, normalMin: offer.normalMin))
  }

  /// See `DeliveryCore.claimOffer`.
  func claimOffer(now: Moment) -> ClaimOffer? {
    guard !isLeaving, !gate.isClosed, watch.isIdle(now: now), let ticks = gate.claimTicks(now: now),
      ticks <= now.ticks, let limit = batchWithRoom(now: now)
    else { return nil }
    return ClaimOffer(limit: limit, normalMin: normalShare(of: limit))
  }

  /// Notes a claim that is being made.
  mutating func claimBegan(_ offer: ClaimOffer) {
    watch.beganClaim(limit: offer.limit)
    claimed = (claimed + offer.limit) % max(1, configuration.normalPriorityEvery)
  }

  /// How many to claim at once; nil while there is no room for as many.
  private func batchWithRoom(now: Moment) -> Int? {
    let batch = batch(now: now)
    let room = inFlightMax + batch - ready.count - sending.count - unsettledCount
    return room >= batch && ready.count < batch ? batch : nil
  }

  /// How many to claim at once: no more than can be sent within `claimedAheadMilliseconds`, so that few wait
  /// outside the queue.
  private func batch(now: Moment) -> Int {
    let most = max(1, min(configuration.claimBatchMax, inFlightMax))
    if gate.isClosed { return most }
    let ahead = gate.perSecond(now: now.ticks) * Double(AppGate.claimedAheadMilliseconds) / 1000
    return max(1, min(most, Int(saturating: ahead)))
  }

  /// How many of a claim are reserved for normal priority: one in `normalPriorityEvery`, if such
  /// deliveries wait.
  private func normalShare(of limit: Int) -> Int {
    min((claimed + limit) / max(1, configuration.normalPriorityEvery), limit)
  }

  /// The tick at which `advance` may have something to do without a further event; nil for none.
  mutating func wakeTicks(storeWorks: Bool, now: Moment) -> Int64? {
    guard !isLeaving else { return nil }
    var check: Int64?
    if let first = validations.first {
      let turn = sendingRoom > 0 ? gate.sendTicks(waiting: validations.count, now: now) : nil
      check = min(first.untilTicks, turn ?? .max)
    }
    let send =
      storeWorks && sendingRoom > 0 ? gate.sendTicks(waiting: ready.count, now: now) : nil
    let ask = watch.wakeTicks(now: now).flatMap { due in
      gate.claimTicks(now: now).map { max(due, $0) }
    }
    // Whatever `advance` has not done by now waits for an event, not for time.
    func later(_ ticks: Int64?) -> Int64 { ticks.flatMap { $0 > now.ticks ? $0 : nil } ?? .max }
    let wake = min(later(check), later(send), later(ask))
    return wake == .max ? nil : wake
  }
}

extension ClaimedDelivery {
  /// The last moment at which it can be due and still be sent.
  fileprivate var dueBeforeExpiry: Timestamp { expiresAt.adding(milliseconds: -1) }
}
