import Clock
import FCM
import FCMMessage
import Outbox
import OutboxModel

@testable import Delivery

/// The start of the tests' time, in milliseconds since 1970.
let epoch: Int64 = 1_800_000_000_000

func wall(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: epoch + milliseconds) }

/// `milliseconds` after the start of the tests' time, by both clocks.
func moment(_ milliseconds: Int64) -> Moment { Moment(wall: wall(milliseconds), ticks: milliseconds) }

func deliveryID(_ number: Int) -> DeliveryID {
  DeliveryID(UUIDv7(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)))
}

/// A delivery that expires `lifetime` milliseconds after the start.
func delivery(
  _ number: Int, app: String = "default", to target: Target? = nil, attempts: Int = 0,
  lifetime: Int64 = 86_400_000, priority: DeliveryPriority = .high, lease: Int64 = 0, message: Int? = nil
) -> ClaimedDelivery {
  ClaimedDelivery(
    id: deliveryID(number), claim: ClaimNumber(lease: lease, number: Int64(number)),
    notification: NotificationID(deliveryID(number).uuid), app: app,
    target: target ?? .token("token-\(number)"),
    message: SealedMessage(
      bytes: Array(#""data":{"n":"\#(message ?? number)"}"#.utf8), placeholders: []),
    priority: priority,
    attempts: attempts, createdAt: wall(0), expiresAt: wall(lifetime))
}

extension ClaimedDelivery {
  /// Another claim of the delivery.
  func again(
    as claim: ClaimNumber, attempts: Int? = nil, departure: Departure = Departure()
  )
    -> ClaimedDelivery
  {
    ClaimedDelivery(
      id: id, claim: claim, notification: notification, app: app, target: target, message: message,
      priority: priority, attempts: attempts ?? self.attempts, createdAt: createdAt, expiresAt: expiresAt,
      departure: departure)
  }
}

func failure(
  _ code: SendError.Code, _ disposition: SendError.Disposition, _ scope: SendError.Scope,
  status: Int? = nil, retryAfter: Int? = nil
) -> SendError {
  SendError(
    code: code, httpStatus: status, message: "why", disposition: disposition, scope: scope,
    retryAfterSeconds: retryAfter)
}

let unavailable = failure(.unavailable, .retry, .service, status: 503)
let unregistered = failure(.unregistered, .permanent, .registration, status: 404)
let forbidden = failure(.permission, .permanent, .configuration, status: 403)
/// Google's token endpoint rejects the credentials: nothing was sent.
let noToken = failure(.authentication, .permanent, .unsent, status: 400)
let sent = SendOutcome.sent(name: "projects/p/messages/1")
let diskFull = OutboxError(code: .unavailable, description: "disk full")

/// An outcome in a form that can be compared.
enum Settled: Equatable {
  case sent(String)
  case retry(at: Int64, String)
  case release
  case deferred(until: Int64)
  case refused(at: Int64, String)
  case failed(String)
  case expired(String?)

  init(_ settlement: Settlement) {
    let dueAt = (settlement.dueAt?.milliseconds ?? epoch) - epoch
    let code = settlement.error?.code
    switch settlement.state {
    case nil: self = .release
    case .sent: self = .sent(settlement.messageName ?? "")
    case .failed: self = .failed(code ?? "")
    case .expired: self = .expired(code)
    case .queued where settlement.countsAttempt: self = .retry(at: dueAt, code ?? "")
    default: self = code.map { .refused(at: dueAt, $0) } ?? .deferred(until: dueAt)
    }
  }
}
