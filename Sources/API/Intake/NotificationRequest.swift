internal import Catalog
internal import Clock
internal import FCMMessage
internal import JSON
internal import Outbox

/// One request of `POST /v1/notifications`, read and validated as far as possible without a catalog.
final class NotificationRequest: Sendable {
  let template: String
  let app: String?
  /// Whether `app` is a string or absent. Otherwise, `app` is nil, and `errors` says why.
  let hasReadableApp: Bool
  let targets: [Target]
  let args: JSON.Object
  let data: JSON.Object?
  let ttlSeconds: Int?
  let priority: String?
  let collapseKey: String?
  let analyticsLabel: String?
  let sendAt: Timestamp?
  let validateOnly: Bool
  /// Nil if `live_activity` is absent or has mistakes.
  let activity: ActivityRequest?
  let hasActivity: Bool
  /// Whether `to` names one registration, not a list of them.
  let hasOneRegistration: Bool
  /// What the caller knows about the devices of the targets.
  let recipient: Recipient?
  /// Nil for what the template says.
  let render: RenderMode?

  /// The maximum number of registrations in a request.
  static let targetsMax = 1000
  /// The maximum size of a registration token or installation id, in bytes; FCM's have about 160.
  static let registrationBytesMax = 4096
  /// How far in the future `send_at` may be.
  static let sendAheadMillisecondsMax: Int64 = 30 * 24 * 3600 * 1000

  /// Reads `value`, which is at `pointer` in the request's body.
  ///
  /// Collects every mistake; throws `APIError` with all of them.
  init(_ value: JSON, at pointer: JSONPointer = .root, now: Timestamp) throws(APIError) {
    guard let object = value.object else {
      throw .notAnObject("A notification must be an object.", value, at: pointer)
    }
    var reader = RequestReader(object: object, pointer: pointer, fields: Self.fields)
    let name = reader.requiredString("template")
    if name == "" { reader.report("template", .invalid, "It is empty.") }
    template = name ?? ""
    (app, hasReadableApp) = reader.app()
    (targets, hasOneRegistration) = Self.readTargets(&reader)
    args = reader.object("args") ?? .init()
    data = reader.object("data")
    ttlSeconds = Self.readTTL(&reader)
    priority = reader.string("priority")
    collapseKey = reader.string("collapse_key")
    analyticsLabel = reader.string("analytics_label")
    sendAt = Self.readSendAt(&reader, now: now)
    recipient = reader.recipient()
    render = reader.renderMode()
    validateOnly = reader.bool("validate_only") ?? false
    hasActivity = reader.has("live_activity")
    activity = ActivityRequest(&reader)
    if validateOnly && targets.count > Self.validatedTargetsMax {
      reader.report(
        "to", .outOfRange, "With validate_only, at most \(Self.validatedTargetsMax) targets are allowed.")
    }
    reader.refuseUnknownFields()
    errors = reader.errors
  }

  /// The maximum number of targets in a request with `validate_only`.
  static let validatedTargetsMax = 10

  /// The mistakes found so far; the catalog may find more. A request with mistakes is rejected.
  let errors: InputErrors

  private static let fields = [
    "template", "app", "to", "args", "data", "ttl", "priority", "collapse_key", "analytics_label", "send_at",
    "recipient", "render", "validate_only", "live_activity",
  ]
  private static let singleFields = ["token", "fid", "topic", "condition"]
  private static let listFields = [("tokens", "token"), ("fids", "fid")]
  private static let targetFields = ["token", "tokens", "fid", "fids", "topic", "condition"]

  private static func readTargets(
    _ reader: inout RequestReader
  ) -> (targets: [Target], hasOneRegistration: Bool) {
    guard let to = reader.requiredObject("to") else { return ([], false) }
    var inner = RequestReader(
      object: to, pointer: reader.pointer, member: "to", fields: Self.targetFields)
    defer { if !inner.errors.isEmpty { reader.errors += inner.errors } }
    var fieldCount = 0
    var targets: [Target] = []
    let hasOneRegistration = to.has("token") || to.has("fid")
    for field in singleFields where inner.has(field) {
      fieldCount += 1
      if let text = inner.string(field),
        let target = checked(field, text, &inner, at: { $0.appending(field) })
      {
        targets.append(target)
      }
    }
    for (field, single) in listFields where inner.has(field) {
      fieldCount += 1
      targets += readList(field, of: single, &inner)
    }
    inner.refuseUnknownFields()
    if fieldCount != 1 {
      let names = targetFields.joined(separator: ", ")
      reader.errors.append(
        InputError(
          pointer: inner.pointer, code: fieldCount == 0 ? .missing : .invalid,
          detail: "Exactly one of \(names) is expected, not \(fieldCount)."))
    }
    return (targets, hasOneRegistration)
  }

  private static func readList(_ field: String, of single: String, _ reader: inout RequestReader) -> [Target]
  {
    guard let values = reader.array(field) else { return [] }
    let pointer = reader.pointer.appending(field)
    guard (1...targetsMax).contains(values.count) else {
      reader.errors.append(
        InputError(
          pointer: pointer, code: .outOfRange, detail: "1 to \(targetsMax) are expected, not \(values.count)."
        ))
      return []
    }
    var targets: [Target] = []
    targets.reserveCapacity(values.count)
    // Equal targets are one delivery.
    var seen: Set<ExactText> = []
    for (index, value) in values.enumerated() {
      guard let text = value.string else {
        reader.errors.append(
          InputError(
            pointer: pointer.appending(index), code: .wrongType,
            detail: "A string is expected, not \(value.kind)."))
        continue
      }
      if let target = checked(single, text, &reader, at: { $0.appending(field).appending(index) }),
        seen.insert(ExactText(text)).inserted
      {
        targets.append(target)
      }
    }
    return targets
  }

  private static func checked(
    _ field: String, _ text: String, _ reader: inout RequestReader, at place: (JSONPointer) -> JSONPointer
  ) -> Target? {
    let mistake: String? =
      switch field {
      case "topic": MessageRules.topicProblem(text)
      case "condition": MessageRules.conditionProblem(text)
      default:
        if text.isEmpty {
          "It is empty."
        } else if text.utf8.count > registrationBytesMax {
          "It has more than \(registrationBytesMax) bytes."
        } else if [text.utf8.first, text.utf8.last].contains(where: { $0.map { $0 <= 0x20 } ?? false }) {
          "It begins or ends with white space."
        } else {
          nil
        }
      }
    if let mistake {
      let pointer = place(reader.pointer)
      reader.errors.append(InputError(pointer: pointer, code: .invalid, detail: mistake))
      return nil
    }
    return Target(field: field, value: text)
  }

  private static func readTTL(_ reader: inout RequestReader) -> Int? {
    guard let text = reader.string("ttl") else { return nil }
    guard let seconds = DurationText.seconds(text) else {
      reader.report("ttl", .invalid, "A duration is expected, such as \"3600s\", \"15m\", \"24h\" or \"7d\".")
      return nil
    }
    guard (0...MessageRules.ttlSecondsMax).contains(seconds) else {
      reader.report("ttl", .outOfRange, "A ttl is 0s to 28d.")
      return nil
    }
    return seconds
  }

  private static func readSendAt(_ reader: inout RequestReader, now: Timestamp) -> Timestamp? {
    guard let time = reader.time("send_at") else { return nil }
    guard time >= now, time <= now.adding(milliseconds: sendAheadMillisecondsMax) else {
      reader.report("send_at", .outOfRange, "It must be in the future, by at most 30 days.")
      return nil
    }
    return time
  }
}
