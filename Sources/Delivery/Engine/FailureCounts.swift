internal import FCM

/// Counts failed attempts by app, code and reason, so that an operator reads the first one at once, then
/// their number once a minute, and then that it is over. Bounded.
struct FailureCounts {
  struct Key: Hashable {
    let app: String
    let code: String
    let reason: String
  }

  /// What to log.
  enum Line: Equatable {
    /// The first failure of its kind.
    case began(SendError)
    /// How often it happened in the last minute.
    case goesOn(SendError, count: Int)
    /// It did not happen in the last minute, and the app has sent something since: how often it happened.
    case ended(SendError, count: Int)
  }

  private struct Entry {
    let failure: SendError
    var total = 1
    /// Since the last line, without the failure of that line.
    var recent = 0
    var hasSentSince = false
    var quietMinutes = 0
  }

  private static let entriesMax = 100
  /// What has not happened for so many minutes is forgotten, whether or not anything was sent.
  private static let quietMinutesMax = 60

  private var entries: [Key: Entry] = [:]

  var isEmpty: Bool { entries.isEmpty }

  /// Notes a failure; the line about it, if it is the first.
  mutating func failed(_ app: String, _ failure: SendError) -> Line? {
    var key = Key(app: app, code: failure.code.rawValue, reason: failure.message)
    if entries.count >= Self.entriesMax, entries[key] == nil {
      key = Key(app: key.app, code: key.code, reason: "")
    }
    guard entries[key] == nil else {
      entries[key]?.total += 1
      entries[key]?.recent += 1
      entries[key]?.hasSentSince = false
      return nil
    }
    entries[key] = Entry(failure: failure)
    return .began(failure)
  }

  /// FCM accepted a message of the app.
  mutating func sent(_ app: String) {
    for key in entries.keys where key.app == app { entries[key]?.hasSentSince = true }
  }

  /// A minute has passed: the lines to write.
  mutating func minutePassed() -> [(app: String, line: Line)] {
    var lines: [(app: String, line: Line)] = []
    for (key, var entry) in entries {
      if entry.recent > 0 {
        lines.append((key.app, .goesOn(entry.failure, count: entry.recent)))
        (entry.recent, entry.quietMinutes) = (0, 0)
        entries[key] = entry
      } else if entry.hasSentSince {
        lines.append((key.app, .ended(entry.failure, count: entry.total)))
        entries[key] = nil
      } else {
        entry.quietMinutes += 1
        entries[key] = entry.quietMinutes < Self.quietMinutesMax ? entry : nil
      }
    }
    return lines
  }
}
