internal import DeliveryReports
internal import Outbox

/// The queue's feedback log as the webhook reads it: the events that the webhook carries.
protocol WebhookLog: Sendable {
  func events(
    after: Int64?, limit: Int, completion: @escaping @Sendable (Result<WebhookPage, OutboxError>) -> Void)
  func cursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void)
  func setCursor(_ event: Int64, completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void)
  /// The webhook has ended, and waits for no answer.
  func end()
}

/// The feedback log of all apps of a queue. It may still contain types that an earlier configuration had.
struct StoredLog: WebhookLog {
  let store: any OutboxStore
  let types: Set<WebhookEventType>

  func events(
    after: Int64?, limit: Int, completion: @escaping @Sendable (Result<WebhookPage, OutboxError>) -> Void
  ) {
    store.webhookEvents(after: after, limit: limit) { [types] result in
      completion(
        result.map { page in
          WebhookPage(
            events: page.events.filter { types.contains($0.type) }, next: page.next, hasMore: page.hasMore)
        })
    }
  }

  func cursor(completion: @escaping @Sendable (Result<Int64?, OutboxError>) -> Void) {
    store.webhookCursor(completion: completion)
  }

  func setCursor(_ event: Int64, completion: @escaping @Sendable (Result<Void, OutboxError>) -> Void) {
    store.setWebhookCursor(event, completion: completion)
  }

  func end() { store.endWebhook() }
}
