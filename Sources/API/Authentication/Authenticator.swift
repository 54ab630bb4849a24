internal import HTTPServer
internal import JSON

/// Identifies clients by their API keys. It holds only hashes of the keys and compares them in constant time.
package struct Authenticator: Sendable {
  private let clients: [(keyHash: [UInt8], principal: Principal)]
  private let rates: [ExactText: ClientRate]

  /// A client of `old` with the same rate keeps its bucket, so that a reload does not refill it.
  package init(clients: [ClientGrant], keeping old: Authenticator? = nil) {
    let rates: [ExactText: ClientRate] = Dictionary(
      clients.compactMap { client in
        guard let rate = client.rate else { return nil }
        let name = ExactText(client.name)
        let fresh = ClientRate(rate)
        guard let kept = old?.rates[name], kept.hasSameLimits(as: fresh) else { return (name, fresh) }
        return (name, kept)
      }, uniquingKeysWith: { first, _ in first })
    self.rates = rates
    self.clients = clients.map { client in
      let principal = Principal(
        client: client.name, scopes: client.scopes, apps: client.apps, templates: client.templates,
        rate: rates[ExactText(client.name)])
      return (client.keyHash, principal)
    }
  }

  /// Whether callers need a key at all.
  var asksForKeys: Bool { !clients.isEmpty }

  var keyHashes: [[UInt8]] { clients.map(\.keyHash) }

  /// The principal of a request's `Authorization` header (RFC 6750 §2.1).
  func principal(of head: HTTPRequestHead) throws(APIError) -> Principal {
    guard asksForKeys else { return .anonymous }
    guard let header = head.headers["Authorization"] else {
      throw APIError(.unauthorized, "The request has no Authorization header.")
    }
    // RFC 9110 §11.4: one or more spaces follow the scheme, and none is part of the token.
    let parts = header.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer" else {
      throw APIError(.unauthorized, "The Authorization header is not of the form \"Bearer KEY\".")
    }
    let hash = sha256(Array(parts[1].utf8))
    var found: Principal?
    for client in clients where isEqualInConstantTime(client.keyHash, hash) { found = client.principal }
    guard let found else { throw APIError(.unauthorized, "The API key is not known.") }
    return found
  }

  private func isEqualInConstantTime(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
