package import Telemetry

/// Sends one message: FCM's client, or a stand-in in tests.
package protocol MessageSender: Sendable {
  /// Sends one `SendMessageRequest` body. Calls `completion` exactly once, on any thread, and never before
  /// `send` could have returned to a caller that holds no lock.
  func send(_ body: [UInt8], completion: @escaping @Sendable (SendOutcome) -> Void)

  /// How many requests can be under way at once; more would only wait for each other. Nil for no limit of its
  /// own. It changes when more is known of the peer.
  var inFlightMax: Int? { get }

  /// The same as part of `trace`: each request is its own span. `atDeparture` is called on any thread, just
  /// before the request is sent, and again before it is repeated: it returns the body to send, in which only
  /// values that depend on the time may differ from `body`. If it returns nil, the outcome is `withdrawn`.
  func send(
    _ body: [UInt8], trace: TraceContext?, atDeparture: @escaping @Sendable () -> [UInt8]?,
    completion: @escaping @Sendable (SendOutcome) -> Void)
}

extension MessageSender {
  package var inFlightMax: Int? { nil }

  package func send(
    _ body: [UInt8], trace: TraceContext?, atDeparture: @escaping @Sendable () -> [UInt8]?,
    completion: @escaping @Sendable (SendOutcome) -> Void
  ) {
    guard let body = atDeparture() else { return completion(.withdrawn) }
    send(body, completion: completion)
  }
}
