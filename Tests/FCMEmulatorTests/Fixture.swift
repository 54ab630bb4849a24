import FCMEmulator
import HTTPServer
import JSON
import Synchronization
import Telemetry

/// An emulator with a manual clock, called without a socket.
struct Fixture: Sendable {
  let emulator: FCMEmulator
  let clock = Clock()

  final class Clock: Sendable {
    let seconds = Mutex(1_700_000_000.0)
    func advance(by delta: Double) { seconds.withLock { $0 += delta } }
  }

  init() { emulator = FCMEmulator(log: .silent, now: { [clock] in clock.seconds.withLock { $0 } }) }

  struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSON { (try? JSON.parse(body)) ?? .null }
    var error: JSON? { json["error"] }
    /// The `error.details` member whose type ends with `name`.
    func detail(_ name: String) -> JSON? {
      error?["details"]?.array?.first { $0["@type"]?.string?.hasSuffix(".\(name)") ?? false }
    }
    var violatedFields: [String?] {
      (detail("BadRequest")?["fieldViolations"]?.array ?? []).map { $0["field"]?.string }
    }
  }

  /// Returns nil if the connection was closed.
  func call(
    _ method: String, _ target: String, body: String = "",
    headers: HTTPHeaders = ["Authorization": "Bearer owner"]
  ) async -> Answer? {
    let head = HTTPRequestHead(method: method, target: target, headers: headers, peer: "127.0.0.1:1")
    let request = HTTPRequest(head: head, body: Array(body.utf8))
    let response = await withCheckedContinuation { continuation in
      emulator.handle(request, responder: HTTPResponder { continuation.resume(returning: $0) })
    }
    return response.map { Answer(status: $0.status, headers: $0.headers, body: $0.body) }
  }

  /// Sends `{"message":{…}}` with these members.
  func send(_ members: String, topLevel: String = "") async -> Answer? {
    await call("POST", "/v1/projects/p/messages:send", body: "{\(topLevel)\"message\":{\(members)}}")
  }

  func setFaults(_ rules: String) async -> Answer? {
    await call("PUT", "/faults", body: #"{"rules":[\#(rules)]}"#)
  }
}
