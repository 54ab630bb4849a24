internal import FCMMessage
internal import FoundationEssentials
internal import JSON

/// The newest accepted messages, at most `EmulatorLimits.inboxMessagesMax`.
struct MessageInbox {
  struct Entry: Sendable {
    let name: String
    let project: String
    /// Seconds since 1970.
    let receivedAt: Double
    let target: Target?
    /// FCM's `Message` as compact JSON.
    let message: [UInt8]
  }

  /// A ring buffer; once it is full, `next` is the index of the oldest entry.
  private var entries: [Entry] = []
  private var next = 0

  var count: Int { entries.count }

  mutating func add(_ entry: Entry) {
    if entries.count < EmulatorLimits.inboxMessagesMax {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % entries.count
    }
  }

  mutating func removeAll() {
    entries = []
    next = 0
  }

  /// The entries, newest first.
  var newestFirst: [Entry] { entries[..<next].reversed() + entries[next...].reversed() }
}

/// A filter of entries.
struct MessageInboxFilter {
  /// A registration token or a Firebase installation id.
  var token: String?
  var topic: String?

  func matches(_ entry: MessageInbox.Entry) -> Bool {
    switch entry.target {
    case .token(let value), .fid(let value):
      topic == nil && (token.map { $0.hasSameBytes(as: value) } ?? true)
    case .topic(let value): token == nil && (topic.map { $0.hasSameBytes(as: value) } ?? true)
    case .condition, nil: token == nil && topic == nil
    }
  }
}

extension MessageInbox.Entry {
  func appendJSON(to writer: inout JSONWriter) {
    let time = Date(timeIntervalSince1970: receivedAt)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    writer.appendRaw("{\"name\":")
    writer.append(name)
    writer.appendRaw(",\"project\":")
    writer.append(project)
    writer.appendRaw(",\"received_at\":")
    writer.append(time)
    writer.appendRaw(",\"message\":")
    writer.appendRaw(message)
    writer.appendRaw("}")
  }
}
