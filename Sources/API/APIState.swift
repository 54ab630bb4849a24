internal import AppStrings
package import Catalog
package import CatalogCheck
package import Clock
package import FCM
package import DeliveryReports
internal import HTTPServer
internal import JSON
internal import Synchronization

/// The apps and clients that answer requests: one immutable snapshot at a time, replaced on
/// reload.
package final class APIState: Sendable {
  /// An app as requests see it. Like the snapshot, it is a class, since each request retains it: retaining
  /// its parts one by one would be slow, because all threads count references to the same ones.
  package final class App: Sendable {
    package let name: String
    package let catalog: Catalog
    /// Nil if the catalog names none.
    package let resources: AppResources?
    /// The findings of `check` when the catalog was loaded.
    package let report: CheckReport
    /// Makes texts for recipients from the resources.
    package let texts: RecipientTexts
    /// What readers get, as answered.
    let matrix = CatalogAnswers()
    /// The list of its templates, as answered.
    let templateList = CatalogAnswers()
    /// By id.
    let icons: [ExactText: Representation]
    /// The Firebase project to which its messages go.
    package let projectID: String
    /// What is done with the texts of messages that are given as a whole.
    let raw: RawMessagePolicy
    package let sender: any MessageSender
    /// The sender as FCM's client; nil for a stand-in under test.
    package var client: FCMClient? { sender as? FCMClient }

    package init(
      name: String, catalog: Catalog, resources: AppResources?, report: CheckReport, projectID: String,
      raw: RawMessagePolicy? = nil, sender: any MessageSender
    ) {
      self.name = name
      self.catalog = catalog
      self.resources = resources
      self.report = report
      texts = RecipientTexts(resources, support: report.support)
      let icons = [resources?.android, resources?.ios].compactMap { $0?.appIcon }
      self.icons = Dictionary(icons.map { (ExactText($0.id), Representation($0)) }) { first, _ in first }
      self.projectID = projectID
      self.raw = raw ?? RawMessagePolicy(.off, by: RawMessageCheck(resources, ignoring: catalog))
      self.sender = sender
    }
  }

  package final class Snapshot: Sendable {
    package let authenticator: Authenticator
    package let apps: [App]
    package let maxAgeMilliseconds: Int64
    /// The maximum number of targets of all notifications in a batch together.
    let batchTargetsMax: Int
    /// The names by which callers may address the gateway; nil if callers need keys, so that any name will
    /// do.
    let hosts: HostPolicy?
    /// Where callers find the gateway.
    let publicPath: PublicPath
    /// What hides the places of lists from callers.
    let cursors: CursorSeal
    /// Its descriptions for `GET /openapi.json`.
    let descriptions = VisibleDescriptions()

    /// `allowedHosts` are names of the gateway besides those that every machine has.
    package init(
      authenticator: Authenticator, apps: [App], maxAgeMilliseconds: Int64, batchTargetsMax: Int = 10_000,
      allowedHosts: [String] = [], publicPath: PublicPath = .root
    ) {
      self.publicPath = publicPath
      self.batchTargetsMax = batchTargetsMax
      hosts = authenticator.asksForKeys ? nil : HostPolicy(allowing: allowedHosts)
      cursors = CursorSeal(keyHashes: authenticator.keyHashes)
      self.authenticator = authenticator
      self.apps = apps
      self.maxAgeMilliseconds = maxAgeMilliseconds
    }

    /// The app of a request, among those that its caller may use: the named one; without a name `default`, or
    /// the only one.
    package func app(named name: String?, for principal: Principal) -> App? {
      let visible = apps.lazy.filter { principal.mayUse(app: $0.name) }
      if name == nil, let first = visible.first, visible.dropFirst().isEmpty { return first }
      return visible.first { $0.name.hasSameBytes(as: name ?? "default") }
    }

    /// The names of the apps that a client may use, for error messages.
    func appNames(for principal: Principal) -> [String] {
      apps.map(\.name).filter(principal.mayUse(app:))
    }
  }

  private let current: Mutex<Snapshot>
  private let reloaded: Mutex<StatusSince<Bool>>
  private let currentWebhook = Mutex<(any Webhook)?>(nil)
  private let shuttingDown = Atomic<Bool>(false)

  /// The address of the emulator whose inbox and faults are at `/dev/`, as in `dragoman dev`; nil for none.
  let emulator: String?

  package init(_ snapshot: Snapshot, emulator: String? = nil, now: Timestamp = .now) {
    self.emulator = emulator
    current = Mutex(snapshot)
    reloaded = Mutex(StatusSince(true, since: now))
  }

  package var snapshot: Snapshot { current.withLock { $0 } }

  package func replace(with snapshot: Snapshot, now: Timestamp) {
    let old = current.withLock { current in
      defer { current = snapshot }
      return current
    }
    reloaded.withLock { $0.become(true, at: now) }
    RetiredSnapshot(old).freeSoon()
  }

  /// Records a failed reload; the snapshot stays in force.
  package func reloadFailed(now: Timestamp) { reloaded.withLock { $0.become(false, at: now) } }

  /// Whether the last reload succeeded.
  package var isReloaded: StatusSince<Bool> { reloaded.withLock { $0 } }

  /// Nil if none is configured.
  package var webhook: (any Webhook)? { currentWebhook.withLock { $0 } }
  package func replaceWebhook(with webhook: (any Webhook)?) { currentWebhook.withLock { $0 = webhook } }

  var isShuttingDown: Bool { shuttingDown.load(ordering: .relaxed) }
  package func beginShutdown() { shuttingDown.store(true, ordering: .relaxed) }
}
