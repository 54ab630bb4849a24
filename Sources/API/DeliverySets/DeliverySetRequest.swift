internal import Catalog
internal import Clock
internal import JSON
internal import Outbox

/// The body of `POST /v1/deliveries:retry` and `:cancel`: which deliveries, and whether only to count them.
struct DeliverySetRequest: Sendable {
  /// With these codes, another attempt ends like the last one.
  private static let hopelessCodes: Set<String> = ["UNREGISTERED", "SENDER_ID_MISMATCH", "INVALID_ARGUMENT"]

  let verb: DeliverySetChange.Verb
  let app: String?
  /// The client that the filter names.
  let client: String?
  let status: String?
  let isDryRun: Bool
  let isForced: Bool
  /// Without what depends on the caller.
  let filter: NotificationFilter
  private let states: Set<DeliveryState>
  let errors: InputErrors

  /// Collects every mistake; throws `APIError` for what is no object.
  init(_ value: JSON, _ verb: DeliverySetChange.Verb) throws(APIError) {
    guard let object = value.object else { throw .notAnObject("The request must be an object.", value) }
    var reader = RequestReader(object: object, pointer: .root, fields: ["filter", "dry_run", "force"])
    let given = reader.requiredObject("filter")
    self.verb = verb
    isDryRun = reader.bool("dry_run") ?? true
    isForced = reader.bool("force") ?? false
    reader.refuseUnknownFields()
    var fields = RequestReader(
      object: given ?? .init(), pointer: .root, member: "filter",
      fields: ["app", "template", "client", "status", "code", "since", "until"])
    (app, client) = (fields.string("app"), fields.string("client"))
    var filter = NotificationFilter.all
    filter.template = fields.string("template")
    if !fields.has("status"), !fields.has("code") {
      fields.report("status", .missing, "A status or a code is required.")
    }
    status = fields.string("status")
    states = Self.states(status, verb, &fields)
    filter.errorCode = fields.string("code")
    if let code = filter.errorCode, !DeliveryError.isCode(code) {
      fields.report("code", .invalid, DeliveryError.codeExpected)
    }
    filter.since = fields.time("since", isRequired: true)
    filter.until = fields.time("until")
    fields.refuseUnknownFields()
    self.filter = filter
    errors = given == nil ? reader.errors : reader.errors + fields.errors
  }

  /// The states that the verb changes, or the one of them that the filter names.
  private static func states(
    _ status: String?, _ verb: DeliverySetChange.Verb, _ fields: inout RequestReader
  ) -> Set<DeliveryState> {
    let all: [DeliveryState] = verb == .retry ? [.failed, .expired] : [.scheduled, .queued, .sending]
    guard let status else { return Set(all) }
    if let state = all.first(where: { $0.name.hasSameBytes(as: status) }) { return [state] }
    let names = all.map(\.name).joined(separator: ", ")
    fields.report("status", .invalid, "A \(verb.name) changes deliveries that are \(names).")
    return []
  }

  /// What is changed for a caller who may see what `filter` selects.
  func change(_ filter: NotificationFilter) -> DeliverySetChange {
    var change = DeliverySetChange(verb)
    (change.states, change.filter) = (states, filter)
    if verb == .retry, !isForced { change.skippedCodes = Self.hopelessCodes }
    return change
  }
}

extension DeliverySetChange.Verb {
  var name: String { self == .retry ? "retry" : "cancel" }
}

extension DeliveryError {
  static let codeExpected = "An error code in upper case is expected, such as UNREGISTERED."

  /// Whether a text has the form of a code: upper-case words. FCM may add some.
  static func isCode(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
  }
}
