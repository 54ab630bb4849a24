internal import HTTPClient
internal import JSON

/// The metadata server of a workload on Google Cloud (Compute Engine, GKE, Cloud Run), which grants access tokens.
package struct MetadataServer: Sendable, CustomStringConvertible {
  /// Host, with a port where it is not 80.
  let host: String
  package let projectID: String

  package var description: String { "the metadata server at \(host)" }

  /// The header that every request must have, which a redirected browser cannot send.
  private static let flavor = "Metadata-Flavor: Google"
  /// The address rather than the name, so that no name server is needed outside Google Cloud.
  private static let googleHost = "169.254.169.254"

  /// The request for the default service account's token. Compute Engine grants only scopes that the machine has.
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

/// Why there is no metadata server to use.
struct MetadataServerError: Error, CustomStringConvertible {
  let description: String
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

  /// Finds the server by requesting the project's id, which only a metadata server answers with a project's id.
  static func detect(
    _ detection: Detection, over transport: HTTPTransport
  ) async throws(MetadataServerError) -> MetadataServer {
    if detection.isOff {
      throw MetadataServerError(description: "the metadata server is not checked because NO_GCE_CHECK is set")
    }
    let url = url(detection.host, "project/project-id")
    guard EndpointURL.problem(url) == nil, !detection.host.utf8.contains(UInt8(ascii: "/")) else {
      throw MetadataServerError(
        description: "GCE_METADATA_HOST is not a host name or address, with a port or without")
    }
    let destination = Destination(url: url, method: .get, timeout: detection.timeout)
    defer { transport.retire(destination) }
    var pauses = detection.pauses[...]
    while true {
      switch await ask(destination, over: transport) {
      case .success(let response) where response.status == 200:
        guard let projectID = projectID(response.body) else {
          throw MetadataServerError(description: "the server at \(detection.host) is not a metadata server")
        }
        return MetadataServer(host: detection.host, projectID: projectID)
      case .success(let response) where response.status < 500:
        throw MetadataServerError(
          description: "the server at \(detection.host) is not a metadata server (HTTP \(response.status))")
      case .success(let response) where pauses.isEmpty:
        throw MetadataServerError(
          description: "the metadata server at \(detection.host) answers HTTP \(response.status)")
      case .failure(let failure) where failure.code == .timeout || pauses.isEmpty:
        // Outside Google Cloud, packets to this address are lost; another attempt would only take longer.
        throw MetadataServerError(
          description: "the metadata server at \(detection.host) does not answer: \(failure.detail)")
      case .success, .failure: break
      }
      do {
        try await Task.sleep(for: pauses.removeFirst())
      } catch {
        throw MetadataServerError(description: "the search for the metadata server was cancelled")
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
