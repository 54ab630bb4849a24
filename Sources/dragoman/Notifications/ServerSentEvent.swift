import JSON

/// An event of a stream (WHATWG HTML §9.2).
struct ServerSentEvent: Sendable, Equatable {
  let id: String
  let name: String
  let data: String

  /// The data as JSON; `.null` if it is none.
  var json: JSON { (try? JSON.parse(data)) ?? .null }
}

/// Splits a stream into its events.
struct ServerSentEventParser: Sendable {
  /// The largest event that is read: a notification with 1,000 targets has about 300 kB.
  static let eventBytesMax = 4 << 20

  private var line: [UInt8] = []
  private var bytesOfEvent = 0
  private var endsWithReturn = false
  private var id = ""
  private var name = ""
  private var data: [String] = []

  /// The events that are complete with these bytes; nil once one is too large.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [ServerSentEvent]? {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      let wasReturn = endsWithReturn
      endsWithReturn = byte == 0x0D
      switch byte {
      case 0x0A where wasReturn: continue
      case 0x0A, 0x0D:
        if let event = endLine() { events.append(event) }
      default:
        bytesOfEvent += 1
        guard bytesOfEvent <= Self.eventBytesMax else { return nil }
        line.append(byte)
      }
    }
    return events
  }

  private mutating func endLine() -> ServerSentEvent? {
    let text = String(decoding: line, as: UTF8.self)
    line.removeAll(keepingCapacity: true)
    guard !text.isEmpty else { return endEvent() }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count > 1 ? String(parts[1]) : ""
    if value.hasPrefix(" ") { value.removeFirst() }
    switch parts[0] {
    case "id": id = value
    case "event": name = value
    case "data": data.append(value)
    // A comment, or a field that is of no use here.
    default: break
    }
    return nil
  }

  private mutating func endEvent() -> ServerSentEvent? {
    defer { (name, data, bytesOfEvent) = ("", [], 0) }
    guard !data.isEmpty else { return nil }
    return ServerSentEvent(id: id, name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"))
  }
}
