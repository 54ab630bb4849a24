/// What an API key allows its holder to do (`auth.clients` in the configuration).
package enum APIScope: String, Sendable, CaseIterable {
  case send, read, preview, raw, admin
}

/// One client of `auth.clients`: the hash of its key, and what it may use.
package struct ClientGrant: Sendable {
  package var name: String
  /// SHA-256 of the key's bytes.
  package var keyHash: [UInt8]
  package var scopes: Set<APIScope>
  /// Nil: all.
  package var apps: [String]?
  /// Globs; nil: all.
  package var templates: [String]?
  /// Nil: no limit.
  package var rate: RequestRate?

  package init(
    name: String, keyHash: [UInt8], scopes: Set<APIScope>, apps: [String]? = nil, templates: [String]? = nil,
    rate: RequestRate? = nil
  ) {
    self.name = name
    self.keyHash = keyHash
    self.scopes = scopes
    self.apps = apps
    self.templates = templates
    self.rate = rate
  }
}
