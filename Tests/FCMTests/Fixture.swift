import FCM
import Foundation
import GoogleAuth
import HTTPClient
import JSON
import Synchronization
import Telemetry
import TestSupport
import Testing

/// A client with its transport, in front of a stand-in for FCM and its token endpoint.
struct Fixture: Sendable {
  let standIn: StandIn
  let transport: HTTPTransport
  let client: FCMClient

  static let success = #"{"name":"projects/p/messages/1"}"#
  static let body = Array(#"{"message":{"token":"t"}}"#.utf8)

  /// Runs `test`, then shuts everything down.
  static func run(
    credentials: (StandIn) throws -> Credentials = { _ in .none }, timeout: Duration = .seconds(10),
    limits: TransportLimits = .init(), _ handler: @escaping @Sendable (StandIn.Request) -> StandIn.Answer,
    test: (Fixture) async throws -> Void
  ) async throws {
    let standIn = try StandIn(handler)
    let transport = HTTPTransport(limits: limits, log: .silent)
    let client = FCMClient(
      configuration: FCMAppConfiguration(
        projectID: "p", endpoint: standIn.url, credentials: try credentials(standIn),
        requestTimeout: timeout),
      transport: transport, log: .silent)
    let result: Result<Void, any Error>
    do {
      result = .success(try await test(Fixture(standIn: standIn, transport: transport, client: client)))
    } catch { result = .failure(error) }
    client.shutDown()
    await transport.shutDown()
    standIn.stop()
    try result.get()
  }

  /// A fixture with a service account whose token endpoint is the stand-in's `/token`.
  static func runWithServiceAccount(
    limits: TransportLimits = .init(), _ handler: @escaping @Sendable (StandIn.Request) -> StandIn.Answer,
    test: (Fixture) async throws -> Void
  ) async throws {
    try await run(
      credentials: {
        let file = try TestKey.shared.get().serviceAccountFile(tokenURI: $0.url + "/token")
        return try Credentials.parse(file.serialized, file: "key.json")
      }, limits: limits,
      handler, test: test)
  }

  func send(_ body: [UInt8] = Fixture.body) async -> SendOutcome {
    await withCheckedContinuation { continuation in client.send(body) { continuation.resume(returning: $0) } }
  }

  func failure(_ body: [UInt8] = Fixture.body) async throws -> SendError {
    let outcome = await send(body)
    guard case .failed(let failure) = outcome else {
      Issue.record("not a failure: \(outcome)")
      throw StandIn.Failure(call: "send")
    }
    return failure
  }

  /// Sends `count` messages at the same time and waits for all.
  func sendAtOnce(_ count: Int) async -> [SendOutcome] {
    await withTaskGroup { group in
      for _ in 0..<count { group.addTask { await send() } }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  func requests(to path: String) -> [StandIn.Request] { standIn.requests.filter { $0.path == path } }
}

/// Releases its callers when enough have arrived.
final class Gate: Sendable {
  private let condition = NSCondition()
  private let needed: Int
  private let arrived = Atomic<Int>(0)

  init(_ needed: Int) { self.needed = needed }

  /// Whether enough arrived within ten seconds.
  func pass() -> Bool {
    condition.lock()
    defer { condition.unlock() }
    arrived.add(1, ordering: .sequentiallyConsistent)
    condition.broadcast()
    let deadline = Date(timeIntervalSinceNow: 10)
    while arrived.load(ordering: .sequentiallyConsistent) < needed {
      if !condition.wait(until: deadline) { return false }
    }
    return true
  }
}
