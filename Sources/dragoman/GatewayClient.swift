import CatalogCheck
import Foundation
import HTTPClient
import JSON
import Synchronization
import Telemetry

/// A client of a running gateway's API.
struct GatewayClient: Sendable {
  /// The gateway as it was named: `http://HOST:PORT`, `https://HOST:PORT` or `unix:PATH`.
  let url: String
  /// The base of the requests' URLs, without a trailing slash.
  private let base: String
  let key: String?
  private let socketPath: String?
  private let caFile: String?
  private let identity: ClientIdentity?
  private let transport: HTTPTransport

  /// An answer of the gateway.
  struct Answer: Sendable {
    let status: Int
    /// The body; `.null` if it is not JSON.
    let json: JSON
    /// When to ask again, if the gateway says so.
    var retryAfterSeconds: Int?
    /// The request had no API key.
    var isWithoutKey = false
    /// The answer was larger than the client reads.
    var isTooLarge = false

    /// A refusal in words: the status, the problem, and each mistake in a line of its own. An answer that is
    /// no refusal is not a gateway's.
    var refusal: String {
      if isTooLarge { return "the answer has more than \(GatewayClient.answerBytesMax) bytes" }
      let problem = [json["title"]?.string, json["detail"]?.string].compactMap(\.self)
      if (200..<400).contains(status) || problem.isEmpty {
        let proxy = status == 413 ? ", and that a proxy before it allows requests of this size" : ""
        return "status \(status), but not a gateway's answer; check that --url names a gateway\(proxy)"
      }
      let mistakes = (json["errors"]?.array ?? []).map {
        "\n  " + "\($0["pointer"]?.string ?? ""): \($0["detail"]?.string ?? "")".printable
      }
      let advice = status == 401 && isWithoutKey ? " Pass the API key with --key or in DRAGOMAN_KEY." : ""
      return (["status \(status)"] + problem).joined(separator: ": ").printable + advice + mistakes.joined()
    }
  }

  /// The maximum size of an answer, in bytes. A notification with 1,000 targets has about 300 kB.
  static let answerBytesMax = 8 << 20
  /// After this long, a stream is asked for again.
  private static let streamTimeout = Duration.seconds(3_600)

  /// `caFile` holds certificate authorities to trust in place of the system's, in PEM.
  init(url: String, key: String?, caFile: String?, identity: ClientIdentity?) throws(UsageError) {
    if url.hasPrefix("unix:"), url.count > 5 {
      (base, socketPath) = ("http://localhost", String(url.dropFirst(5)))
    } else if let problem = EndpointURL.problem(url) {
      // The URL is not quoted, since it may hold a password.
      throw UsageError(
        message: "--url: the address \(problem); use http://HOST:PORT, https://HOST:PORT or unix:PATH")
    } else {
      (base, socketPath) = (EndpointURL.withoutTrailingSlashes(url), nil)
    }
    self.url = url
    self.key = key
    self.caFile = caFile
    self.identity = identity
    var limits = TransportLimits()
    limits.bodyBytesMax = Self.answerBytesMax
    transport = HTTPTransport(limits: limits, log: .silent)
  }

  func get(_ path: String) async throws -> Answer { try await request(.get, path, body: []) }

  func post(_ path: String, _ value: JSON) async throws -> Answer {
    try await request(.post, path, body: value.serialized)
  }

  func delete(_ path: String) async throws -> Answer { try await request(.delete, path, body: []) }

  /// Reads a stream of server-sent events from after the event `last`. `onPart` learns that something has
  /// arrived, `onEvent` gets each event in order, both on another thread. Returns when the stream has ended,
  /// with the answer if it was not a stream.
  func events(
    _ path: String, after last: String?, onPart: @escaping @Sendable () -> Void,
    onEvent: @escaping @Sendable (ServerSentEvent) -> Void
  ) async throws -> Answer {
    var lines = ["Accept: text/event-stream", "Expect:"]
    if let key { lines.append("Authorization: Bearer \(key)") }
    if let last { lines.append("Last-Event-ID: \(last)") }
    let destination = destination(.get, path, timeout: Self.streamTimeout)
    let parser = Mutex(ServerSentEventParser())
    let headers = HeaderList(lines)
    let response = try await withCheckedThrowingContinuation { continuation in
      transport.send(
        TransportRequest(
          destination: destination, headers: headers, body: [],
          onPart: { bytes in
            onPart()
            guard let events = parser.withLock({ $0.take(bytes) }) else { return false }
            for event in events { onEvent(event) }
            return true
          }
        ) { continuation.resume(with: $0.mapError { GatewayClientError(underlying: $0) }) })
    }
    return Answer(
      status: response.status, json: (try? JSON.parse(response.body)) ?? .null,
      retryAfterSeconds: response.fields.retryAfter.flatMap { Int($0) }, isWithoutKey: key == nil)
  }

  func close() async { await transport.shutDown() }

  private func destination(_ method: Destination.Method, _ path: String, timeout: Duration) -> Destination {
    Destination(
      url: base + path, method: method, caFile: caFile, identity: identity, socketPath: socketPath,
      timeout: timeout)
  }

  private func request(_ method: Destination.Method, _ path: String, body: [UInt8]) async throws -> Answer {
    var lines = ["Content-Type: application/json", "Accept: application/json", "Expect:"]
    if let key { lines.append("Authorization: Bearer \(key)") }
    let destination = destination(method, path, timeout: .seconds(30))
    let headers = HeaderList(lines)
    let response = try await withCheckedThrowingContinuation { continuation in
      transport.send(
        TransportRequest(destination: destination, headers: headers, body: body) {
          continuation.resume(with: $0.mapError { GatewayClientError(underlying: $0) })
        })
    }
    return Answer(
      status: response.status, json: (try? JSON.parse(response.wholeBody)) ?? .null,
      isWithoutKey: key == nil, isTooLarge: response.isBodyCut)
  }
}

/// The gateway did not answer.
struct GatewayClientError: Error, CustomStringConvertible {
  let underlying: TransportError
  /// The transport's reason, and what to do. Holds neither the API key nor the body of a request.
  var description: String {
    let advice =
      underlying.code == .untrusted
      ? "name the authority that issued its certificate with --ca-file, and the gateway by a name in the certificate"
      : "check that the gateway runs there"
    return "\(underlying); \(advice)"
  }
}
