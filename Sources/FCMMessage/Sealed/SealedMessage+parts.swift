internal import JSON

/// The messages of one notification to topics by language, which the queue keeps in one row. What several of
/// them have in common stands there once, as a frame: a message with a placeholder for each text in which
/// they differ.
///
/// The stored form is a version byte, then frames and topics. A frame is 0 and its own stored form. A topic
/// is the number of its frame, from 1, its name and its texts, escaped for JSON, in the order of the frame's
/// placeholders. Lengths precede what they count, and numbers are in LEB128.
extension SealedMessage {
  /// The message of one topic.
  struct Part: Sendable, Equatable {
    let topic: String
    /// The index of its frame.
    let frame: Int
    /// Where its texts are in the stored form.
    let texts: Range<Int>
  }

  static let partsVersion: UInt8 = 3

  /// Puts the messages of several topics together.
  package struct ByTopic: Sendable {
    private var encoded = [SealedMessage.partsVersion]
    private var frames: [SealedMessage] = []
    private var parts: [Part] = []

    package init() {}

    /// Adds what the messages of some topics have in common, which has no parts itself; returns its index.
    package mutating func add(frame: SealedMessage) -> Int {
      frames.append(frame)
      encoded.append(leb128: 0)
      encoded.append(leb128: frame.encoded.count)
      encoded += frame.encoded
      return frames.count - 1
    }

    /// Adds a topic with the texts of its message; returns the size that counts against FCM's limit.
    package mutating func add(_ topic: String, frame: Int, texts: [String] = []) -> Int {
      encoded.append(leb128: frame + 1)
      encoded.append(leb128: topic.utf8.count)
      encoded += topic.utf8
      let start = encoded.count
      var byteCount = frames[frame].byteCount(to: .topic(topic))
      for text in texts {
        let count = text.jsonEscapedByteCount
        byteCount += count
        encoded.append(leb128: count)
        encoded.appendJSONEscaped(text)
      }
      parts.append(Part(topic: topic, frame: frame, texts: start..<encoded.count))
      return byteCount
    }

    /// All messages as one; nil without any.
    package var message: SealedMessage? {
      parts.isEmpty ? nil : SealedMessage(encoded, [], frames, parts)
    }
  }

  /// Whether it is another message for each topic.
  package var hasParts: Bool { !parts.isEmpty }

  /// The message that a target gets, without the others: that of its topic, or of the first topic for a
  /// target that has none of its own.
  package func part(for target: Target?) -> SealedMessage {
    guard let first = parts.first else { return self }
    guard case .topic(let name)? = target else { return message(of: first) }
    return message(of: parts.first { $0.topic.hasSameBytes(as: name) } ?? first)
  }

  private func message(of part: Part) -> SealedMessage {
    let frame = frames[part.frame]
    var texts = encoded[part.texts]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(frame.encoded.count + texts.count)
    var placeholders: [Placeholder] = []
    placeholders.reserveCapacity(frame.placeholders.count)
    let first = frame.bytes.startIndex
    var start = first
    for placeholder in frame.placeholders {
      bytes += frame.encoded[start..<(first + placeholder.offset)]
      start = first + placeholder.offset
      if placeholder.kind == .text {
        bytes += texts.takeCounted() ?? []
      } else {
        placeholders.append(Placeholder(offset: bytes.count, kind: placeholder.kind))
      }
    }
    return SealedMessage(bytes: bytes + frame.encoded[start...], placeholders: placeholders)
  }

  /// What is in a stored form; nil for anything else.
  static func parts(in encoded: [UInt8]) -> (frames: [SealedMessage], parts: [Part])? {
    var (frames, parts): ([SealedMessage], [Part]) = ([], [])
    var rest = encoded.dropFirst()
    while !rest.isEmpty {
      guard let number = rest.takeLEB128(), let counted = rest.takeCounted() else { return nil }
      if number == 0 {
        guard counted.first != partsVersion, let frame = SealedMessage(encoded: Array(counted)) else {
          return nil
        }
        frames.append(frame)
        continue
      }
      guard number <= frames.count else { return nil }
      let start = rest.startIndex
      for placeholder in frames[number - 1].placeholders where placeholder.kind == .text {
        guard rest.takeCounted() != nil else { return nil }
      }
      parts.append(
        Part(
          topic: String(decoding: counted, as: UTF8.self), frame: number - 1, texts: start..<rest.startIndex))
    }
    return parts.isEmpty ? nil : (frames, parts)
  }
}

extension [UInt8] {
  fileprivate mutating func append(leb128 number: Int) {
    var rest = UInt(clamping: number)
    while rest > 0x7F {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}

extension ArraySlice<UInt8> {
  /// Nil for anything but a number of at most 28 bits.
  fileprivate mutating func takeLEB128() -> Int? {
    var (number, shift) = (0, 0)
    while shift < 28, let byte = popFirst() {
      number |= Int(byte & 0x7F) << shift
      if byte <= 0x7F { return number }
      shift += 7
    }
    return nil
  }

  /// The bytes after their count; nil if there are fewer.
  fileprivate mutating func takeCounted() -> ArraySlice<UInt8>? {
    guard let count = takeLEB128(), count <= self.count else { return nil }
    defer { removeFirst(count) }
    return prefix(count)
  }
}
