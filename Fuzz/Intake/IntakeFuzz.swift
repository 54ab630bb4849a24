import CFuzzer
import CatalogCheck
import Clock
import FCM
import FCMMessage
import JSON
import Outbox

@testable import API
@testable import Catalog
@testable import Gateway

/// The entry point, which SwiftPM renames to the program's main.
@_cdecl("fuzz_intake_main")
public func fuzz(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var (count, arguments) = (count, arguments)
  return LLVMFuzzerRunDriver(&count, &arguments, fuzzIntake)
}

/// Fuzzes the path from a request's bytes to messages: nothing may crash, every rejection must name a
/// location, and every accepted request must become a message that FCM can accept.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzIntake(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Guard: libFuzzer does not change the bytes until this function returns.
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  checkRawMessage(bytes)
  guard let body = try? JSON.parse(bytes) else { return 0 }
  do throws(APIError) {
    try check(intake.accept(NotificationRequest(body, now: now), now: now).notification)
  } catch {
    check(error, about: body)
  }
  do throws(APIError) {
    let batch = try intake.acceptBatch(body, now: now)
    batch.accepted.forEach(check)
    require(
      batch.outcomes.count == body["notifications"]?.array?.count, "a batch has another number of outcomes")
    for case .failure(let problem) in batch.outcomes { check(problem, about: body) }
    require((try? JSON.parse(batch.json.serialized)) != nil, "the answer to a batch is not JSON")
  } catch {
    check(error, about: body)
  }
  return 0
}

private let now = Timestamp(milliseconds: 1_795_262_400_000)

/// The example app, and one with params of every type and limit.
private let intake: Intake = {
  let example = ExampleApp.files.first { $0.path == "catalog.yaml" }?.text ?? ""
  let apps = [("default", example), ("limits", limits)].map { name, text in
    do {
      let catalog = try CheckedCatalog(AppCatalog.parse(Array(text.utf8), file: nil))
      return APIState.App(
        name: name, catalog: catalog.catalog, resources: nil, report: catalog.report, projectID: "p",
        sender: NoSender())
    } catch {
      fatalError("\(error)")
    }
  }
  let authenticator = Authenticator(clients: [])
  return Intake(
    snapshot: .init(authenticator: authenticator, apps: apps, maxAgeMilliseconds: 86_400_000),
    principal: .anonymous)
}()

private let limits = """
  version: 1
  templates:
    all:
      params:
        s: {type: string, max_length: 3}
        e: {type: string, enum: [a, b], default: a}
        i: {type: integer, min: -2, max: 9, default: 1}
        n: {type: number, min: 0.5, max: 1e3, default: 2}
        b: {type: boolean, default: false}
      title:
        android: t
        ios: T
        args: [s, e]
        variants: [{when: {b: true}, android: t2, ios: T2, args: []}]
      body: {android: {key: b, args: [n, i]}, ios: {key: B, args: [i, n, s]}}
    free: {params: {s: {type: string, default: ""}}, body: {android: b, ios: B, args: [s, s, s]}}
  """

private struct NoSender: MessageSender {
  func send(_ body: [UInt8], completion: @escaping @Sendable (SendOutcome) -> Void) {}
}

/// The raw messages so far.
private let known = KnownMessages()

/// Checks that a raw message that is like an earlier one becomes what it would become without it.
private func checkRawMessage(_ bytes: [UInt8]) {
  let maxAge: Int64 = 86_400_000
  let match = known.match(bytes, now: now, maxAgeMilliseconds: maxAge)
  let body = try? JSON.parse(bytes, options: SendMessageRequest.parseOptions)
  let request = body.flatMap { try? SendMessageRequest($0) }
  switch match {
  case .known(let raw, _):
    guard let request else { fatalError("a request that is not valid is like a valid one") }
    let checked = RawMessage(request, now: now, maxAgeMilliseconds: maxAge)
    require(raw.message == checked.message, "another message")
    require(raw.target == checked.target && raw.expiresAt == checked.expiresAt, "another target or time")
    require(raw.isUrgent == checked.isUrgent, "another priority")
  case .unknown(let unknown):
    if let body, let request { known.remember(unknown, body, request, note: nil) }
  case nil: break
  }
}

/// Fails with a reason, which a precondition does not print in an optimised build.
private func require(_ condition: Bool, _ reason: @autoclosure () -> String) {
  if !condition { fatalError(reason()) }
}

/// Checks that an accepted notification is complete, and that FCM could reject it only for its target.
private func check(_ notification: NewNotification) {
  require(!notification.deliveries.isEmpty, "a notification without deliveries")
  require(notification.expiresAt > (notification.sendAt ?? now), "the notification expires before it is sent")
  let values = SealedMessage.PlaceholderValues.example(ttlSeconds: MessageRules.ttlSecondsMax)
  for delivery in notification.deliveries {
    let bytes = notification.message.message(to: delivery.target, values: values)
    require(bytes.count <= SealedMessage.byteCountMax, "\(bytes.count) bytes")
    guard let message = try? JSON.parse(bytes) else { fatalError("a message is not JSON") }
    require(
      message[delivery.target.field]?.string?.hasSameBytes(as: delivery.target.value) == true,
      "another target")
    let targets = ["message.token", "message.fid"]
    let violations =
      (MessageSchema.violations(in: message, of: .message)
      + MessageRules.violations(inMessage: message))
      .filter { $0.kind != .ineffective && !targets.contains($0.field) }
    require(violations.isEmpty, "\(violations)")
  }
}

/// Checks that a rejection is valid JSON and names a location in the request for each error.
private func check(_ problem: APIError, about body: JSON) {
  require((400..<500).contains(problem.code.status), problem.code.slug)
  require((try? JSON.parse(problem.json().serialized)) != nil, "a problem is not JSON")
  let isWithoutPlace = problem.code.slug == "message-too-large" || !problem.members.isEmpty
  require(isWithoutPlace || !problem.errors.isEmpty, "\(problem.code.slug) without errors")
  for error in problem.errors {
    var steps = error.pointer.description.unicodeScalars
      .split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    // A missing field also has a location, even an arg if there are no args, or the app if none is named.
    if error.code == .missing { steps = steps.dropLast(2) }
    if problem.code.slug == "unknown-app" { steps = steps.dropLast() }
    require(body.contains(steps), "\(error.pointer): \(error.detail)")
  }
}

extension JSON {
  /// Whether a JSON Pointer's steps point to a value.
  fileprivate func contains(_ steps: ArraySlice<Substring.UnicodeScalarView>) -> Bool {
    guard let step = steps.first else { return true }
    // Compares Unicode scalars, as JSON Pointer does, because a combining accent can follow a slash.
    let name = step.split(separator: "~", omittingEmptySubsequences: false).enumerated().flatMap {
      index, part in
      index == 0 ? Array(part) : [part.first == "1" ? "/" : "~"] + part.dropFirst()
    }
    var key = ""
    key.unicodeScalars.append(contentsOf: name)
    switch self {
    case .object(let object): return object[key]?.contains(steps.dropFirst()) ?? false
    case .array(let elements):
      guard let index = Int(key), elements.indices.contains(index) else { return false }
      return elements[index].contains(steps.dropFirst())
    case .null, .bool, .number, .string: return false
    }
  }
}
