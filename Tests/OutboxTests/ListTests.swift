import FCMMessage
import Testing

@testable import Outbox

/// What every store guarantees about the list of notifications.
@Suite struct ListTests {
  @Test(arguments: StoreKind.allCases) func listsTheNewestFirst(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    #expect(try await store.list().notifications.isEmpty)
    let given = (0..<25).map { _ in notification(count: 2) }
    for one in given { try await store.enqueue([one]) }
    let page = try await store.list(limit: 10)
    #expect(page.notifications.map(\.id) == given.suffix(10).reversed().map(\.id))
    #expect(page.notifications[0].deliveries.map(\.id) == given[24].deliveries.map(\.id))
    for limit in [1, 7, 24, 25, 26, 1_000] {
      #expect(try await store.listAll(limit: limit) == given.reversed().map(\.id))
    }
    #expect(try await store.list(limit: 25).next == nil)
  }

  @Test(arguments: StoreKind.allCases) func keepsItsPlaceWhileNewOnesArrive(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    let given = (0..<30).map { _ in notification() }
    try await store.enqueue(given)
    var ids: [NotificationID] = []
    var cursor: NotificationCursor?
    repeat {
      let page = try await store.list(limit: 4, cursor)
      ids += page.notifications.map(\.id)
      cursor = page.next
      try await store.enqueue([notification(), notification()])
    } while cursor != nil
    #expect(ids == given.reversed().map(\.id))
  }

  @Test(arguments: StoreKind.allCases) func filtersByEverything(_ kind: StoreKind) async throws {
    let store = try Fixture(kind).store
    var given: [NewNotification] = []
    for number in 0..<60 {
      given.append(
        notification(
          app: ["a", "b", "c"][number % 3], client: [nil, "orders", "chat"][number / 3 % 3],
          template: number % 2 == 0 ? "even" : "odd"))
    }
    try await store.enqueue(given)
    func expect(_ filter: NotificationFilter, _ matches: (NewNotification) -> Bool) async throws {
      let wanted = given.filter(matches).reversed().map(\.id)
      #expect(!wanted.isEmpty)
      #expect(try await store.listAll(filter, limit: 3) == wanted)
    }
    try await expect(NotificationFilter(template: "odd")) { $0.template == "odd" }
    try await expect(NotificationFilter(apps: ["a", "c", "x"])) { $0.app != "b" }
    try await expect(NotificationFilter(owner: .client("chat"))) { $0.client == "chat" }
    try await expect(NotificationFilter(owner: .anonymous)) { $0.client == nil }
    try await expect(NotificationFilter(template: "even", apps: ["b"], owner: .client("orders"))) {
      $0.template == "even" && $0.app == "b" && $0.client == "orders"
    }
    for filter in [
      NotificationFilter(apps: []), NotificationFilter(owner: .client("Orders")),
      NotificationFilter(status: "sent"), NotificationFilter(template: "ev"),
    ] {
      #expect(try await store.listAll(filter).isEmpty)
    }
  }

  @Test(arguments: StoreKind.allCases) func filtersByTheStatusOfTheWhole(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    let given = (0..<5).map { _ in notification(count: 2) } + [notification(sendAt: start.plus(seconds: 60))]
    try await store.enqueue(given)
    let claimed = try await store.claim(limit: 9)
    func settle(_ index: Int, _ result: Outcome) async throws {
      try await store.settle(claimed[index].id, result)
    }
    for index in 0..<2 { try await settle(index, .sent(messageName: "n")) }
    try await settle(2, .sent(messageName: "n"))
    try await settle(3, .failed(error: refusal))
    try await settle(4, .sent(messageName: "n"))
    try await settle(5, .retry(at: start.plus(seconds: 30), error: refusal))
    for index in 6..<8 { try await settle(index, .failed(error: refusal)) }
    let wanted: [String: [Int]] = [
      "sent": [0], "partial": [1], "queued": [4, 2], "failed": [3], "scheduled": [5], "expired": [],
    ]
    for (status, indices) in wanted {
      let found = try await store.listAll(NotificationFilter(status: status))
      #expect(found == indices.map { given[$0].id }, "\(status)")
    }
    fixture.clock.now = start.plus(seconds: 60)
    #expect(try await store.listAll(NotificationFilter(status: "queued")).first == given[5].id)
  }

  @Test(arguments: StoreKind.allCases) func findsDeliveries(_ kind: StoreKind) async throws {
    let fixture = try Fixture(kind)
    let store = fixture.store
    // Targets that share their last characters, and kinds that share their values.
    let targets: [Target] = [
      .token("a-suffix-x"), .token("b-suffix-x"), .fid("a-suffix-x"), .topic("x"),
      .condition("'x' in topics"),
      .token("é"),
    ]
    var given: [NewNotification] = []
    for number in 0..<150 {
      fixture.clock.now = start.plus(seconds: Int64(number) * 1_000)
      let new = notification(
        createdAt: fixture.clock.now, client: number % 2 == 0 ? "orders" : nil,
        ttlMilliseconds: 2_000_000_000, target: targets[number % targets.count])
      given.append(new)
      try await store.enqueue([new])
    }
    for target in targets {
      let wanted = given.filter { $0.deliveries[0].target == target }.reversed().map(\.id)
      #expect(try await store.listAll(NotificationFilter(target: target), limit: 7) == wanted, "\(target)")
      let own = NotificationFilter(owner: .client("orders"), target: target)
      #expect(
        try await store.listAll(own, limit: 3)
          == given.filter { $0.deliveries[0].target == target && $0.client != nil }.reversed().map(\.id))
    }
    #expect(try await store.listAll(NotificationFilter(target: .token("c-suffix-x"))).isEmpty)
    let claimed = try await store.claim(limit: 150)
    for (index, delivery) in claimed.enumerated() where index % 3 == 0 {
      try await store.settle(
        delivery.id,
        .failed(
          error: DeliveryError(
            code: index % 2 == 0 ? "EVEN" : "ODD", httpStatus: nil, message: "", apnsReason: nil)))
    }
    let failed = Set(claimed.enumerated().filter { $0.offset % 6 == 0 }.map(\.element.notification))
    let wanted = given.filter { failed.contains($0.id) }.reversed().map(\.id)
    #expect(try await store.listAll(NotificationFilter(errorCode: "EVEN"), limit: 4) == wanted)
    #expect(try await store.listAll(NotificationFilter(errorCode: "even")).isEmpty)
    for target in targets {
      let both = NotificationFilter(target: target, errorCode: "EVEN")
      #expect(
        try await store.listAll(both, limit: 2)
          == given.filter { failed.contains($0.id) && $0.deliveries[0].target == target }.reversed().map(\.id)
      )
    }
    for (since, until) in [(nil, 70), (70, nil), (20, 90), (149, 150), (150, nil), (nil, 0)] as [(Int?, Int?)]
    {
      let filter = NotificationFilter(
        since: since.map { start.plus(seconds: Int64($0) * 1_000) },
        until: until.map { start.plus(seconds: Int64($0) * 1_000) })
      let wanted = given[(since ?? 0)..<(until ?? given.count)].reversed().map(\.id)
      #expect(try await store.listAll(filter, limit: 11) == wanted, "\(String(describing: (since, until)))")
    }
  }

  @Test func scansALimitedPartAtATime() async throws {
    let store = try Fixture(.sqlite).store
    let rare = notification(template: "rare")
    try await store.enqueue([rare])
    for _ in 0..<3 { try await store.enqueue((0..<1_000).map { _ in notification() }) }
    let filter = NotificationFilter(template: "rare")
    let page = try await store.list(filter, limit: 1)
    #expect(page.notifications.isEmpty)
    #expect(page.next != nil)
    #expect(try await store.listAll(filter) == [rare.id])
  }
}
