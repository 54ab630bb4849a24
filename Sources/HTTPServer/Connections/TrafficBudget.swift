internal import Synchronization

/// Counts the bytes that clients make the server hold, over all connections and loops.
final class TrafficBudget: Sendable {
  private let requestBytesMax: Int
  private let outputBytesMax: Int
  private let requestBytes = Atomic<Int>(0)
  private let outputBytes = Atomic<Int>(0)

  init(_ configuration: HTTPServerConfiguration) {
    let (largest, overflow) = configuration.bodyBytesMax.multipliedReportingOverflow(by: 4)
    requestBytesMax = configuration.requestBytesTotalMax ?? max(268_435_456, overflow ? .max : largest)
    outputBytesMax = configuration.outputBytesTotalMax
  }

  /// What one connection holds.
  struct Share: Equatable {
    /// Bodies that are being read or not yet answered, and input behind them.
    var requestBytes = 0
    /// Answers that have not left.
    var outputBytes = 0
  }

  /// Replaces a connection's share.
  func exchange(_ old: Share, for new: Share) {
    if new.requestBytes != old.requestBytes {
      requestBytes.wrappingAdd(new.requestBytes - old.requestBytes, ordering: .relaxed)
    }
    if new.outputBytes != old.outputBytes {
      outputBytes.wrappingAdd(new.outputBytes - old.outputBytes, ordering: .relaxed)
    }
  }

  var hasRoomForRequests: Bool { requestBytes.load(ordering: .relaxed) < requestBytesMax }
  var hasRoomForOutput: Bool { outputBytes.load(ordering: .relaxed) <= outputBytesMax }
}
