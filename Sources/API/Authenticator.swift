import COpenSSL
import HTTPServer
import JSON

/// Who made a request and what it may do.
struct Principal: Sendable {
  /// Nil where callers are anonymous.
  let client: String?
  let scopes: Set<APIScope>
  let apps: [String]?
  let templates: [String]?
  /// Nil: no limit.
  var rate: ClientRate?

  static let anonymous = Principal(client: nil, scopes: [.admin], apps: nil, templates: nil)

  /// Admin may all of it, of every client, in its apps (contract, "Who may what").
  func may(_ scope: APIScope) -> Bool { scopes.contains(.admin) || scopes.contains(scope) }
  var seesAllClients: Bool { scopes.contains(.admin) }
  func mayUse(app: String) -> Bool { apps?.contains { $0 == app } ?? true }
  func mayUse(template: String) -> Bool { templates?.contains { Glob($0).matches(template) } ?? true }
}

/// Tells clients by their API keys. Only hashes are kept; they are compared in constant time.
package struct Authenticator: Sendable {
  private let clients: [ClientGrant]
  private let rates: [String: ClientRate]

  package init(clients: [ClientGrant]) {
    self.clients = clients
    rates = Dictionary(
      clients.compactMap { client in client.rate.map { (client.name, ClientRate(perSecond: $0)) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// Whether callers need a key at all.
  var asksForKeys: Bool { !clients.isEmpty }

  /// The principal of a request's `Authorization` header (RFC 6750 §2.1).
  func principal(of head: HTTPRequestHead) throws(Problem) -> Principal {
    guard asksForKeys else { return .anonymous }
    guard let header = head.headers["Authorization"] else {
      throw Problem(.unauthorized, "The request has no Authorization header.")
    }
    let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else {
      throw Problem(.unauthorized, "The Authorization header is not of the form \"Bearer KEY\".")
    }
    let hash = sha256(Array(parts[1].utf8))
    var found: ClientGrant?
    for client in clients where isEqualInConstantTime(client.keyHash, hash) { found = client }
    guard let found else { throw Problem(.unauthorized, "The API key is not known.") }
    return Principal(
      client: found.name, scopes: found.scopes, apps: found.apps, templates: found.templates,
      rate: rates[found.name])
  }

  private func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// SHA-256 (FIPS 180-4) of `bytes`: 32 bytes.
func sha256(_ bytes: [UInt8]) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { buffer, count in
    SHA256(bytes, bytes.count, buffer.baseAddress)
    count = Int(SHA256_DIGEST_LENGTH)
  }
}
