import Dispatch
import Glibc
import Synchronization

/// Prints lines about what a gateway does, without making it wait for the terminal: lines that come faster
/// than they can be printed are counted instead.
final class ActivityLines: Sendable {
  private struct State {
    var waiting: [String] = []
    var dropped = 0
    var hasBegun = false
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "dragoman.activity")

  /// The maximum number of lines that wait.
  private static let waitingMax = 1_000

  /// Prints the lines so far, and each later one. Whatever must be printed first, has been.
  func begin() {
    state.withLock { $0.hasBegun = true }
    printWaiting()
  }

  func show(_ line: String) {
    let isFirst = state.withLock { state in
      guard state.waiting.count < Self.waitingMax else {
        state.dropped += 1
        return false
      }
      state.waiting.append(line)
      return state.hasBegun && state.waiting.count == 1
    }
    if isFirst { printWaiting() }
  }

  private func printWaiting() {
    queue.async { [self] in
      let (lines, dropped) = state.withLock { state in
        defer { (state.waiting, state.dropped) = ([], 0) }
        return (state.waiting, state.dropped)
      }
      var text = lines.map { $0 + "\n" }.joined()
      if dropped > 0 { text += "… and \(dropped) more\n" }
      // Nobody may be reading any more, which must not end the gateway.
      if !text.isEmpty { Output.write(text, to: STDOUT_FILENO) }
    }
  }
}
