internal import HTTPClient
internal import JSON

/// The metadata server of a workload on Google Cloud (Compute Engine, GKE, Cloud Run), which grants access
/// tokens.
package struct MetadataServer: Sendable, CustomStringConvertible {
  /// The host, with its port unless that is 80.
  let host: String
  package let projectID: String

  package var description: String { "the metadata server at \(host)" }

  /// The header that every request must have, which a redirected browser cannot send.
  private static let flavor = "Metadata-Flavor: Google"
  /// The address rather than the name, so that no name server is needed outside Google Cloud.
  private static let googleHost = "169.254.169.254"

  /// The request for the default service account's token. Compute Engine grants only scopes that the machine
  /// has.
  func step(scope: String, route: TokenRoute) -> TokenStep {
    let path = "instance/service-accounts/default/token?scopes=" + FormBody.encoded(scope)
    let peer = "the metadata server"
    return TokenStep(
      peer: peer, destination: route.destination(Self.url(host, path), method: .get),
      read: { TokenAnswer.read($0, from: peer, isOAuth: false, now: $1) },
      compose: { _, _ in TokenMessage(headers: [Self.flavor]) })
  }

  private static func url(_ host: String, _ path: String) -> String {
    "http://\(host)/computeMetadata/v1/\(path)"
  }
}

/// Why there is no metadata server to use.
struct MetadataServerError: Error, Sendable, Equatable, CustomStringConvertible {
  enum Code: Sendable, Equatable {
    /// `NO_GCE_CHECK` is set.
    case disabled
    /// `GCE_METADATA_HOST` is unusable.
    case invalidHost
    /// The host's answer is not a metadata server's.
    case otherServer
    /// The server answers with an error of its own.
    case failing
    case unreachable
    case cancelled
  }

  let code: Code
  /// The host that was asked.
  let host: String
  /// The status of its answer; nil if it does not matter.
  var httpStatus: Int?
  /// Why there was no answer.
  var underlying: TransportError?

  /// Names the host, but quotes nothing of its answer.
  var description: String {
    let status = httpStatus.map { "HTTP \($0)" }
    return switch code {
    case .disabled: "the metadata server is not checked because NO_GCE_CHECK is set"
    case .invalidHost: "GCE_METADATA_HOST is not a host name or address, with a port or without"
    case .otherServer:
      "the server at \(host) is not a metadata server" + (status.map { " (\($0))" } ?? "")
    case .failing: "the metadata server at \(host) answers \(status ?? "an error")"
    case .unreachable:
      "the metadata server at \(host) does not answer: \(underlying?.detail ?? "unknown reason")"
    case .cancelled: "the search for the metadata server was cancelled"
    }
  }
}

extension MetadataServer {
  /// Where and how long to look for the server; the variables are those of Google's own libraries.
  struct Detection: Sendable {
    let host: String
    let timeout: Duration
    let isOff: Bool
    /// Pauses between attempts: on GKE the server starts listening shortly after the pod starts.
    var pauses: [Duration] = [.seconds(1), .seconds(2)]

    /// `GCE_METADATA_HOST` or `GCE_METADATA_IP`, `GCE_METADATA_TIMEOUT` in seconds, `NO_GCE_CHECK`.
    init(_ environment: [String: String]) {
      let hosts = ["GCE_METADATA_HOST", "GCE_METADATA_IP"].compactMap { environment[$0] }
      host = hosts.first { !$0.isEmpty } ?? MetadataServer.googleHost
      let seconds = environment["GCE_METADATA_TIMEOUT"].flatMap(Int.init) ?? 3
      timeout = .seconds(min(max(seconds, 1), 60))
      isOff = environment["NO_GCE_CHECK"]?.lowercased() == "true"
    }
  }

  /// Finds the server by requesting the project's id, which only a metadata server answers with a project's
  /// id.
  static func detect(
    _ detection: Detection, over transport: HTTPTransport
  ) async throws(MetadataServerError) -> MetadataServer {
    let host = detection.host
    if detection.isOff { throw MetadataServerError(code: .disabled, host: host) }
    let url = url(host, "project/project-id")
    guard EndpointURL.problem(url) == nil, !host.utf8.contains(UInt8(ascii: "/")) else {
      throw MetadataServerError(code: .invalidHost, host: host)
    }
    let destination = Destination(url: url, method: .get, timeout: detection.timeout)
    defer { transport.retire(destination) }
    var pauses = detection.pauses[...]
    while true {
      switch await ask(destination, over: transport) {
      case .success(let response) where response.status == 200:
        guard let projectID = projectID(response.body) else {
          throw MetadataServerError(code: .otherServer, host: host)
        }
        return MetadataServer(host: host, projectID: projectID)
      case .success(let response) where response.status < 500:
        throw MetadataServerError(code: .otherServer, host: host, httpStatus: response.status)
      case .success(let response) where pauses.isEmpty:
        throw MetadataServerError(code: .failing, host: host, httpStatus: response.status)
      case .failure(let failure) where failure.code == .timeout || pauses.isEmpty:
        // Outside Google Cloud, packets to this address are lost; another attempt would only take longer.
        throw MetadataServerError(code: .unreachable, host: host, underlying: failure)
      case .success, .failure: break
      }
      do {
        try await Task.sleep(for: pauses.removeFirst())
      } catch {
        throw MetadataServerError(code: .cancelled, host: host)
      }
    }
  }

  private static func ask(
    _ destination: Destination, over transport: HTTPTransport
  ) async -> Result<TransportResponse, TransportError> {
    await withCheckedContinuation { continuation in
      transport.send(
        TransportRequest(destination: destination, headers: HeaderList([flavor]), body: []) {
          continuation.resume(returning: $0)
        })
    }
  }

  /// A project's id, including the form `example.com:name`; nil for anything else.
  private static func projectID(_ body: [UInt8]) -> String? {
    let text = body.prefix { $0 != 0x0A && $0 != 0x0D }
    let isID = text.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || "-.:".utf8.contains(byte)
    }
    return isID && (1...100).contains(text.count) ? String(decoding: text, as: UTF8.self) : nil
  }
}
