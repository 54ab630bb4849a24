import CatalogCheck
import Dispatch
import Glibc
import Synchronization

/// Properties of the process's terminal and environment.
enum Terminal {
  /// The style of results: with colours on a terminal that supports them, unless NO_COLOR is set
  /// (no-color.org).
  static var style: TerminalStyle {
    let isPlain = environment("NO_COLOR").map { !$0.isEmpty } ?? false || environment("TERM") == "dumb"
    return TerminalStyle(hasColours: isatty(STDOUT_FILENO) == 1 && !isPlain)
  }

  /// Whether stderr is a terminal, on which a progress line can be displayed.
  static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb" }

  /// The path of the current folder; empty if it is unknown.
  static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "" }
    defer { free(path) }
    return String(cString: path)
  }

  private static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

/// A line on the terminal that displays the current activity once it takes longer than a second.
///
/// Guard: `state` is a mutex, and `timer` is set once in `init`; a dispatch source may be cancelled from any
/// thread.
final class ProgressLine: @unchecked Sendable {
  private static let delay = DispatchTimeInterval.seconds(1)
  private static let interval = DispatchTimeInterval.milliseconds(200)

  private struct State {
    var label: String
    var isShown = false
  }

  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "dragoman.progress")
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
      Output.write("\r\u{1B}[K\(label)… \(seconds) s", to: STDERR_FILENO)
    }
    timer.activate()
  }

  /// Changes the displayed activity.
  func update(_ label: String) { state.withLock { $0.label = label } }

  /// Removes the line, if that has not been done. Nothing is written afterwards.
  func finish() {
    timer?.cancel()
    queue.sync {
      let wasShown = state.withLock { state in
        defer { state.isShown = false }
        return state.isShown
      }
      if wasShown { Output.write("\r\u{1B}[K", to: STDERR_FILENO) }
    }
  }
}
