internal import JSON

/// Writes server-sent events (WHATWG HTML §9.2).
struct EventFrames: Sendable {
  /// What an idle stream sends: a comment.
  static let idle = Array(":\n\n".utf8)
  /// How long a browser waits before it connects again.
  static let retry = Array("retry: 1000\n\n".utf8)

  private(set) var bytes: [UInt8] = []

  var isEmpty: Bool { bytes.isEmpty }

  /// One event; `data` is JSON, which has no line breaks.
  static func one(_ id: EventID, _ name: StaticString, data: [UInt8]) -> [UInt8] {
    var frames = EventFrames()
    frames.append(id, name, data: data)
    return frames.bytes
  }

  /// `data` is JSON, which has no line breaks.
  mutating func append(_ id: EventID, _ name: StaticString, data: [UInt8]) {
    bytes.append(contentsOf: "id: \(id)\nevent: \(name)\ndata: ".utf8)
    bytes.append(contentsOf: data)
    bytes.append(contentsOf: "\n\n".utf8)
  }

  mutating func append(raw: [UInt8]) { bytes.append(contentsOf: raw) }
}
