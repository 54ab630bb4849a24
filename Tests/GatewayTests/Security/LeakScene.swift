import FCMEmulator
import Foundation
import HTTPServer
import JSON
import Synchronization
import Telemetry
import TestSupport

@testable import API
@testable import Gateway

/// `dragoman serve` with every kind of secret, an FCM and a webhook receiver that record what they are sent,
/// and everything that was written meanwhile.
final class LeakScene: Sendable {
  /// What must be found nowhere, by name. A caller's own secrets may be in answers to that caller.
  struct Secrets: Sendable {
    var server: [String: String] = [:]
    var caller: [String: String] = [:]
  }

  let folder: TemporaryFolder
  let process: DragomanProcess
  let client: HTTPTestClient
  let fcm: RecordingPeer
  let receiver: RecordingPeer
  let key: String
  private let collected = CollectedText()
  private let servers: [HTTPServer]
  private let known: Mutex<Secrets>

  init(logFormat: String) throws {
    let folder = try TemporaryFolder()
    let (fcm, fcmServer) = try RecordingPeer.start(FCMEmulator(log: .silent))
    let (receiver, receiverServer) = try RecordingPeer.start(nil)
    let (key, hash) = try Self.newKey("orders")
    let (adminKey, adminHash) = try Self.newKey("boss")
    let webhookSecret = "whsec_" + Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
    let webhookToken = Self.marker()
    let account = try Self.serviceAccount(tokenURI: "http://127.0.0.1:\(fcm.port)/token", in: folder)
    try folder.write(hash + "\n", to: "orders.hash")
    try folder.write(webhookSecret + "\n", to: "hook.secret")
    for name in ["gateway.yaml", "print.yaml"] {
      try folder.write(
        """
        server: {listen: "127.0.0.1:0", shutdown_grace: 3s}
        auth:
          clients:
            - {name: orders, key_sha256_file: orders.hash, scopes: [send, read, preview]}
            - {name: boss, key_sha256: \(adminHash), scopes: [admin]}
        apps:
          default:
            catalog: \(GatewayFixture.repository)/config/catalog.yaml
            credentials: account.json
            endpoint: http://127.0.0.1:\(fcm.port)
        queue: {url: "sqlite:queue.db"}
        delivery: {max_attempts: 2, min_backoff: 0s, max_backoff: 1s, quota_backoff: 0s, request_timeout: 1s}
        feedback:
          webhook:
            url: http://127.0.0.1:\(receiver.port)/hook?key=\(webhookToken)
            secret_file: hook.secret
            allow_private_addresses: true
        log: {level: debug, format: \(logFormat)}

        """, to: name)
    }
    process = try DragomanProcess(
      ["serve", "--config", "\(folder.path)/gateway.yaml"], log: collected)
    let url = try process.address(after: "gateway listening on ")
    client = HTTPTestClient(port: Int(url.split(separator: ":").last ?? "") ?? 0)
    self.folder = folder
    self.fcm = fcm
    self.receiver = receiver
    self.key = key
    servers = [fcmServer, receiverServer]
    known = Mutex(
      Secrets(server: [
        "API key": String(key.dropFirst(4)), "admin's API key": String(adminKey.dropFirst(4)),
        "key's hash": hash, "admin's key's hash": adminHash, "private key": account.privateKey,
        "private key's id": account.keyID, "webhook secret": String(webhookSecret.dropFirst(6)),
        "webhook URL's query": webhookToken,
      ]))
  }

  /// A made-up secret of the caller, which must not be written anywhere.
  func secret(_ name: String) -> String {
    let marker = Self.marker()
    known.withLock { $0.caller[name] = marker }
    return marker
  }

  /// All secrets, including those that arose during the run.
  var secrets: Secrets {
    var secrets = known.withLock { $0 }
    for request in fcm.requests {
      if let token = request.head.headers["Authorization"]?.split(separator: " ").last {
        secrets.server["access token"] = String(token)
      }
      let form = String(decoding: request.body, as: UTF8.self)
      if let assertion = form.split(separator: "assertion=").dropFirst().first {
        secrets.server["assertion's signature"] = String(assertion.split(separator: ".").last ?? "")
      }
    }
    return secrets
  }

  /// Waits until the log has `count` lines with `message`.
  func waitForLog(_ message: String, count: Int = 1) throws {
    guard collected.wait(for: message, count: count) else {
      throw DragomanProcess.Failure(description: "the log does not contain \"\(message)\" \(count) times")
    }
  }

  var log: String { collected.text }

  func stop() async {
    process.kill()
    for server in servers { await server.shutDown(grace: .zero) }
  }

  private static func marker() -> String {
    String((0..<20).compactMap { _ in "abcdefghjkmnpqrstuvwxyz23456789".randomElement() })
  }

  private static func newKey(_ name: String) throws -> (key: String, hash: String) {
    let lines = try DragomanProcess.run(["keys", "new", name]).output.split(separator: "\n")
    let key = String(lines.first ?? "")
    return (
      key, sha256(Array(key.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    )
  }

  private static func serviceAccount(
    tokenURI: String, in folder: TemporaryFolder
  ) throws -> (privateKey: String, keyID: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/openssl")
    process.arguments = ["genpkey", "-algorithm", "RSA", "-out", "\(folder.path)/key.pem"]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let pem = try String(contentsOfFile: "\(folder.path)/key.pem", encoding: .utf8)
    try FileManager.default.removeItem(atPath: "\(folder.path)/key.pem")
    let keyID = marker()
    let account: JSON = [
      "type": "service_account", "project_id": "p", "private_key_id": .string(keyID),
      "private_key": .string(pem), "client_email": "sender@p.iam.gserviceaccount.com",
      "token_uri": .string(tokenURI),
    ]
    try folder.write(String(decoding: account.serialized, as: UTF8.self), to: "account.json")
    return (pem.split(separator: "\n").dropFirst(3).first.map(String.init) ?? "", keyID)
  }
}

/// A peer of the gateway that records what it is sent.
final class RecordingPeer: HTTPHandler, HTTPRequestHandler {
  private let answerer: (any HTTPRequestHandler)?
  private let received = Mutex<[HTTPRequest]>([])
  private let boundPort = Mutex(0)

  private init(_ answerer: (any HTTPRequestHandler)?) { self.answerer = answerer }

  /// Starts a peer that answers as `answerer` does; without one, 204.
  static func start(_ answerer: (any HTTPRequestHandler)?) throws -> (RecordingPeer, HTTPServer) {
    let peer = RecordingPeer(answerer)
    let server = HTTPServer(
      configuration: HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0)), handler: peer,
      log: .silent)
    if case .tcp(_, let port) = try server.start() { peer.boundPort.withLock { $0 = port } }
    return (peer, server)
  }

  var port: Int { boundPort.withLock { $0 } }
  var requests: [HTTPRequest] { received.withLock { $0 } }

  func handle(_ request: HTTPRequest, responder: HTTPResponder) {
    received.withLock { $0.append(request) }
    guard let answerer else { return responder.respond(HTTPResponse(status: 204)) }
    answerer.handle(request, responder: responder)
  }

  func response(to error: HTTPProtocolError) -> HTTPResponse { HTTPResponse(status: error.status) }
}
