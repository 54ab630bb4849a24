internal import HTTPClient
internal import Synchronization
internal import Telemetry

/// The transports to FCM, each of which has a thread once it is used.
///
/// Up to `transportsMax` apps have one each, so that an app whose requests hang does not use up the
/// connections of others. More apps share them, evenly: by then, each app's share of the requests in flight
/// is so small that those of one transport fit into its connections.
final class TransportPool: Sendable {
  static let transportsMax = 32

  private let transports = Mutex<[HTTPTransport]>([])
  private let log: Log

  init(log: Log) { self.log = log }

  /// The transport that occurs least in `used`, which are those of all other apps.
  func transport(besides used: [HTTPTransport]) -> HTTPTransport {
    transports.withLock { transports in
      var uses: [ObjectIdentifier: Int] = [:]
      for transport in used { uses[ObjectIdentifier(transport), default: 0] += 1 }
      let counts = transports.map { uses[ObjectIdentifier($0), default: 0] }
      if let least = counts.indices.min(by: { counts[$0] < counts[$1] }),
        counts[least] == 0 || transports.count >= Self.transportsMax
      {
        return transports[least]
      }
      let new = HTTPTransport(log: log)
      transports.append(new)
      return new
    }
  }

  /// Cancels all requests, and ends the threads.
  func shutDown() async {
    for transport in transports.withLock({ $0 }) { await transport.shutDown() }
  }
}
