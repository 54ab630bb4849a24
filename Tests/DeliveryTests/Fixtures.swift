import Clock
import FCM
import FCMMessage
import Outbox

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
  lifetime: Int64 = 86_400_000, priority: DeliveryPriority = .high
) -> ClaimedDelivery {
  ClaimedDelivery(
    id: deliveryID(number), notification: NotificationID(deliveryID(number).uuid), app: app,
    target: target ?? .token("token-\(number)"), message: SealedMessage(bytes: [], placeholders: []),
    priority: priority,
    attempts: attempts, createdAt: wall(0), expiresAt: wall(lifetime))
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

  init(_ outcome: Settlement.Result) {
    switch outcome {
    case .sent(let name): self = .sent(name)
    case .retry(let at, let error): self = .retry(at: at.milliseconds - epoch, error.code)
    case .release: self = .release
    case .deferred(let until, nil): self = .deferred(until: until.milliseconds - epoch)
    case .deferred(let until, let error?): self = .refused(at: until.milliseconds - epoch, error.code)
    case .failed(let error, _, _): self = .failed(error.code)
    case .expired(let error, _): self = .expired(error?.code)
    }
  }
}
