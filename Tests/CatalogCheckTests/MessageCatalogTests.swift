import AppStrings
import Clock
import FCMMessage
import JSON
import Testing

@testable import Catalog
@testable import CatalogCheck

/// First catalogs drafted from messages.
@Suite struct MessageCatalogTests {
  private var strings: AppResources {
    var fixture = CheckFixture()
    fixture.android = [
      "default": [
        ("new_message_title", "Message"), ("new_message_body_one", "%2$s sent %1$s message"),
        ("new_message_body_other", "%2$s sent %1$s messages"), ("order_shipped", "Order %1$s is on its way"),
      ]
    ]
    fixture.ios = [
      "en": [
        ("NEW_MESSAGE_TITLE", "Message"), ("NEW_MESSAGE_BODY_ONE", "%2$@ sent %1$@ message"),
        ("NEW_MESSAGE_BODY_OTHER", "%2$@ sent %1$@ messages"), ("ORDER_SHIPPED", "Order %1$@ is on its way"),
      ]
    ]
    return fixture.resources
  }

  private func newMessage(
    _ count: Int, _ sender: String, thread: String, badge: Int, _ isIdentified: Bool
  ) -> JSON {
    let form = count == 1 ? "one" : "other"
    let args: JSON = [.string(String(count)), .string(sender)]
    let id: JSON = "01990000-0000-7000-8000-000000000000"
    var notification: JSON.Object = .init([
      ("titleLocKey", "new_message_title"), ("body_loc_key", .string("new_message_body_\(form)")),
      ("body_loc_args", args), ("channel_id", "chat"),
    ])
    var headers: JSON.Object = .init([("apns-priority", "10")])
    if isIdentified { (notification["tag"], headers["apns-collapse-id"]) = (id, id) }
    return [
      "token": "token-of-somebody", "data": ["thread": .string(thread), "kind": "chat"],
      "android": ["priority": "high", "notification": .object(notification)],
      "apns": [
        "headers": .object(headers),
        "payload": [
          "aps": [
            "alert": [
              "title-loc-key": "NEW_MESSAGE_TITLE",
              "loc-key": .string("NEW_MESSAGE_BODY_\(form.uppercased())"),
              "loc-args": args,
            ], "badge": JSON(badge), "sound": "default", "thread-id": .string(thread),
          ]
        ],
      ],
    ]
  }

  /// As a gateway sends them, with the identity that it adds, or as they were given.
  private func messages(isIdentified: Bool = true) -> [JSON] {
    [
      newMessage(3, "Bob", thread: "7", badge: 1, isIdentified),
      newMessage(1, "Al \"x\" é", thread: "8", badge: 2, isIdentified),
      newMessage(0, "Eve", thread: "9", badge: 2, isIdentified),
      newMessage(1, "Bob", thread: "7", badge: 0, isIdentified),
      [
        "topic": "orders",
        "android": ["notification": ["title_loc_key": "order_shipped", "title_loc_args": ["A-1"]]],
        "fcm_options": ["analytics_label": "orders"],
      ],
      [
        "topic": "orders",
        "android": ["notification": ["title_loc_key": "order_shipped", "title_loc_args": ["A-2"]]],
        "fcm_options": ["analytics_label": "orders"],
      ],
      ["condition": "'a' in topics", "notification": ["title": "News", "body": "yes: [x] {y} #1 %"]],
      ["fid": "f1", "data": ["screen": "home", "n": "1"]],
      ["fid": "f2", "data": ["screen": "cart", "n": "1"]],
      [
        "token": "t",
        "webpush": ["headers": ["Urgency": "high"], "notification": ["title": "W", "silent": true]],
        "apns": [
          "headers": ["apns-priority": "5"],
          "payload": [
            "aps": ["content-available": 1], "ids": [1, 2],
            "price": JSON.number(JSON.Number(1.5) ?? .init(1)),
          ],
        ],
        "android": ["collapse_key": "c"],
      ],
    ]
  }

  private func canonical(_ json: JSON) -> JSON {
    switch json {
    case .object(let object):
      .object(.init(object.members.map { ($0.key, canonical($0.value)) }.sorted { $0.0 < $1.0 }))
    case .array(let elements): .array(elements.map(canonical))
    default: json
    }
  }

  /// What the gateway sends of a message that is given as a whole, and of a request for a template, as text.
  private func text(_ message: SealedMessage) throws -> String {
    let bytes = message.message(to: nil, values: .example(ttlSeconds: 60))
    let named = MessageSchema.withProtoNames(try JSON.parse(bytes), of: .message)
    return String(decoding: canonical(named).serialized, as: UTF8.self)
  }

  @Test(arguments: [true, false]) func theTemplatesSendTheSameMessages(hasStrings: Bool) throws {
    let strings = hasStrings ? strings : nil
    let drafted = MessageCatalog(messages(), android: strings?.android, ios: strings?.ios)
    let catalog = try Catalog.parse(Array(drafted.yaml.utf8), file: "catalog.yaml")
    #expect(drafted.requests.count == messages().count)
    for (given, request) in zip(messages(isIdentified: false), drafted.requests) {
      let request = try #require(request)
      let assembled = try catalog.assemble(
        AssemblyRequest(template: request.template, args: request.args)
      ).get()
      let raw = RawMessage(
        try SendMessageRequest(["message": given]), now: Timestamp(milliseconds: 0),
        maxAgeMilliseconds: 86_400_000)
      #expect(try text(assembled.message) == text(raw.message), "\(drafted.yaml)")
    }
  }

  @Test func draftsOneTemplateForEachKind() throws {
    let drafted = MessageCatalog(messages(), android: strings.android, ios: strings.ios)
    #expect(drafted.templateCount == 5)
    #expect(drafted.requests.map { $0?.template }.prefix(4).allSatisfy { $0 == "new_message" })
    #expect(
      drafted.yaml.contains(
        "body: {android: new_message_body_other, ios: NEW_MESSAGE_BODY_OTHER, args: [count, sender], "
          + "variants: [{when: {count: 1}, android: new_message_body_one, ios: NEW_MESSAGE_BODY_ONE, "
          + "args: [count, sender]}]}"), "\(drafted.yaml)")
    #expect(drafted.yaml.contains("count: {type: integer}"))
    // What differs is a param, once where the same value stands twice.
    #expect(drafted.yaml.contains("data: {thread: {$param: thread}, kind: chat}"))
    #expect(drafted.yaml.contains("thread-id: {$param: thread}"))
    #expect(drafted.yaml.contains("badge: {$param: badge}"))
    #expect(!drafted.yaml.contains("token-of"))
  }

  @Test func checkAcceptsTheDraft() throws {
    let drafted = MessageCatalog(messages(), android: strings.android, ios: strings.ios)
    let catalog = try Catalog.examine(Array(drafted.yaml.utf8), file: "catalog.yaml")
    let report = Check(catalog, against: strings).report()
    #expect(report.findings.filter { $0.severity == .error }.map(\.message) == [])
  }

  @Test func leavesOutWhatHidesAKey() throws {
    let message: JSON = [
      "token": "t", "notification": ["title": "Hi", "body": "B"],
      "android": ["notification": ["title_loc_key": "order_shipped"]],
    ]
    let drafted = MessageCatalog([message], android: strings.android, ios: nil)
    #expect(drafted.yaml.contains("# Without the literal title, which hid the key on Android."))
    #expect(drafted.yaml.contains("notification: {body: B}"))
    _ = try Catalog.parse(Array(drafted.yaml.utf8), file: "catalog.yaml")
  }

  @Test func leavesOutLiveActivities() {
    let message: JSON = ["token": "t", "apns": ["live_activity_token": "a"]]
    let drafted = MessageCatalog([message], android: nil, ios: nil)
    #expect(drafted.leftOutCount == 1)
    #expect(drafted.templateCount == 0)
  }

  /// A gateway keeps shapes, which hold nothing about anybody.
  @Test func draftsFromShapes() throws {
    let shapes = try messages().prefix(5).map { try #require(MessageShape.json(of: $0)) }
    let text = String(decoding: JSON.array(shapes).serialized, as: UTF8.self)
    for secret in ["token-of", "Bob", "\"7\"", "A-1", "orders\":\"x"] { #expect(!text.contains(secret)) }
    let drafted = MessageCatalog(shapes, android: strings.android, ios: strings.ios)
    let catalog = try Catalog.parse(Array(drafted.yaml.utf8), file: "catalog.yaml")
    #expect(catalog.templates.map(\.name).contains("order_shipped"))
    #expect(
      drafted.yaml.contains("data: {thread: {$param: thread}, kind: {$param: kind}}"), "\(drafted.yaml)")
    #expect(drafted.yaml.contains("channel_id: chat"))
    #expect(drafted.yaml.contains("badge: {$param: badge}"))
  }
}
