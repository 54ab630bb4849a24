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
    var isDraining = false

    mutating func drop(_ count: Int) {
      dropped += count
      droppedEver += UInt64(count)
    }
  }

  private struct Batch {
    var bytes: [UInt8]
    let lines: Int
    let dropped: Int
  }

  /// Bytes that may wait to be written, besides as many that are being written.
  static let waitingBytesMax = 4 << 20

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
    let mustDrain = state.withLock { state in
      guard state.waiting.count + line.count <= Self.waitingBytesMax else {
        state.drop(1)
        return false
      }
      state.waiting += line
      state.lines += 1
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if mustDrain { queue.async { self.drain() } }
  }

  func flush(timeout: Duration) -> Bool {
    let done = DispatchSemaphore(value: 0)
    queue.async { done.signal() }
    return done.wait(timeout: .now() + .milliseconds(Int(timeout / .milliseconds(1)))) == .success
  }

  private func drain() {
    while var batch = nextBatch() {
      if batch.dropped > 0 {
        batch.bytes += formatter.line(
          time: .now, level: .warning, message: "log lines dropped",
          fields: [["count": .integer(batch.dropped)]])
      }
      if !sink(batch.bytes) {
        state.withLock { state in
          state.drop(batch.lines)
          state.dropped += batch.dropped
        }
      }
    }
  }

  private func nextBatch() -> Batch? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isDraining = false
        return nil
      }
      defer {
        state.waiting = []
        state.lines = 0
        state.dropped = 0
      }
      return Batch(bytes: state.waiting, lines: state.lines, dropped: state.dropped)
    }
  }
}
