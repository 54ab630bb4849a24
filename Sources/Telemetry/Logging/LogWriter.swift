internal import Clock
internal import Dispatch
internal import Synchronization

/// Writes lines to a sink on its own dispatch queue. The buffer is bounded; lines that exceed it are dropped,
/// counted and reported in a later line.
final class LogWriter: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    /// An empty buffer for the lines that come while others are written.
    var spare: [UInt8] = []
    var lines = 0
    /// The number of lines lost since the last report.
    var dropped = 0
    var droppedTotal: UInt64 = 0
    /// Whether a block that writes is on its way to the queue.
    var isScheduled = false
    /// Whether so much waits that it is written before the end of the pause.
    var isFull = false
    /// Until when lines wait, so that several are written together.
    var pauseEnd = ContinuousClock.now

    /// Takes what waits, and begins a pause.
    mutating func take() -> Batch {
      var batch = Batch(bytes: spare, lines: lines, dropped: dropped)
      spare = []
      swap(&batch.bytes, &waiting)
      lines = 0
      dropped = 0
      isScheduled = false
      isFull = false
      pauseEnd = ContinuousClock.now + LogWriter.pause
      return batch
    }

    mutating func drop(_ count: Int) {
      dropped += count
      droppedTotal += UInt64(count)
    }
  }

  private struct Batch {
    var bytes: [UInt8]
    let lines: Int
    let dropped: Int
  }

  /// The maximum number of bytes in the buffer. As many more can be in the course of being written.
  static let waitingBytesMax = 4 << 20
  /// The largest buffer that is used again. Under full load, a new one would be enlarged many times, and each
  /// time the system would have to clear its memory.
  private static let spareBytesMax = 1 << 20
  /// How long lines wait after others were written. A timer wakes three threads, so that one for each line
  /// would cost a message at a low load more than its lines.
  private static let pause = Duration.milliseconds(200)
  /// From this many bytes on, lines no longer wait.
  private static let pauseBytesMax = 256 << 10

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
    let wait = state.withLock { state -> Duration? in
      guard state.waiting.count + line.count <= Self.waitingBytesMax else {
        state.drop(1)
        return nil
      }
      state.waiting += line
      state.lines += 1
      if state.waiting.count >= Self.pauseBytesMax, !state.isFull {
        state.isFull = true
        state.isScheduled = true
        return .zero
      }
      guard !state.isScheduled else { return nil }
      state.isScheduled = true
      return state.pauseEnd - ContinuousClock.now
    }
    if let wait { schedule(after: wait) }
  }

  /// Has a line after a quiet period written at once, and those of the pause after it together, so that a
  /// busy process does not wake the queue for every line.
  private func schedule(after wait: Duration) {
    guard wait > .zero else { return queue.async { self.writeWaiting() } }
    let milliseconds = Int(saturating: (wait / .milliseconds(1)).rounded(.up))
    queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { self.writeWaiting() }
  }

  func flush(timeout: Duration) -> Bool {
    let done = DispatchSemaphore(value: 0)
    queue.async {
      self.writeWaiting()
      done.signal()
    }
    return done.wait(timeout: .now() + .milliseconds(Int(saturating: timeout / .milliseconds(1)))) == .success
  }

  private func writeWaiting() {
    var batch = state.withLock { $0.take() }
    if batch.dropped > 0 {
      batch.bytes += formatter.line(
        time: .now, level: .warning, message: "log lines dropped",
        fields: [["count": .integer(batch.dropped)]])
    }
    let isWritten = batch.bytes.isEmpty || sink(batch.bytes)
    batch.bytes.removeAll(keepingCapacity: batch.bytes.capacity <= Self.spareBytesMax)
    state.withLock { state in
      swap(&state.spare, &batch.bytes)
      guard !isWritten else { return }
      state.drop(batch.lines)
      state.dropped += batch.dropped
    }
  }
}
