internal import Catalog
internal import Clock
internal import FCMMessage
internal import Outbox

extension QueryReader {
  /// Reads what `GET /v1/notifications` searches for: a target, an error code, a span of time.
  mutating func readSearch(into filter: inout NotificationFilter) {
    let kinds: [(name: String, make: (String) -> Target)] = [
      ("token", { .token($0) }), ("fid", { .fid($0) }), ("topic", { .topic($0) }),
      ("condition", { .condition($0) }),
    ]
    for kind in kinds {
      guard let value = text(kind.name) else { continue }
      if filter.target != nil {
        report(kind.name, .invalid, "Only one of token, fid, topic and condition may be used.")
      }
      filter.target = kind.make(value)
    }
    filter.errorCode = text("code")
    if let code = filter.errorCode, !DeliveryError.isCode(code) {
      report("code", .invalid, DeliveryError.codeExpected)
    }
    filter.since = time("since")
    filter.until = time("until")
  }

  private mutating func time(_ name: String) -> Timestamp? {
    guard let text = text(name) else { return nil }
    guard let time = Timestamp(rfc3339: text) else {
      report(name, .invalid, "A time in RFC 3339 form is expected, such as 2026-11-21T12:00:00Z.")
      return nil
    }
    return time
  }
}

/// How many notifications a filter finds, as far as a search of so many pages goes.
struct NotificationCount: Sendable {
  private static let pagesMax = 10
  private static let pageItemsMax = 1_000

  var total = 0
  /// Whether the search has come to the end: otherwise there are at least `total`.
  private(set) var isComplete: Bool
  private var pages = 0
  private var place: NotificationCursor?

  init(isComplete: Bool) { self.isComplete = isComplete }

  /// Reads page after page; others' reads have their turns in between.
  func go(
    on filter: NotificationFilter, in store: any OutboxStore,
    completion: @escaping @Sendable (Result<NotificationCount, OutboxError>) -> Void
  ) {
    guard !isComplete, pages < Self.pagesMax else { return completion(.success(self)) }
    store.list(filter, limit: Self.pageItemsMax, cursor: place) { result in
      switch result {
      case .success(let page):
        var count = self
        count.total += page.notifications.count
        count.pages += 1
        count.place = page.next
        count.isComplete = page.next == nil
        count.go(on: filter, in: store, completion: completion)
      case .failure(let error): completion(.failure(error))
      }
    }
  }
}
