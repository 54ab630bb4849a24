package import FCMMessage
package import JSON
internal import Synchronization

/// What was parsed of files, kept while they are unchanged: a reload parses only those that have changed.
package final class ParsedFiles: Sendable {
  /// What was asked of some files.
  package struct Question: Hashable, Sendable {
    let platform: AppPlatform
    let paths: [String]
    /// What the answer depends on beside the files.
    let context: [String]
    /// Nil for all.
    let keys: Set<ExactText>?
    /// iOS: whether push notifications reach the table.
    let isReachable: Bool

    package init(
      _ platform: AppPlatform, _ paths: [String], context: [String] = [], keys: Set<ExactText>? = nil,
      isReachable: Bool = true
    ) {
      (self.platform, self.paths, self.context) = (platform, paths, context)
      (self.keys, self.isReachable) = (keys, isReachable)
    }
  }

  private struct Kept {
    /// Nil for files that may have changed again since without a trace.
    let stamps: [FileStamp]?
    let value: any Sendable
    /// The size of the files.
    let sourceBytes: Int
  }

  private struct State {
    var kept: [Question: Kept] = [:]
    var sourceBytes = 0
  }

  /// Shared by all apps of a process.
  package static let shared = ParsedFiles(sourceBytesMax: 256 << 20)

  private let sourceBytesMax: Int
  private let state = Mutex(State())

  /// Keeps what was parsed of files of this size together, and starts anew when that is exceeded.
  package init(sourceBytesMax: Int) { self.sourceBytesMax = sourceBytesMax }

  /// What was parsed of the files before, if they are unchanged since; otherwise what `parse` makes of them
  /// now, as `sharing` puts it that has the older value, too: while a reload goes on, both are in memory. Two
  /// threads may parse the same files at the same time; nobody waits for that.
  package func value<Value: Sendable, Failure: Error>(
    _ question: Question, sharing: (Value, _ older: Value) -> Value = { new, _ in new },
    parse: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    // Before the files are read: what changes meanwhile does not fit the stamps later.
    let stamps = question.paths.map { FileStamp(path: $0) }
    let known = state.withLock { $0.kept[question] }
    let present = stamps.compactMap(\.self)
    let older = known?.value as? Value
    if let older, known?.stamps == present { return older }
    let new = try parse()
    let value = older.map { sharing(new, $0) } ?? new
    guard present.count == stamps.count else { return value }
    keep(
      Kept(
        stamps: present.allSatisfy(\.isSettled) ? present : nil, value: value,
        sourceBytes: present.reduce(0) { $0 + $1.size }), for: question)
    return value
  }

  private func keep(_ new: Kept, for question: Question) {
    guard new.sourceBytes <= sourceBytesMax else { return }
    state.withLock { state in
      state.sourceBytes += new.sourceBytes - (state.kept[question]?.sourceBytes ?? 0)
      if state.sourceBytes > sourceBytesMax {
        state.kept.removeAll()
        state.sourceBytes = new.sourceBytes
      }
      state.kept[question] = new
    }
  }
}
