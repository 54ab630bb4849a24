internal import JSON
internal import Outbox

/// The caller of a request and what it may do.
package final class Principal: Sendable {
  /// Nil if callers are anonymous.
  let client: String?
  let scopes: Set<APIScope>
  let apps: [String]?
  let templates: [String]?
  /// Nil: no limit.
  let rate: ClientRate?

  init(
    client: String?, scopes: Set<APIScope>, apps: [String]?, templates: [String]?, rate: ClientRate? = nil
  ) {
    self.client = client
    self.scopes = scopes
    self.apps = apps
    self.templates = templates
    self.rate = rate
  }

  /// A caller of a gateway without clients.
  package static let anonymous = Principal(client: nil, scopes: [.admin], apps: nil, templates: nil)

  /// Whether it has the scope; `admin` includes all others, but for messages that are of no template if only
  /// some templates are allowed.
  func may(_ scope: APIScope) -> Bool {
    scopes.contains(scope) || scopes.contains(.admin) && (scope != .raw || templates == nil)
  }

  /// Whether it sees the notifications of other clients, in the apps that it may use.
  var seesAllClients: Bool { scopes.contains(.admin) }

  /// Whether it may use the app of this name.
  func mayUse(app: String) -> Bool { apps?.contains { $0.hasSameBytes(as: app) } ?? true }

  /// Whether it may use templates of this name.
  func mayUse(template: String) -> Bool { templates?.contains { Glob($0).matches(template) } ?? true }

  /// Whether it may use templates of this name or, without a name, messages that are of no template.
  func mayUse(templateOrNone name: String?) -> Bool {
    name.map(mayUse(template:)) ?? (templates == nil || may(.raw))
  }

  func maySee(_ notification: StoredNotification) -> Bool {
    maySee(app: notification.app, template: notification.template, client: notification.client)
  }

  /// Whether it sees a client's notifications of a template in an app: a client its own, an admin those of
  /// every client; both only in their apps, and of their templates. What it may not see looks to it as if it
  /// did not exist.
  func maySee(app: String, template: String?, client owner: String?) -> Bool {
    guard mayUse(app: app), mayUse(templateOrNone: template) else { return false }
    return seesAllClients || owner.map(ExactText.init) == client.map(ExactText.init)
  }
}
