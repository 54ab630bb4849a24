internal import Catalog
internal import Clock
internal import HTTPServer
internal import JSON
internal import Outbox

/// A request with an `Idempotency-Key`: its key, and a fingerprint that distinguishes a repeat from another
/// request.
///
/// The draft's header is a quoted string (draft-ietf-httpapi-idempotency-key-header), and many clients send
/// it without quotes. Both are accepted and mean the same key.
struct IdempotentRequest: Sendable {
  /// The maximum size of a key, in bytes.
  static let keyBytesMax = 255
  /// How long a key is kept.
  static let retentionMilliseconds: Int64 = 24 * 3600 * 1000

  let key: IdempotencyKey
  /// SHA-256 of the path and the body, regardless of white space and the order of members.
  let fingerprint: [UInt8]

  static func hasKey(_ call: APICall) -> Bool { call.head.headers["Idempotency-Key"] != nil }

  /// Nil if the request has no key.
  init?(_ call: APICall, body: JSON) throws(APIError) {
    let values = call.head.headers.values(of: "Idempotency-Key")
    guard let value = values.first else { return nil }
    guard values.count == 1 else { throw Self.badKey("It occurs \(values.count) times; send it once.") }
    var text = value[...]
    if text.utf8.count >= 2, text.utf8.first == UInt8(ascii: "\""), text.utf8.last == UInt8(ascii: "\"") {
      text = text.dropFirst().dropLast()
    }
    guard (1...Self.keyBytesMax).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { throw Self.badKey("It must be 1 to \(Self.keyBytesMax) visible ASCII characters.") }
    key = IdempotencyKey(client: call.principal.client, key: String(text))
    fingerprint = sha256(Array("\(call.head.path)\n".utf8) + body.canonical)
  }

  private static func badKey(_ detail: String) -> APIError {
    APIError(
      .invalidRequest, "The Idempotency-Key header is not valid.",
      errors: [.init(pointer: .root, code: .invalid, detail: "Idempotency-Key: \(detail)")])
  }

  /// The record that the queue stores with the key, for repeats.
  func record(of response: HTTPResponse, now: Timestamp) -> IdempotencyRecord {
    IdempotencyRecord(
      key: key, fingerprint: fingerprint,
      answer: StoredAnswer(
        status: response.status, headers: response.headers.map { .init(name: $0.name, value: $0.value) },
        body: response.body),
      expiresAt: now.adding(milliseconds: Self.retentionMilliseconds))
  }
}

extension JSON {
  /// Compact text with every object's members sorted by name: equal values have equal texts.
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
