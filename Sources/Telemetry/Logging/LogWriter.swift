internal import Clock
internal import Dispatch
internal import Synchronization

/// Hands lines to a sink on a queue of its own. What waits is bounded; further lines are dropped and counted, and a
/// line says how many.
final class LogWriter: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var lines = 0
    /// Lost since a line last said so.
    var dropped = 0
    var droppedEver: UInt64 = 0
    var isScheduled = false

    mutating func drop(_ count: Int) {
      dropped += count
      droppedEver += UInt64(count)
    }
  }

  private struct Batch {
    let bytes: [UInt8]
    let lines: Int
    let dropped: Int
  }

  /// Bytes that may wait to be written, besides as many that are being written.
  static let waitingBytesMax = 4 << 20
  private static let pauseMilliseconds = 10

  private let formatter: LogFormatter
  private let sink: @Sendable ([UInt8]) -> Bool
  private let queue = DispatchQueue(label: "dragoman.log", qos: .utility)
  private let state = Mutex(State())

  /// `sink` says whether it took the lines.
  init(formatter: LogFormatter, sink: @escaping @Sendable ([UInt8]) -> Bool) {
    self.formatter = formatter
    self.sink = sink
  }

  var droppedLines: UInt64 { state.withLock { $0.droppedEver } }

  func append(_ line: [UInt8]) {
    let mustSchedule = state.withLock { state in
      guard state.waiting.count + line.count <= Self.waitingBytesMax else {
        state.drop(1)
        return false
      }
      state.waiting += line
      state.lines += 1
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { queue.async { self.drain() } }
  }

  func flush(timeout: Duration) -> Bool {
    let done = DispatchSemaphore(value: 0)
    queue.async {
      self.writeWaiting()
      done.signal()
    }
    return done.wait(timeout: .now() + .milliseconds(Int(timeout / .milliseconds(1)))) == .success
  }

  /// Writes at once when a line comes after silence; then what comes within each pause goes together, so that a busy
  /// process does not wake this queue for each line.
  private func drain() {
    guard
      state.withLock({ state in
        state.isScheduled = !state.waiting.isEmpty
        return state.isScheduled
      })
    else { return }
    writeWaiting()
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.pauseMilliseconds)) { self.drain() }
  }

  private func writeWaiting() {
    let batch = state.withLock { state in
      defer {
        state.waiting = []
        state.lines = 0
        state.dropped = 0
      }
      return Batch(bytes: state.waiting, lines: state.lines, dropped: state.dropped)
    }
    var bytes = batch.bytes
    if batch.dropped > 0 {
      bytes += formatter.line(
        time: .now, level: .warning, message: "log lines dropped",
        fields: [["count": .integer(batch.dropped)]])
    }
    if bytes.isEmpty || sink(bytes) { return }
    state.withLock { state in
      state.drop(batch.lines)
      state.dropped += batch.dropped
    }
  }
}
