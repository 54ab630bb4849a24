internal import Clock
import SQL

/// A call that waits for its turn in a transaction.
enum QueueWrite: Sendable {
  typealias Completion<Value> = @Sendable (Result<Value, OutboxError>) -> Void

  case enqueue(NewWork)
  case settle([Settlement], Completion<[DeliveryID]>)
  case claim(ClaimRequest)
  case change(QueueChange)

  /// The number of deliveries by which it counts towards the limits of a transaction and of the pending
  /// operations.
  var deliveryCount: Int {
    switch self {
    case .enqueue(let work): work.deliveryCount
    case .settle(let settlements, _): settlements.count
    case .claim(let claim): claim.limit
    case .change(let change): change.deliveryCount
    }
  }

  /// What it is for the calls that wait with it.
  var traits: QueueChange.Traits {
    switch self {
    case .enqueue: [.addsDeliveries, .isRequest]
    case .settle, .claim: []
    case .change(let change): change.traits
    }
  }

  var isClaim: Bool { if case .claim = self { true } else { false } }

  /// The idempotency key that it takes if it is accepted.
  var idempotencyKey: IdempotencyKey? {
    if case .enqueue(let work) = self { work.record?.key } else { nil }
  }

  /// Answers with `error`; nothing was written.
  func refuse(_ error: OutboxError) {
    switch self {
    case .enqueue(let work): work.completion(.failure(error))
    case .settle(_, let completion): completion(.failure(error))
    case .claim(let claim): claim.completion(.failure(error))
    case .change(let change): change.refuse(error)
    }
  }
}

/// A claim that waits for its turn. See `DeliveryQueue.claim`.
struct ClaimRequest: Sendable {
  let app: String
  let limit: Int
  let normalMin: Int
  let now: Timestamp
  let completion: QueueWrite.Completion<ClaimedDeliveries>
}

/// Any other call that writes.
struct QueueChange: Sendable {
  struct Traits: OptionSet, Sendable {
    let rawValue: UInt8

    /// It adds to what waits, rather than to finish it.
    static let addsDeliveries = Traits(rawValue: 1)
    /// What it does depends on the state of earlier deliveries, which must be up to date then.
    static let concernsOutcomes = Traits(rawValue: 2)
    /// Somebody waits for the answer, and counts on it from then on.
    static let isRequest = Traits(rawValue: 4)
  }

  typealias Body<Value> = @Sendable (QueueEngine, inout QueueTransaction) throws(DatabaseError) -> Value

  let traits: Traits
  let deliveryCount: Int
  /// Performs it; returns what answers the caller after the commit.
  let perform: Body<@Sendable () -> Void>
  /// Answers with an error; nothing was written.
  let refuse: @Sendable (OutboxError) -> Void

  init<Value: Sendable>(
    _ traits: Traits, deliveryCount: Int, _ completion: @escaping QueueWrite.Completion<Value>,
    _ body: @escaping Body<Value>
  ) {
    self.traits = traits
    self.deliveryCount = deliveryCount
    refuse = { completion(.failure($0)) }
    perform = { engine, transaction throws(DatabaseError) in
      let result: Result<Value, OutboxError>
      do throws(DatabaseError) {
        result = .success(try body(engine, &transaction))
      } catch {
        // What concerns this call alone fails no other call of the transaction.
        guard error.kind == .unreadableRecord || error.kind == .operation else { throw error }
        result = .failure(error.outboxError)
      }
      return { completion(result) }
    }
  }
}
