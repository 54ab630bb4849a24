import DeliveryReports
import Clock
import FCM
import Outbox

@testable import Delivery

// Leases that end, and the other gateway that shares the queue.
extension DeliverySimulation {
  /// A gateway that is suspended for longer loses its lease.
  private static let leaseMilliseconds: Int64 = 3000

  /// Whether what happens has to wait until the gateway runs again.
  mutating func holds(_ happening: Happening) -> Bool {
    switch happening {
    case .events, .departure, .stop, .remove, .serveAll, .reconnection: true
    // The database may have got the write already.
    case .commit: chance(0.5)
    case .arrival, .cancellation, .clockJump, .crash, .start, .suspension, .wake, .leaseEnd, .otherClaims,
      .otherSettles:
      false
    }
  }

  mutating func suspend(_ milliseconds: Int64) {
    guard !isSuspended, !isDown else { return }
    isSuspended = true
    timer = nil
    agenda.add(at: now + milliseconds, .wake)
    guard isShared, milliseconds > Self.leaseMilliseconds else { return }
    agenda.add(at: now + Self.leaseMilliseconds, .leaseEnd(unreachable: milliseconds + upTo(200)))
  }

  mutating func wake() {
    guard isSuspended else { return }
    isSuspended = false
    let happenings = held
    held = []
    for happening in happenings { take(happening) }
    tell([.timer])
  }

  /// What the gateway has claimed is due again, and the other gateway may be quick.
  mutating func endLease(unreachable: Int64) {
    guard isShared, !isDown, queue.lease != nil else { return }
    ledger.lost(queue.endLease())
    for _ in 0..<2 where chance(0.7) { agenda.add(at: now + upTo(4000), .otherClaims) }
    forgetsDemands = true
    isUnreachable = unreachable > 0
    agenda.add(at: now + unreachable, .reconnection)
  }

  mutating func reconnect() {
    isUnreachable = false
    if queue.lease == nil { renewLease() }
  }

  /// The store has a new lease, and reports what was due meanwhile.
  mutating func renewLease() {
    queue.renewLease()
    for app in fcm.apps.indices { noteDue(app) }
  }

  private mutating func noteDue(_ app: Int) {
    agenda.add(at: now, .events([.due(app: app)], generation: generation))
  }

  /// A new process: it knows only what is on disk.
  mutating func start() {
    generation += 1
    (isDown, isStopping, isSuspended, isSettling, isUnreachable) = (false, false, false, false, false)
    held = []
    ready = []
    // The demands of an answer are lost with it if it was not recorded.
    let lost = queue.endLease()
    ledger.forgetAll()
    fcm.gatewayRestarted(forgetting: forgetsDemands ? Array(queue.rows.keys) : lost)
    queue.renewLease()
    core = Self.makeCore(fcm, configuration, numbers)
    tell([])
  }

  /// The other gateway claims some of what is due, and sends most of it.
  mutating func otherClaims() {
    for app in fcm.apps.indices {
      let limit = Int(upTo(4))
      let claims = queue.claim(
        app: app, limit: limit, normalMin: 1, now: time.wall, lease: SimulatedQueue.otherLease)
      var sent: Set<DeliveryID> = []
      for claim in claims {
        ledger.claimedByOther(claim.id)
        guard chance(0.8), claim.departure.leave() else { continue }
        ledger.sent(claim.id, by: .other)
        sent.insert(claim.id)
      }
      agenda.add(at: now + upTo(500), .otherSettles(claims, sent: sent))
    }
  }

  mutating func otherSettles(_ claims: [ClaimedDelivery], sent: Set<DeliveryID>) {
    if chance(0.1) {
      ledger.forget(queue.free(claims))
    } else {
      _ = queue.settle(claims.map { settlement(of: $0, wasSent: sent.contains($0.id)) })
    }
    for app in fcm.apps.indices { noteDue(app) }
  }

  private mutating func settlement(of claim: ClaimedDelivery, wasSent: Bool) -> Settlement {
    let at = time.wall
    guard wasSent else { return .release(claim, at: at) }
    let isLast = claim.attempts + 1 >= RetryPolicy().attemptsMax
    guard chance(0.25), !isLast else {
      ledger.answered(claim.id, by: .other, .sent(name: ""))
      return .sent(claim, at: at, messageName: "projects/p/messages/2")
    }
    ledger.answered(claim.id, by: .other, .failed(unavailable))
    let dueAt = at.adding(milliseconds: upTo(60_000, from: 10_000))
    return .retry(claim, at: at, dueAt: dueAt, error: DeliveryError(unavailable))
  }
}
