package import Clock
package import FCM
package import FCMMessage
package import Telemetry

/// What the API asks of the delivery engine.
package protocol DeliveryService: Sendable {
  /// The health of each app's sending, and of all together. Any thread; does not wait for the engine.
  var overallHealth: DeliveryHealth { get }

  /// Has FCM check a message without delivering it. It waits its turn among the app's deliveries, a few
  /// seconds at most. Calls `completion` once, on any thread.
  func validate(
    app: String, _ body: [UInt8], to target: Target, trace: TraceContext?,
    completion: @escaping @Sendable (SendOutcome) -> Void)
}

extension DeliveryService {
  /// The health of each app's sending. Any thread; does not wait for the engine.
  package var health: [AppHealth] { overallHealth.apps }
}

/// The health of all apps together, and since when, for `/readyz`.
package struct DeliveryHealth: Sendable {
  package let apps: [AppHealth]
  /// Whether FCM or a token service refuses any app, or may do so.
  package let isRefused: StatusSince<Bool>
  /// Whether FCM, or the network path to it, fails for any app.
  package let isDegraded: StatusSince<Bool>

  package init(apps: [AppHealth], isRefused: StatusSince<Bool>, isDegraded: StatusSince<Bool>) {
    self.apps = apps
    self.isRefused = isRefused
    self.isDegraded = isDegraded
  }
}
