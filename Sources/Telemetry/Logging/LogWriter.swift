internal import Clock
internal import Dispatch
internal import Synchronization

/// Writes lines to a sink on its own dispatch queue. The buffer is bounded; lines that exceed it are dropped,
/// counted and reported in a later line.
final class LogWriter: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var lines = 0
    /// The number of lines lost since the last report.
    var dropped = 0
    var droppedTotal: UInt64 = 0
    var isScheduled = false

    mutating func drop(_ count: Int) {
      dropped += count
      droppedTotal += UInt64(count)
    }
  }

  private struct Batch {
    let bytes: [UInt8]
    let lines: Int
    let dropped: Int
  }

  /// The maximum number of bytes in the buffer. As many more can be in the course of being written.
  static let waitingBytesMax = 4 << 20
  /// Each round wakes three threads, which a message at a low load would pay for alone.
  private static let pauseMilliseconds = 50

  private let formatter: LogFormatter
  private let sink: @Sendable ([UInt8]) -> Bool
  private let queue = DispatchQueue(label: "dragoman.log", qos: .utility)
  private let state = Mutex(State())

  /// `sink` returns whether it accepted the lines.
  init(formatter: LogFormatter, sink: @escaping @Sendable ([UInt8]) -> Bool) {
    self.formatter = formatter
    self.sink = sink
  }

  var droppedLines: UInt64 { state.withLock { $0.droppedTotal } }

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
    return done.wait(timeout: .now() + .milliseconds(Int(saturating: timeout / .milliseconds(1)))) == .success
  }

  /// Writes the first line after a quiet period at once and batches the lines of each pause after it, so that
  /// a busy process does not wake this queue for every line.
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
