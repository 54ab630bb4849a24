internal import HTTPClient
internal import JSON

/// The server that tells a workload on Google Cloud (Compute Engine, GKE, Cloud Run) who it is.
package struct MetadataServer: Sendable, CustomStringConvertible {
  /// Host, with a port where it is not 80.
  let host: String
  package let projectID: String

  package var description: String { "the metadata server at \(host)" }

  /// The one header that a request must have, so that no redirected browser can ask.
  private static let flavor = "Metadata-Flavor: Google"
  /// Its number rather than its name: not resolved, so that elsewhere nothing waits for a name server.
  private static let googleHost = "169.254.169.254"

  /// The default service account's token. Compute Engine gives only scopes that the machine has.
  func step(scope: String, route: TokenRoute) -> TokenStep {
    let path = "instance/service-accounts/default/token?scopes=" + FormBody.encoded(scope)
    return TokenStep(
      peer: "the metadata server", destination: route.destination(Self.url(host, path), method: .get)
    ) {
      _, _ in TokenMessage(headers: [Self.flavor])
    }
  }

  private static func url(_ host: String, _ path: String) -> String {
    "http://\(host)/computeMetadata/v1/\(path)"
  }
}

extension MetadataServer {
  /// How hard to look for the server; variables as in Google's own libraries.
  struct Detection: Sendable {
    let host: String
    let timeout: Duration
    let isOff: Bool
    /// On GKE the server takes a moment to listen when a pod starts.
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

  /// Why there is no metadata server.
  struct Absence: Error { let reason: String }

  /// Asks for the project's id, which only a metadata server answers with a project's id.
  static func detect(
    _ detection: Detection, over transport: HTTPTransport
  ) async throws(Absence) -> MetadataServer {
    if detection.isOff { throw Absence(reason: "the metadata server is not looked for (NO_GCE_CHECK)") }
    let url = url(detection.host, "project/project-id")
    guard EndpointURL.problem(url) == nil, !detection.host.utf8.contains(UInt8(ascii: "/")) else {
      throw Absence(reason: "GCE_METADATA_HOST is not a host name or address, with a port or without")
    }
    let destination = Destination(url: url, method: .get, timeout: detection.timeout)
    defer { transport.retire(destination) }
    var pauses = detection.pauses[...]
    while true {
      switch await ask(destination, over: transport) {
      case .success(let response) where response.status == 200:
        guard let projectID = projectID(response.body) else {
          throw Absence(reason: "what answers at \(detection.host) is no metadata server")
        }
        return MetadataServer(host: detection.host, projectID: projectID)
      case .success(let response) where response.status < 500:
        throw Absence(
          reason: "what answers at \(detection.host) is no metadata server (HTTP \(response.status))")
      case .success(let response) where pauses.isEmpty:
        throw Absence(reason: "the metadata server at \(detection.host) answers HTTP \(response.status)")
      case .failure(let failure) where failure.code == .timeout || pauses.isEmpty:
        // Elsewhere than on Google Cloud packets to this address vanish; asking again would only take longer.
        throw Absence(reason: "the metadata server at \(detection.host) does not answer: \(failure.detail)")
      case .success, .failure: break
      }
      do {
        try await Task.sleep(for: pauses.removeFirst())
      } catch {
        throw Absence(reason: "the search for the metadata server was cancelled")
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

  /// A project's id, `example.com:name` among them; nil for what is none.
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
