internal import Synchronization

/// Messages to a loop from other threads: a queue with a wake-up, which is only sent when the loop sleeps.
final class Mailbox<Message: Sendable>: Sendable {
  private struct Contents: Sendable {
    var messages: [Message] = []
    var isAsleep = false
    var isClosed = false
  }

  private let wakeUp: WakeUp
  private let contents = Mutex(Contents())

  /// Nil with `errno` when there is no descriptor left.
  init?() {
    guard let wakeUp = WakeUp() else { return nil }
    self.wakeUp = wakeUp
  }

  /// Readable when the loop should read the mailbox.
  var descriptor: Int32 { wakeUp.descriptor }

  /// What became of a posted message.
  enum Posting: Equatable {
    case taken
    /// The loop sleeps: the poster has to wake it, or to go on in its place.
    case takenAsleep
    /// The loop has ended and will not read it.
    case refused
  }

  /// Posts a message and wakes the loop; false when the loop has ended and will not read it.
  @discardableResult
  func post(_ message: sending Message) -> Bool {
    let posting = add(message)
    if posting == .takenAsleep { wake() }
    return posting != .refused
  }

  /// Posts a message without waking the loop.
  func add(_ message: sending Message) -> Posting {
    contents.withLock { contents in
      guard !contents.isClosed else { return .refused }
      contents.messages.append(message)
      defer { contents.isAsleep = false }
      return contents.isAsleep ? .takenAsleep : .taken
    }
  }

  func wake() { wakeUp.send() }

  /// The number of messages that wait.
  var count: Int { contents.withLock { $0.messages.count } }

  /// Whether the loop may sleep: there are no messages, and the next one wakes it.
  func mayFallAsleep() -> Bool {
    contents.withLock { contents in
      contents.isAsleep = contents.messages.isEmpty
      return contents.isAsleep
    }
  }

  /// Takes all messages in order, in exchange for an empty array with its memory; the loop is awake.
  func takeAll(into messages: inout [Message]) {
    contents.withLock { contents in
      contents.isAsleep = false
      swap(&contents.messages, &messages)
    }
  }

  /// Resets the descriptor after it woke the loop.
  func clearWakeUp() { wakeUp.clear() }

  /// Stops accepting messages; returns the last ones.
  func close() -> [Message] {
    contents.withLock { contents in
      contents.isClosed = true
      let messages = contents.messages
      contents.messages = []
      return messages
    }
  }
}
