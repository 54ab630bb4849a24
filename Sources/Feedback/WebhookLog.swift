internal import Outbox

/// The queue's feedback log as the webhook reads it.
protocol WebhookLog: Sendable {
  func events(
    after: Int64?, limit: Int, completion: @escaping @Sendable (Result<FeedbackPage, OutboxError>) -> Void)
  func cursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void)
  func setCursor(_ event: Int64, completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void)
}

/// The feedback log of all apps of a queue.
struct StoredLog: WebhookLog {
  let store: any OutboxStore

  func events(
    after: Int64?, limit: Int, completion: @escaping @Sendable (Result<FeedbackPage, OutboxError>) -> Void
  ) {
    store.webhookEvents(after: after, limit: limit, completion: completion)
  }

  func cursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void) {
    store.webhookCursor(completion: completion)
  }

  func setCursor(_ event: Int64, completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void) {
    store.setWebhookCursor(event, completion: completion)
  }
}
