import CFuzzer
import Clock
import FCM
import FCMMessage
import JSON
import Outbox

@testable import API
@testable import Catalog
@testable import Gateway

/// What SwiftPM takes for the program's main.
@_cdecl("fuzz_intake_main")
public func fuzz(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var (count, arguments) = (count, arguments)
  return LLVMFuzzerRunDriver(&count, &arguments, fuzzIntake)
}

/// From a request's bytes to messages under libFuzzer: nothing crashes, what is refused is told where, and what is
/// accepted is a message that FCM can take.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzIntake(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Guard: libFuzzer's bytes stay as they are until this returns.
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let body = try? JSON.parse(bytes) else { return 0 }
  do throws(APIError) {
    try hold(intake.accept(NotificationRequest(body, now: now), now: now).notification)
  } catch {
    hold(error, about: body)
  }
  do throws(APIError) {
    let batch = try intake.acceptBatch(body, now: now)
    batch.accepted.forEach(hold)
    demand(
      batch.outcomes.count == body["notifications"]?.array?.count, "a batch's outcomes are as many")
    for case .failure(let problem) in batch.outcomes { hold(problem, about: body) }
    demand((try? JSON.parse(batch.json.serialized)) != nil, "a batch's answer is no JSON")
  } catch {
    hold(error, about: body)
  }
  return 0
}

private let now = Timestamp(milliseconds: 1_795_262_400_000)

/// The example app, and one whose params have every type and limit.
private let intake: Intake = {
  let example = ExampleApp.files.first { $0.path == "catalog.yaml" }?.text ?? ""
  let apps = [("default", example), ("limits", limits)].map { name, text in
    do {
      let catalog = try CheckedCatalog(Catalog.parse(Array(text.utf8), file: nil))
      return APIState.App(
        name: name, catalog: catalog.catalog, resources: nil, report: catalog.report, sender: NoSender())
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

/// Tells what does not hold, which a precondition of an optimised build does not.
private func demand(_ condition: Bool, _ reason: @autoclosure () -> String) {
  if !condition { fatalError(reason()) }
}

/// What was accepted is complete, and what FCM would refuse it for lies in its target alone.
private func hold(_ notification: NewNotification) {
  demand(!notification.deliveries.isEmpty, "a notification without deliveries")
  demand(notification.expiresAt > (notification.sendAt ?? now), "it expires before it is sent")
  let values = SealedMessage.PlaceholderValues.example(ttlSeconds: MessageRules.ttlSecondsMax)
  for delivery in notification.deliveries {
    let bytes = notification.message.message(to: delivery.target, values: values)
    demand(bytes.count <= SealedMessage.byteCountMax, "\(bytes.count) bytes")
    guard let message = try? JSON.parse(bytes) else { fatalError("a message is no JSON") }
    demand(
      message[delivery.target.field]?.string?.hasSameBytes(as: delivery.target.value) == true,
      "another target")
    let targets = ["message.token", "message.fid"]
    let violations =
      (MessageSchema.violations(in: message, of: .message)
      + MessageRules.violations(inMessage: message))
      .filter { $0.kind != .ineffective && !targets.contains($0.field) }
    demand(violations.isEmpty, "\(violations)")
  }
}

/// A refusal has a place for each mistake, in what was sent, and quotes nothing that is no JSON.
private func hold(_ problem: APIError, about body: JSON) {
  demand((400..<500).contains(problem.code.status), problem.code.slug)
  demand((try? JSON.parse(problem.json.serialized)) != nil, "a problem is no JSON")
  let isWithoutPlace = problem.code.slug == "message-too-large" || !problem.members.isEmpty
  demand(isWithoutPlace || !problem.errors.isEmpty, "\(problem.code.slug) without errors")
  for error in problem.errors {
    var steps = error.pointer.description.unicodeScalars
      .split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    // What is missing has a place all the same, be it an arg where there are no args, as has the app that nobody named.
    if error.code == .missing { steps = steps.dropLast(2) }
    if problem.code.slug == "unknown-app" { steps = steps.dropLast() }
    demand(body.holds(steps), "\(error.pointer): \(error.detail)")
  }
}

extension JSON {
  /// Whether a JSON Pointer's steps lead to something.
  fileprivate func holds(_ steps: ArraySlice<Substring.UnicodeScalarView>) -> Bool {
    guard let step = steps.first else { return true }
    // Scalar by scalar, as JSON Pointer has it: a slash may carry an accent.
    let name = step.split(separator: "~", omittingEmptySubsequences: false).enumerated().flatMap {
      index, part in
      index == 0 ? Array(part) : [part.first == "1" ? "/" : "~"] + part.dropFirst()
    }
    var key = ""
    key.unicodeScalars.append(contentsOf: name)
    switch self {
    case .object(let object): return object[key]?.holds(steps.dropFirst()) ?? false
    case .array(let elements):
      guard let index = Int(key), elements.indices.contains(index) else { return false }
      return elements[index].holds(steps.dropFirst())
    case .null, .bool, .number, .string: return false
    }
  }
}
