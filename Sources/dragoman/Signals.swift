import Dispatch
import Glibc

/// Delivers signals on a serial queue. A second SIGINT or SIGTERM ends the process at once.
///
/// Guard: `sources` and `isStopping` are accessed only on `queue`.
final class Signals: @unchecked Sendable {
  private let queue = DispatchQueue(label: "dragoman.signals")
  private var sources: [any DispatchSourceSignal] = []
  private var isStopping = false

  /// Starts to watch SIGHUP. Before that, the signal has no effect instead of ending the process.
  func watchReloads(_ handle: @escaping @Sendable () -> Void) async {
    signal(SIGHUP, SIG_IGN)
    await watch(SIGHUP, handle)
  }

  /// Starts to watch the signals that stop the process; returns once their registration, which is
  /// asynchronous on Linux, has completed.
  func watchStops(_ handle: @escaping @Sendable () -> Void) async {
    signal(SIGPIPE, SIG_IGN)
    for number in [SIGINT, SIGTERM] {
      await watch(number) { [self] in
        if isStopping { _exit(128 + number) }
        isStopping = true
        handle()
      }
    }
  }

  private func watch(_ number: Int32, _ handle: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: handle)
        source.setRegistrationHandler { continuation.resume() }
        sources.append(source)
        source.activate()
      }
    }
  }
}
