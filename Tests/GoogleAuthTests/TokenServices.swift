import Foundation
import HTTPClient
import JSON
import Telemetry
import TestSupport
import Testing

@testable import GoogleAuth

/// Token services on loopback, and single requests to them: there are no retries, so nothing waits.
struct TokenServices: Sendable {
  let standIn: StandIn
  let transport: HTTPTransport

  static func run(
    _ handler: @escaping @Sendable (StandIn.Request) -> StandIn.Answer,
    test: (TokenServices) async throws -> Void
  ) async throws {
    let standIn = try StandIn(handler)
    let transport = HTTPTransport(log: .silent)
    let result: Result<Void, any Error>
    do {
      result = .success(try await test(TokenServices(standIn: standIn, transport: transport)))
    } catch { result = .failure(error) }
    await transport.shutDown()
    standIn.stop()
    try result.get()
  }

  func fetch(
    _ credentials: Credentials, caFile: String? = nil, now: Int64 = 1_700_000_000
  ) async -> Result<TokenGrant, TokenError> {
    let route = TokenRoute(caFile: caFile, timeout: .seconds(10))
    let steps = credentials.steps(scope: OAuthScope.messaging, route: route)
    let chain = TokenChain(steps: steps, transport: transport, unixSeconds: { now })
    return await withCheckedContinuation { continuation in
      chain.fetch { continuation.resume(returning: $0) }
    }
  }

  func fetch(file: JSON) async throws -> Result<TokenGrant, TokenError> {
    await fetch(try Credentials.parse(file.serialized, file: "adc.json"))
  }

  func grant(file: JSON) async throws -> TokenGrant { try await fetch(file: file).get() }

  func refusal(file: JSON) async throws -> TokenError {
    let result = try await fetch(file: file)
    guard case .failure(let refusal) = result else {
      Issue.record("a token")
      throw StandIn.Failure(call: "fetch")
    }
    return refusal
  }

  func requests(to path: String) -> [StandIn.Request] { standIn.requests.filter { $0.path == path } }
}

extension StandIn.Request {
  /// The body's form fields; a repeated name is lost, which the number of fields shows.
  var form: [String: String] {
    var fields: [String: String] = [:]
    for pair in String(decoding: body, as: UTF8.self).split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      fields[parts[0]] = parts.last?.removingPercentEncoding
    }
    return fields
  }
}

/// The mistakes of a credentials file, as an operator sees them.
func mistakes(_ file: JSON) throws -> [String] {
  try #require(throws: CredentialsError.self) {
    try Credentials.parse(file.serialized, file: "adc.json")
  }.problems.map(\.description)
}

extension JSON {
  /// The object with one member set, or removed for nil.
  func with(_ key: String, _ value: JSON?) throws -> JSON {
    var object = try #require(object)
    object[key] = value
    return .object(object)
  }
}

/// A folder that is removed after the test.
func withTemporaryFolder(_ test: (URL) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "dragoman-\(UUID().uuidString.prefix(13))")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  try await test(folder)
}
