import Catalog
import CatalogCheck
import FCM
import Feedback
import Outbox
import Synchronization

/// What requests are answered from: one immutable snapshot at a time, swapped whole on reload.
final class GatewayState: Sendable {
  /// An app as requests see it. As all of a snapshot, a class, since each request takes hold of it: the counting of
  /// references to what it holds would be felt, as all threads count the same ones.
  final class App: Sendable {
    let name: String
    let catalog: Catalog
    /// Nil where the catalog names none.
    let resources: AppResources?
    /// What `check` found when the catalog was loaded.
    let report: CheckReport
    let sender: any MessageSender
    /// The sender as FCM's client; nil for a stand-in under test.
    var client: FCMClient? { sender as? FCMClient }

    init(
      name: String, catalog: Catalog, resources: AppResources?, report: CheckReport, sender: any MessageSender
    ) {
      self.name = name
      self.catalog = catalog
      self.resources = resources
      self.report = report
      self.sender = sender
    }
  }

  final class Snapshot: Sendable {
    let authenticator: Authenticator
    let apps: [App]
    let maxAgeMilliseconds: Int64
    /// What `GET /openapi.json` said of it.
    let descriptions = VisibleDescriptions()

    init(authenticator: Authenticator, apps: [App], maxAgeMilliseconds: Int64) {
      self.authenticator = authenticator
      self.apps = apps
      self.maxAgeMilliseconds = maxAgeMilliseconds
    }

    /// The app of a request: the named one; without a name `default`, or the only one.
    func app(named name: String?) -> App? {
      guard name != nil || apps.count > 1 else { return apps.first }
      return apps.first { $0.name == name ?? "default" }
    }

    /// The apps that a client may use, for whoever named another.
    func appNames(for principal: Principal) -> String {
      apps.map(\.name).filter(principal.mayUse(app:)).joined(separator: ", ")
    }
  }

  private let current: Mutex<Snapshot>
  private let reloaded: Mutex<Standing<Bool>>
  private let currentWebhook = Mutex<FeedbackWebhook?>(nil)
  private let shuttingDown = Atomic<Bool>(false)

  init(_ snapshot: Snapshot, now: Timestamp = .now) {
    current = Mutex(snapshot)
    reloaded = Mutex(Standing(true, since: now))
  }

  var snapshot: Snapshot { current.withLock { $0 } }

  func replace(with snapshot: Snapshot, now: Timestamp) {
    current.withLock { $0 = snapshot }
    reloaded.withLock { $0.become(true, at: now) }
  }

  /// The snapshot stays, though another one was wanted.
  func reloadFailed(now: Timestamp) { reloaded.withLock { $0.become(false, at: now) } }

  /// Whether the last reload succeeded.
  var isReloaded: Standing<Bool> { reloaded.withLock { $0 } }

  /// Nil where none is configured.
  var webhook: FeedbackWebhook? { currentWebhook.withLock { $0 } }
  func replaceWebhook(with webhook: FeedbackWebhook?) { currentWebhook.withLock { $0 = webhook } }

  var isShuttingDown: Bool { shuttingDown.load(ordering: .relaxed) }
  func beginShutdown() { shuttingDown.store(true, ordering: .relaxed) }
}
