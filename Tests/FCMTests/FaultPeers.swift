import FCM
import Foundation
import GoogleAuth
import HTTPClient
import JSON
import Synchronization
import Telemetry
import Testing

/// Tests/oracles/http2_faults.py: peers that speak HTTP/2 over TLS, each with its own fault. They
/// end with the test process, which holds their standard input open.
///
/// `DRAGOMAN_ORACLE_PYTHON` names a Python that has PyPI's h2 and trustme.
final class FaultPeers: Sendable {
  struct Failure: Error { let words: String }

  static let python = ProcessInfo.processInfo.environment["DRAGOMAN_ORACLE_PYTHON"]
  static let shared = Result { try FaultPeers() }

  let caFile: String
  private let ports: [String: String]

  private init() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "faults-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    caFile = folder.appending(path: "ca.pem").path
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: Self.python ?? "")
    process.arguments = ["Tests/oracles/http2_faults.py", folder.path]
    process.standardInput = Pipe()
    process.standardOutput = output
    try process.run()
    var said = ""
    while !said.hasSuffix("ready\n") {
      let data = output.fileHandleForReading.availableData
      guard !data.isEmpty else { throw Failure(words: "the peers did not start: \(said)") }
      said += String(decoding: data, as: UTF8.self)
    }
    let pairs = said.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    ports = Dictionary(uniqueKeysWithValues: pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) })
  }

  func url(of name: String) throws -> String {
    guard let port = ports[name] else { throw Failure(words: "no peer \(name)") }
    return "https://127.0.0.1:\(port)"
  }

  /// Runs `test` with a client of the peer.
  static func run(
    _ name: String, timeout: Duration = .seconds(10), limits: TransportLimits = .init(),
    test: (FaultRun) async throws -> Void
  ) async throws {
    let peers = try await withCheckedThrowingContinuation { continuation in
      // On a thread that may block: Swift's tasks have only as many threads as the machine has cores.
      DispatchQueue.global().async { continuation.resume(with: shared) }
    }
    let transport = HTTPTransport(limits: limits, log: .silent)
    let client = FCMClient(
      configuration: FCMAppConfiguration(
        projectID: "p", endpoint: try peers.url(of: name), credentials: .none, caFile: peers.caFile,
        requestTimeout: timeout), transport: transport, log: .silent)
    let result: Result<Void, any Error>
    do {
      result = .success(
        try await test(FaultRun(name: name, peers: peers, transport: transport, client: client)))
    } catch { result = .failure(error) }
    client.shutDown()
    await transport.shutDown()
    try result.get()
  }
}

/// One peer with a client.
struct FaultRun: Sendable {
  static let sent = SendOutcome.sent(name: "projects/p/messages/1")

  let name: String
  let peers: FaultPeers
  let transport: HTTPTransport
  let client: FCMClient

  func send(_ words: String = "quick") async -> SendOutcome {
    let body = Array(#"{"message":{"token":"\#(words)"}}"#.utf8)
    return await withCheckedContinuation { continuation in
      client.send(body) { continuation.resume(returning: $0) }
    }
  }

  func sendAtOnce(_ count: Int) async -> [SendOutcome] {
    await withTaskGroup { group in
      for number in 0..<count { group.addTask { await send("number \(number)") } }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  func failure(_ words: String = "quick") async throws -> SendError {
    let outcome = await send(words)
    guard case .failed(let failure) = outcome else {
      throw FaultPeers.Failure(words: "not a failure: \(outcome)")
    }
    return failure
  }

  /// What the peer has received: its connections, and the bodies of the requests that it read completely.
  func seen() async throws -> (connections: Int, requests: [String]) {
    let destination = Destination(
      url: try peers.url(of: "control") + "/seen", method: .get, caFile: peers.caFile)
    let result = await withCheckedContinuation { continuation in
      transport.send(
        TransportRequest(destination: destination, headers: HeaderList([]), body: []) {
          continuation.resume(returning: $0)
        })
    }
    let json = try JSON.parse(result.get().body)[name]
    return (Int(json?["connections"]?.int64 ?? 0), json?["requests"]?.array?.compactMap(\.string) ?? [])
  }
}
