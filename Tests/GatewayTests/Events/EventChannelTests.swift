import Clock
import DeliveryReports
import FCMMessage
import HTTPServer
import Outbox
import OutboxModel
import Synchronization
import Testing

@testable import API

/// Who shares the events of all notifications, and what others' events cost a stream.
@Suite(.timeLimit(.minutes(1))) struct EventChannelTests {
  private func principal(
    _ name: String, _ scopes: Set<APIScope> = [.read], apps: [String]? = nil, templates: [String]? = nil
  ) -> Principal {
    Principal(client: name, scopes: scopes, apps: apps, templates: templates)
  }

  private func waits(_ client: String) -> DeliveryEvent {
    let claimed = ClaimedDelivery(
      id: DeliveryID(UUIDv7()), notification: NotificationID(UUIDv7()), app: "default", template: "welcome",
      client: client, target: .token("t"), message: SealedMessage(bytes: [], placeholders: []),
      priority: .high, attempts: 0, createdAt: .now, expiresAt: Timestamp.now.adding(milliseconds: 60_000))
    return .waits(app: "default", delivery: DeliveryReference(claimed), until: .now)
  }

  private func ids(_ reading: EventReading) -> [EventID] {
    String(decoding: reading.frames.bytes, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("id: ") }.compactMap { EventID(String($0.dropFirst("id: ".count))) }
  }

  @Test func callersWhoSeeTheSameShareAChannel() {
    let hub = EventHub()
    let all = hub.channel(for: principal("root", [.admin]))
    #expect(hub.channel(for: principal("other root", [.admin, .send])) === all)
    #expect(hub.channel(for: .anonymous) === all)
    let own = hub.channel(for: principal("a"))
    #expect(hub.channel(for: principal("a", [.read, .send])) === own)
    let others = [
      principal("b"), principal("a", apps: ["x"]), principal("a", templates: ["x"]),
      principal("a", templates: ["y"]), principal("a", [.read, .raw], templates: ["x"]),
      principal("root", [.admin], apps: ["x"]), principal("root", [.admin], apps: ["é"]),
      // The same text to Swift, and another app.
      principal("root", [.admin], apps: ["e\u{301}"]),
    ].map(hub.channel)
    #expect(Set(([all, own] + others).map(ObjectIdentifier.init)).count == 2 + others.count)
  }

  @Test func eventsOfOthersNeitherWakeAStreamNorCountNorPushItsOwnOut() async {
    let hub = EventHub()
    let (own, other) = (hub.channel(for: principal("own")), hub.channel(for: principal("other")))
    let (woken, signal) = AsyncStream.makeStream(of: Void.self)
    let ownWakes = Atomic<Int>(0)
    let waker = HTTPBodyWaker { signal.yield() }
    _ = other.join(waker)
    _ = own.join(HTTPBodyWaker { ownWakes.add(1, ordering: .relaxed) })
    let begin = own.read(after: nil)
    hub.note(waits("own"))
    let first = own.read(after: begin.place)
    #expect(ids(first).map(\.number) == [1])
    var wakes = woken.makeAsyncIterator()
    // The second time, the round that woke it first is over.
    for round in 1...2 {
      for _ in 0..<(2 * EventChannel.eventsMax) { hub.note(waits("other")) }
      await wakes.next()
      waker.answered()
      #expect(ids(other.read(after: nil)).isEmpty, "\(round)")
    }
    #expect(ownWakes.load(ordering: .relaxed) == 1)
    let rest = own.read(after: first.place)
    #expect(rest.frames.isEmpty)
    hub.note(waits("own"))
    #expect(ids(own.read(after: rest.place)).map(\.number) == [2])
    // What was pushed out is missing, and said so.
    #expect(String(decoding: other.read(after: 1).frames.bytes, as: UTF8.self).contains("event: gap\n"))
  }

  /// All streams send the bytes that were written once.
  @Test func aStreamContinuesWhereAnotherOneIs() throws {
    let hub = EventHub()
    let channel = hub.channel(for: principal("a"))
    let begin = channel.read(after: nil).place
    for _ in 0..<3 { hub.note(waits("a")) }
    let all = channel.read(after: begin)
    #expect(ids(all).map(\.number) == [1, 2, 3])
    #expect(channel.read(after: begin).frames.bytes == all.frames.bytes)
    let second = try #require(ids(all).dropFirst().first)
    #expect(ids(channel.read(after: channel.number(of: second))).map(\.number) == [3])
    #expect(channel.number(of: EventID(feed: "elsewhere", number: 1)) == nil)
  }
}
