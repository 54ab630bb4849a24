internal import Glibc
internal import Telemetry

// Accepting, on the loop that has the listening socket.
extension EventLoop {
  private static let pauseLogNanoseconds: UInt64 = 10_000_000_000

  func accept() {
    guard let acceptor else { return }
    switch acceptor.acceptBatch() {
    case .goOn: break
    case .pause(let number):
      logPause(number)
      _ = watch(acceptor.descriptor, events: 0, registration: Self.listenerRegistration)
      acceptsAgainAt = now + configuration.acceptBackoff.nanoseconds
    }
  }

  /// Logs at intervals only: otherwise a client that makes the server pause could fill its log.
  private func logPause(_ number: Int32?) {
    guard pauseIsLoggedAgainAt <= now else { return }
    pauseIsLoggedAgainAt = now + Self.pauseLogNanoseconds
    if let number {
      log.warning("http accepting pauses", ["errno": .integer(Int(number))])
    } else {
      log.warning("http accepting pauses: too many connections")
    }
  }

  func resumeAccepting() {
    guard let acceptsAgainAt, acceptsAgainAt <= now else { return }
    self.acceptsAgainAt = nil
    guard let acceptor else { return }
    _ = watch(acceptor.descriptor, events: Connection.readEvents, registration: Self.listenerRegistration)
  }
}
