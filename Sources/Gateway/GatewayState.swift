import Catalog
import FCM
import Feedback
import Outbox
import StringResources
import Synchronization

/// What requests are answered from: one immutable snapshot at a time, swapped whole on reload.
final class GatewayState: Sendable {
  /// An app as requests see it.
  struct App: Sendable {
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
    var reloadFailure: (description: String, since: Timestamp)?
  }

  struct Snapshot: Sendable {
    let authenticator: Authenticator
    var apps: [App]
    let maxAgeMilliseconds: Int64

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
  func change(_ body: (inout Snapshot) -> Void) { current.withLock { body(&$0) } }

  /// Nil where none is configured.
  var webhook: FeedbackWebhook? { currentWebhook.withLock { $0 } }
  func replaceWebhook(with webhook: FeedbackWebhook?) { currentWebhook.withLock { $0 = webhook } }

  var isShuttingDown: Bool { shuttingDown.load(ordering: .relaxed) }
  func beginShutdown() { shuttingDown.store(true, ordering: .relaxed) }
}
