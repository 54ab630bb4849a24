internal import Catalog
internal import Clock
internal import JSON
internal import Outbox
internal import Synchronization

/// The apps and templates that one caller may see.
struct VisibleCatalog: Sendable {
  struct App: Sendable {
    let name: String
    let catalog: Catalog
    let templates: [Template]
  }

  let apps: [App]
  /// The app of a request that names none; nil if a request must name one.
  let defaultApp: String?

  init(_ snapshot: APIState.Snapshot, to principal: Principal) {
    let apps = snapshot.apps.filter { principal.mayUse(app: $0.name) }.map { app in
      App(
        name: app.name, catalog: app.catalog,
        templates: app.catalog.templates.filter { principal.mayUse(template: $0.name) })
    }
    self.apps = apps
    defaultApp = snapshot.app(named: nil, for: principal)?.name
  }

  /// The templates of all apps, by name.
  var templates: [String] { Set(apps.flatMap(\.templates).map(\.name)).sorted() }

  func app(named name: String?) -> App? {
    guard let name = name ?? defaultApp else { return nil }
    return apps.first { $0.name.hasSameBytes(as: name) }
  }
}

/// The descriptions made for each client: valid for a day, as long as their snapshot is in force.
final class VisibleDescriptions: Sendable {
  private struct Day {
    var number: Int64 = 0
    var byClient: [ExactText?: Representation] = [:]
  }

  private let kept = Mutex(Day())

  /// The description for a client of that name; `make` is called once a day for each client.
  func description(
    for client: String?, now: Timestamp, make: () -> Representation
  ) -> Representation {
    let number = now.unixSeconds / 86_400
    let client = client.map(ExactText.init)
    let known = kept.withLock { day in
      if day.number != number { day = Day(number: number) }
      return day.byClient[client]
    }
    if let known { return known }
    let made = make()
    kept.withLock { if $0.number == number { $0.byClient[client] = made } }
    return made
  }
}
