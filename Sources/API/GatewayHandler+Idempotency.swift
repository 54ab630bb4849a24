import Catalog
internal import Clock
import Dispatch
import HTTPServer
import JSON
import Outbox
import Telemetry

/// `Idempotency-Key`: a request with a key is accepted once, and a repeat gets the first answer again.
///
/// The draft's header is a quoted string (draft-ietf-httpapi-idempotency-key-header), and many clients send it
/// bare: both are taken, and mean the same key.
extension GatewayHandler {
  static let idempotencyKeyBytesMax = 255
  /// How long a key is kept.
  static let idempotencyMilliseconds: Int64 = 24 * 3600 * 1000

  /// A keyed request: what the store needs to know of it.
  struct Idempotency: Sendable {
    let key: IdempotencyKey
    /// SHA-256 of the path and the body, whatever its white space and the order of its members.
    let fingerprint: [UInt8]

    func record(of response: HTTPResponse, now: Timestamp) -> IdempotencyRecord {
      IdempotencyRecord(
        key: key, fingerprint: fingerprint,
        answer: StoredAnswer(
          status: response.status, headers: response.headers.map { .init(name: $0.name, value: $0.value) },
          body: response.body),
        expiresAt: now.adding(milliseconds: GatewayHandler.idempotencyMilliseconds))
    }
  }

  /// The request's key; nil where it has none.
  func idempotency(_ call: Call, body: JSON) throws(Problem) -> Idempotency? {
    let values = call.request.head.headers.values(of: "Idempotency-Key")
    guard let value = values.first else { return nil }
    guard values.count == 1 else { throw Self.badKey("It is given \(values.count) times.") }
    var key = value[...]
    if key.utf8.count >= 2, key.utf8.first == UInt8(ascii: "\""), key.utf8.last == UInt8(ascii: "\"") {
      key = key.dropFirst().dropLast()
    }
    guard (1...Self.idempotencyKeyBytesMax).contains(key.utf8.count),
      key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw Self.badKey("It must be 1 to \(Self.idempotencyKeyBytesMax) visible ASCII characters.") }
    let text = Array("\(call.request.head.path)\n".utf8) + body.canonical
    return Idempotency(
      key: IdempotencyKey(client: call.principal.client, key: String(key)), fingerprint: sha256(text))
  }

  private static func badKey(_ detail: String) -> Problem {
    Problem(
      .invalidRequest, "The Idempotency-Key header is not valid.",
      errors: [.init(pointer: .root, code: .invalid, detail: "Idempotency-Key: \(detail)")])
  }

  /// Answers a repeat, or else calls `proceed` on a queue of the handler's own.
  ///
  /// The look comes before all checks of the request: what was accepted once is answered in the same way even
  /// where its template is gone or its `send_at` has passed meanwhile.
  func unlessRepeated(
    _ idempotency: Idempotency?, _ call: Call, proceed: @escaping @Sendable () throws(Problem) -> Void
  ) throws(Problem) {
    guard let idempotency else { return try proceed() }
    store.idempotent(idempotency.key, fingerprint: idempotency.fingerprint) { [self] result in
      switch result {
      case .failure(let error): call.respond(Problem(error))
      case .success(let outcome?): call.respond(answer(outcome, first: .json(202, [])))
      case .success(nil):
        workQueue.async {
          do throws(Problem) { try proceed() } catch { call.respond(error) }
        }
      }
    }
  }

  /// Keeps what was accepted, and answers `response` once it is on disk, or what the key says.
  func enqueue(
    _ notifications: [NewNotification], _ idempotency: Idempotency?, _ call: Call, now: Timestamp,
    response: HTTPResponse
  ) {
    let record = idempotency?.record(of: response, now: now)
    store.enqueue(notifications, idempotency: record) { [self] result in
      switch result {
      case .success(let outcome):
        if outcome == .accepted {
          for notification in notifications {
            metrics.notificationsAccepted.with(notification.app, notification.template).add()
            tell(of: notification, call)
          }
        }
        call.respond(answer(outcome, first: response))
      case .failure(let error): call.respond(Problem(error))
      }
    }
  }

  /// Leads from a request's lines in the log to those of its deliveries.
  private func tell(of notification: NewNotification, _ call: Call) {
    guard log.logs(.debug) else { return }
    log.with(call.origin.fields).debug(
      "notification accepted",
      [
        "notification_id": .string(notification.id.description), "app": .string(notification.app),
        "template": .string(notification.template), "deliveries": .integer(notification.deliveries.count),
      ])
  }

  private func answer(_ outcome: EnqueueOutcome, first: HTTPResponse) -> HTTPResponse {
    switch outcome {
    case .accepted: return first
    case .replay(let answer):
      let fields = answer.headers.map { (name: $0.name, value: $0.value) }
      return HTTPResponse(
        status: answer.status, headers: HTTPHeaders(fields + [("Idempotency-Replayed", "true")]),
        body: answer.body)
    case .mismatch:
      return Problem(.idempotencyMismatch, "The key was used for another request before.").response
    case .inProgress:
      return Problem(.idempotencyConflict, "The first request with this key is still being handled.").response
    }
  }
}

extension JSON {
  /// Compact text with every object's members sorted by name: the same for the same value.
  fileprivate var canonical: [UInt8] { sorted.serialized }

  private var sorted: JSON {
    switch self {
    case .array(let elements): .array(elements.map(\.sorted))
    case .object(let object):
      .object(
        .init(
          object.members.map { ($0.key, $0.value.sorted) }
            .sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }))
    case .null, .bool, .number, .string: self
    }
  }
}
