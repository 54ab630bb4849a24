import Catalog
import FCM
import Feedback
import Outbox
import StringResources
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
    /// Why the last reload of its catalog failed, and since when the older one stays in force.
    let reloadFailure: (description: String, since: Timestamp)?

    init(
      name: String, catalog: Catalog, resources: AppResources?, report: CheckReport,
      sender: any MessageSender,
      reloadFailure: (description: String, since: Timestamp)? = nil
    ) {
      self.name = name
      self.catalog = catalog
      self.resources = resources
      self.report = report
      self.sender = sender
      self.reloadFailure = reloadFailure
    }

    /// The same app after a reload that failed now, and since when they do.
    func failedToReload(_ description: String, now: Timestamp) -> App {
      App(
        name: name, catalog: catalog, resources: resources, report: report, sender: sender,
        reloadFailure: (description, reloadFailure?.since ?? now))
    }
  }

  final class Snapshot: Sendable {
    let authenticator: Authenticator
    let apps: [App]
    let maxAgeMilliseconds: Int64

    init(authenticator: Authenticator, apps: [App], maxAgeMilliseconds: Int64) {
      self.authenticator = authenticator
      self.apps = apps
      self.maxAgeMilliseconds = maxAgeMilliseconds
    }

    /// The same after a reload that failed now.
    func failedToReload(_ description: String, now: Timestamp) -> Snapshot {
      Snapshot(
        authenticator: authenticator, apps: apps.map { $0.failedToReload(description, now: now) },
        maxAgeMilliseconds: maxAgeMilliseconds)
    }

    /// The app of a request: the named one; without a name `default`, or the only one.
    func app(named name: String?) -> App? {
      guard name != nil || apps.count > 1 else { return apps.first }
      return apps.first { $0.name == name ?? "default" }
    }

    var appNames: String { apps.map(\.name).joined(separator: ", ") }
  }

  private let current: Mutex<Snapshot>
  private let currentWebhook = Mutex<FeedbackWebhook?>(nil)
  private let shuttingDown = Atomic<Bool>(false)

  init(_ snapshot: Snapshot) { current = Mutex(snapshot) }

  var snapshot: Snapshot { current.withLock { $0 } }
  func replace(with snapshot: Snapshot) { current.withLock { $0 = snapshot } }
  func failedToReload(_ description: String, now: Timestamp) {
    current.withLock { $0 = $0.failedToReload(description, now: now) }
  }

  /// Nil where none is configured.
  var webhook: FeedbackWebhook? { currentWebhook.withLock { $0 } }
  func replaceWebhook(with webhook: FeedbackWebhook?) { currentWebhook.withLock { $0 = webhook } }

  var isShuttingDown: Bool { shuttingDown.load(ordering: .relaxed) }
  func beginShutdown() { shuttingDown.store(true, ordering: .relaxed) }
}
