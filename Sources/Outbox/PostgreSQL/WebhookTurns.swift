import Clock
import Synchronization
import SQL

/// Which webhook of this gateway waits for the turn to notify, or has it.
///
/// Guard: only the store's writing queue uses what is not atomic.
final class WebhookTurns: @unchecked Sendable {
  /// How many webhooks of this gateway have ended; only calls of the present one wait.
  private let ended = Atomic<Int>(0)
  /// The callers that wait for this gateway's turn.
  private var waiting: [@Sendable (OutboxError?) -> Void] = []
  /// Which webhook of this gateway last had the turn, if the gateway may still have it.
  private var holder: Int?

  var current: Int { ended.load(ordering: .acquiring) }

  func end() { ended.add(1, ordering: .acquiringAndReleasing) }

  func took(_ webhook: Int) { holder = webhook }

  func wait(_ turn: @escaping @Sendable (OutboxError?) -> Void) { waiting.append(turn) }

  /// Asks again for those that wait.
  func askAgain() { answer(nil) }

  func close() { answer(.closed) }

  private func answer(_ error: OutboxError?) {
    let waiting = waiting
    self.waiting = []
    for turn in waiting { turn(error) }
  }

  /// Whether the turn is to be left to other gateways, because this one's webhook has ended; once.
  func takeUnused() -> Bool {
    guard let holder, holder < current else { return false }
    self.holder = nil
    return true
  }
}

extension PostgresDatabase {
  func awaitWebhookTurn(in store: DurableOutboxStore, completion: @escaping @Sendable (OutboxError?) -> Void)
  {
    awaitTurn(ofWebhook: webhook.current, in: store, completion: completion)
  }

  func endWebhook() { webhook.end() }

  private func awaitTurn(
    ofWebhook number: Int, in store: DurableOutboxStore,
    completion: @escaping @Sendable (OutboxError?) -> Void
  ) {
    guard webhook.current == number else { return completion(.closed) }
    let answer: @Sendable (Result<Bool, OutboxError>) -> Void = { [self] result in
      switch result {
      case .success(true): completion(nil)
      case .success(false):
        webhook.wait { [self] error in
          if let error { return completion(error) }
          awaitTurn(ofWebhook: number, in: store, completion: completion)
        }
      case .failure(let error): completion(error)
      }
    }
    store.ask(.claim, answer) { [self] engine throws(DatabaseError) in
      let isOurs = try engine.driver.takeWebhookTurn()
      if isOurs { webhook.took(number) }
      return isOurs
    }
  }
}
