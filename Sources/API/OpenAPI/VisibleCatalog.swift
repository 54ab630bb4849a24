import Catalog
internal import Clock
import JSON
import Outbox
import Synchronization

/// What one caller may see of the gateway's apps and templates.
struct VisibleCatalog: Sendable {
  struct App: Sendable {
    let name: String
    let catalog: Catalog
    let templates: [Template]
  }

  let apps: [App]
  /// The app of a request that names none; nil where it has to name one.
  let defaultApp: String?

  init(_ snapshot: APIState.Snapshot, to principal: Principal) {
    let apps = snapshot.apps.filter { principal.mayUse(app: $0.name) }.map { app in
      App(
        name: app.name, catalog: app.catalog,
        templates: app.catalog.templates.filter { principal.mayUse(template: $0.name) })
    }
    let unnamed = snapshot.app(named: nil)?.name
    self.apps = apps
    defaultApp = apps.first { $0.name == unnamed }?.name
  }

  /// Those of all apps, by name.
  var templates: [String] { Set(apps.flatMap(\.templates).map(\.name)).sorted() }

  func app(named name: String?) -> App? { apps.first { $0.name == name ?? defaultApp } }
}

/// The descriptions that were asked for, by client: as good as the snapshot that they belong to, for a day.
final class VisibleDescriptions: Sendable {
  private struct Day {
    var number: Int64 = 0
    var byClient: [String?: [UInt8]] = [:]
  }

  private let kept = Mutex(Day())

  /// The description for a client of that name; `make` makes it where it was not asked for on this day.
  func bytes(for client: String?, now: Timestamp, make: () -> [UInt8]) -> [UInt8] {
    let number = now.unixSeconds / 86_400
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
