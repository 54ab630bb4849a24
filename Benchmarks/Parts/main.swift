// Runs each step of the hot path in this process and prints a line of JSON for each: the minimum time of
// several runs, which other processes disturb least, and the allocations. Usage: benchmark-parts FOLDER
import Allocations
import Catalog
import CatalogCheck
import Clock
import FCM
import FCMMessage
import Foundation
import HTTPClient
import JSON
import Outbox
import Synchronization
import Telemetry

@testable import API
@testable import Gateway
@testable import HTTPServer

/// Times several series of runs of `body`, and prints and returns what one run takes, in nanoseconds.
@discardableResult
func measure(_ name: String, times: Int = 2000, each: Int = 1, _ body: () -> Void) -> Double {
  let clock = ContinuousClock()
  for _ in 0..<max(1, times / 10) { body() }
  var least = Duration.seconds(1_000_000)
  let before = allocation_count()
  for _ in 0..<15 {
    let took = clock.measure { for _ in 0..<times { body() } }
    least = min(least, took)
  }
  let allocations = Double(allocation_count() - before) / Double(15 * times * each)
  let nanoseconds = least / .nanoseconds(1) / Double(times * each)
  print(
    #"{"name":"\#(name)","nanoseconds":\#(nanoseconds.rounded()),"allocations":\#((allocations * 10).rounded() / 10)}"#
  )
  return nanoseconds
}

/// Prints how many times as long one step takes as another.
func printRatio(_ name: String, _ ratio: Double) {
  print(#"{"name":"\#(name)","ratio":\#((ratio * 100).rounded() / 100)}"#)
}

let registration = "bk3RNwTe3H0CI2k_HHwgIp:" + String(repeating: "DKCIZvvDMExUdFQ3P1", count: 6)
let body = Array(
  """
  {"template": "new_message", "to": {"token": "\(registration)"}, "args": {"count": 3, "sender": "Bob"}}
  """.utf8)
let head = """
  POST /v1/notifications HTTP/1.1\r
  Host: 127.0.0.1:8080\r
  User-Agent: benchmark\r
  Content-Type: application/json\r
  Content-Length: \(body.count)\r
  \r

  """
let folder = URL(filePath: CommandLine.arguments[1])
let app = try AppCatalog.load(file: "config/catalog.yaml")
let catalog = app.catalog
let now = Timestamp.now

// MARK: A request

let input = Array(head.utf8) + body
var parser = RequestParser(
  limits: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)), peer: "127.0.0.1:1")
measure("parse an HTTP request") {
  var offset = 0
  _ = parser.next(input.span, &offset)
  _ = try? parser.beginBody(bytesMax: 1_048_576)
  _ = parser.next(input.span, &offset)
}

measure("parse its JSON") { _ = try? JSON.parse(body) }

let json = try JSON.parse(body)
measure("read the notification") { _ = try? NotificationRequest(json, now: now) }

struct NoSender: MessageSender {
  func send(_ body: [UInt8], completion: @escaping @Sendable (SendOutcome) -> Void) {}
}

let checked = try CheckedCatalog(app)
let snapshot = APIState.Snapshot(
  authenticator: Authenticator(clients: []),
  apps: [
    APIState.App(
      name: "default", catalog: checked.catalog, resources: checked.resources, report: checked.report,
      projectID: "p", sender: NoSender())
  ], maxAgeMilliseconds: 86_400_000)
let request = try NotificationRequest(json, now: now)
let intake = Intake(snapshot: snapshot, principal: .anonymous)
measure("take it in: permission, assembly, ids") { _ = try? intake.accept(request, now: now) }

let assembly = AssemblyRequest(
  template: "new_message", args: request.args, longestTarget: request.targets.first)
measure("of that: assemble the message") { _ = catalog.assemble(assembly) }

// The same message given as a whole, by FCM's own API: the first of its kind, with its check by FCM's rules
// and those of `check`, and further ones.
let whole: [UInt8] = {
  guard case .success(let message) = catalog.assemble(assembly) else { return [] }
  return message.message.sendRequestBody(to: .token(registration), values: .example(ttlSeconds: 3600))
}()
let rawCheck = checked.rawMessages
let templated = measure("a request for a template: from its JSON to its message") {
  guard let json = try? JSON.parse(body), let request = try? NotificationRequest(json, now: now) else {
    return
  }
  _ = try? intake.accept(request, now: now)
}
let maxAge = snapshot.maxAgeMilliseconds
measure("a whole message, the first of its kind: the same") {
  guard let json = try? JSON.parse(whole, options: SendMessageRequest.parseOptions),
    let request = try? SendMessageRequest(json)
  else { return }
  _ = rawCheck.texts(of: request.message).map(rawCheck.findings)
  _ = RawMessage(request, now: now, maxAgeMilliseconds: maxAge)
}
let known = KnownMessages()
let wholeJSON = try JSON.parse(whole, options: SendMessageRequest.parseOptions)
let wholeRequest = try SendMessageRequest(wholeJSON)
while known.count == 0 {
  guard case .unknown(let unknown)? = known.match(whole, now: now, maxAgeMilliseconds: maxAge) else { break }
  known.remember(unknown, wholeJSON, wholeRequest, note: nil)
}
let given = measure("a whole message, a further one: the same") {
  _ = known.match(whole, now: now, maxAgeMilliseconds: maxAge)
}
printRatio("a further whole message: against a request for a template", given / templated)

// The same message with a key for each of three numbers, and with a plural in nine languages.
let counted = try Catalog.parse(
  Array(
    """
    version: 1
    plurals: {languages: [en, de, es, fr, he, id, pl, pt-BR, zh-Hant]}
    templates:
      variants:
        params: {count: {type: integer}}
        body:
          android: messages_n5
          ios: MESSAGES_n5
          args: [count]
          variants:
            - {when: {count: 0}, android: messages_n0, ios: MESSAGES_n0}
            - {when: {count: 1}, android: messages_n1, ios: MESSAGES_n1}
            - {when: {count: 2}, android: messages_n2, ios: MESSAGES_n2}
        fallback: {body: You have new messages.}
      plural:
        params: {count: {type: integer}}
        body: {android: messages, ios: MESSAGES, args: [count], plural: count}
        fallback: {body: You have new messages.}
    """.utf8), file: nil)
let count = try JSON.parse(Array(#"{"count": 2}"#.utf8)).object ?? .init()
let ofVariants = AssemblyRequest(template: "variants", args: count, longestTarget: request.targets.first)
let ofPlural = AssemblyRequest(template: "plural", args: count, longestTarget: request.targets.first)
for request in [ofVariants, ofPlural] { _ = try counted.assemble(request).get() }
let variantsNanoseconds = measure("assemble a message with variants") { _ = counted.assemble(ofVariants) }
let pluralNanoseconds = measure("assemble a message with a plural") { _ = counted.assemble(ofPlural) }
printRatio("a plural, compared with variants", pluralNanoseconds / variantsNanoseconds)

// Five args that the recipient's language writes, as loc args and as a text.
let formatted = try Catalog.parse(
  Array(
    """
    version: 1
    templates:
      order:
        params:
          count: {type: integer, format: number}
          price: {type: number, format: {currency: EUR}}
          share: {type: number, format: percent}
          day: {type: date, format: long}
          at: {type: datetime, format: short}
        body: {android: order, ios: ORDER, args: [count, price, share, day, at]}
        fallback: {body: Your order is on its way.}
    """.utf8), file: nil)
let order = AssemblyRequest(
  template: "order",
  args: try JSON.parse(
    Array(
      #"{"count": 12345, "price": 1234.5, "share": 0.25, "day": "2026-11-22", "at": "2026-11-22T18:30:00Z"}"#
        .utf8)
  ).object ?? .init(), longestTarget: request.targets.first)
let texts = RecipientTexts(nil, support: nil)
let german = Recipient(platform: .android, locales: ["de-DE"], timeZone: "Europe/Berlin")
func assembleForRecipient() throws -> AssembledMessage {
  let prepared = try formatted.prepare(order).get()
  let content = try texts.content(of: prepared, for: german, render: .auto, now: now)
  return try prepared.message(content, longestTarget: order.longestTarget).get()
}
_ = try assembleForRecipient()
measure("assemble a message with five formatted args") { _ = try? assembleForRecipient() }

let accepted = try intake.accept(request, now: now)
measure("write the answer") { _ = HTTPResponse.json(202, StoredNotification(accepted.notification)) }

// MARK: A delivery

let values = SealedMessage.PlaceholderValues.example(ttlSeconds: 3600)
measure("fill the message in") {
  _ = accepted.notification.message.sendRequestBody(to: .token(registration), values: values)
}

let answer = TransportResponse(
  status: 200, body: Array(#"{"name":"projects/p/messages/0:1500415314455276%31bd1c9631bd1c96"}"#.utf8))
measure("classify a success") { _ = AnswerClassifier.outcome(of: answer, now: now.unixSeconds) }

let refusal = TransportResponse(
  status: 404,
  body: Array(
    """
    {"error": {"code": 404, "message": "Requested entity was not found.", "status": "NOT_FOUND", "details": [
    {"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": "UNREGISTERED"}]}}
    """.utf8))
measure("classify an error") {
  _ = AnswerClassifier.outcome(of: refusal, registration: registration, now: now.unixSeconds)
}

// MARK: The queue

var configuration = OutboxConfiguration()
configuration.depthMax = 10_000_000
let path = folder.appending(path: "parts-\(getpid()).db").path
let store = try DurableOutboxStore(path: path, configuration: configuration, log: .silent)
let done = DispatchSemaphore(value: 0)

/// Accepts and enqueues what `body` describes, then claims it, fills its messages in and settles it as sent.
/// Returns what each of both takes for one delivery, in nanoseconds.
func measureQueue(
  _ name: String, deliveries: Int, _ body: @autoclosure () -> [NewNotification]
) -> (enqueue: Double, send: Double) {
  let enqueue = measure("enqueue on disk, \(name)", times: 20, each: deliveries) {
    store.enqueue(body(), idempotency: nil) { _ in done.signal() }
    done.wait()
  }
  let send = measure("claim and settle as sent, \(name)", times: 10, each: deliveries) {
    store.claim(app: "default", limit: deliveries, normalMin: 0, now: .now) { result in
      let claimed = (try? result.get().deliveries) ?? []
      for one in claimed { _ = one.message.sendRequestBody(to: one.target, values: values) }
      store.settle(
        claimed.map {
          Settlement.sent($0, at: now, messageName: "projects/p/messages/1")
        }, waitMilliseconds: 0
      ) { _ in done.signal() }
    }
    done.wait()
  }
  return (enqueue, send)
}

_ = measureQueue(
  "100 at once", deliveries: 100,
  (0..<100).compactMap { _ in try? intake.accept(request, now: now).notification })

// A topic by language, and as many devices that share one message.
let languages = try LanguageTopicRequest(in: folder.path, registration: registration)
let count40 = languages.languages.count
let toDevices = measureQueue(
  "one request to \(count40) devices", deliveries: count40, languages.accepted(to: .devices, now: now))
let toLanguages = measureQueue(
  "one request to \(count40) languages", deliveries: count40, languages.accepted(to: .topic, now: now))
measure("make the messages of \(count40) languages", times: 50, each: count40) {
  _ = languages.accepted(to: .topic, now: now)
}
printRatio("a language against a device: enqueue", toLanguages.enqueue / toDevices.enqueue)
printRatio("a language against a device: claim and settle", toLanguages.send / toDevices.send)
let withKeys = measure("take in a request with loc keys") { _ = languages.accepted(to: .device, now: now) }
let inChosenLanguage = measure("take it in with texts in the language that the reader chose") {
  _ = languages.accepted(to: .deviceInChosenLanguage, now: now)
}
printRatio("a chosen language against loc keys", inChosenLanguage / withKeys)
await store.close()
for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
