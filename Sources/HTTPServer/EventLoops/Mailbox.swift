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

  /// Posts a message; false when the loop has ended and will not read it.
  @discardableResult
  func post(_ message: sending Message) -> Bool {
    let (isTaken, mustWake) = contents.withLock { contents -> (Bool, Bool) in
      guard !contents.isClosed else { return (false, false) }
      contents.messages.append(message)
      let wasAsleep = contents.isAsleep
      contents.isAsleep = false
      return (true, wasAsleep)
    }
    if mustWake { wakeUp.send() }
    return isTaken
  }

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
