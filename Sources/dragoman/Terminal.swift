import CatalogCheck
import Dispatch
import Glibc
import Synchronization

/// What the process's terminal is like.
enum Terminal {
  /// Colours for results: on a terminal that has them, unless NO_COLOR is set (no-color.org).
  static var style: TerminalStyle {
    let isPlain = environment("NO_COLOR").map { !$0.isEmpty } ?? false || environment("TERM") == "dumb"
    return TerminalStyle(hasColours: isatty(STDOUT_FILENO) == 1 && !isPlain)
  }

  /// Whether messages are read by a person as they come.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb" }

  static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// A line on the terminal that says what is being done, once that takes longer than a second.
final class Progress: @unchecked Sendable {
  private static let delay = DispatchTimeInterval.seconds(1)
  private static let interval = DispatchTimeInterval.milliseconds(200)

  private struct State {
    var label: String
    var isShown = false
  }

  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "dragoman.progress")
  // Guard: set once in `init`; a dispatch source may be cancelled from any thread.
  private let timer: (any DispatchSourceTimer)?

  init(_ label: String) {
    state = Mutex(State(label: label))
    guard Terminal.showsProgress else {
      timer = nil
      return
    }
    let timer = DispatchSource.makeTimerSource(queue: queue)
    self.timer = timer
    let started = ContinuousClock.now
    timer.schedule(deadline: .now() + Self.delay, repeating: Self.interval)
    timer.setEventHandler { [weak self] in
      guard let self else { return }
      let seconds = (ContinuousClock.now - started).components.seconds
      let label = self.state.withLock { state in
        state.isShown = true
        return state.label
      }
      Console.write("\r\u{1B}[K\(label)… \(seconds) s", to: STDERR_FILENO)
    }
    timer.activate()
  }

  func say(_ label: String) { state.withLock { $0.label = label } }

  /// Takes the line away. Nothing is written afterwards.
  func finish() {
    timer?.cancel()
    queue.sync {
      if state.withLock(\.isShown) { Console.write("\r\u{1B}[K", to: STDERR_FILENO) }
    }
  }
}
