/// The messages of one notification to topics by language: each in the stored form of its own, one after the
/// other, so that the queue keeps them in one row.
///
/// The stored form is a version byte, then for each part the length of its topic (four bytes, little-endian),
/// the topic, the length of its message and the message.
extension SealedMessage {
  /// One of several messages.
  struct Part: Sendable, Equatable {
    let topic: String
    /// Where its own stored form is.
    let place: Range<Int>
  }

  static let partsVersion: UInt8 = 3

  /// A message that is another one for each topic. There is at least one, and none has parts.
  package init(byTopic messages: [(topic: String, message: SealedMessage)]) {
    var encoded = [Self.partsVersion]
    var parts: [Part] = []
    for (topic, message) in messages {
      for bytes in [Array(topic.utf8), message.encoded] {
        withUnsafeBytes(of: UInt32(clamping: bytes.count).littleEndian) { encoded.append(contentsOf: $0) }
        encoded.append(contentsOf: bytes)
      }
      parts.append(
        Part(topic: topic, place: (encoded.count - message.encoded.count)..<encoded.count))
    }
    self.init(encodedParts: encoded, parts)
  }

  /// Whether it is another message for each topic.
  package var hasParts: Bool { !parts.isEmpty }

  /// The message that a target gets, without the others: that of its topic, or of the first topic for a
  /// target that has none of its own.
  package func part(for target: Target?) -> SealedMessage {
    guard let part = parts.first(where: { .topic($0.topic) == target }) ?? parts.first else { return self }
    return SealedMessage(encoded: Array(encoded[part.place])) ?? self
  }

  /// The parts of a stored form; nil for anything else.
  static func parts(in encoded: [UInt8]) -> [Part]? {
    var parts: [Part] = []
    var rest = encoded.dropFirst()
    while !rest.isEmpty {
      guard let topic = takeCounted(from: &rest), let message = takeCounted(from: &rest),
        message.first != partsVersion, SealedMessage(encoded: Array(message)) != nil
      else { return nil }
      parts.append(
        Part(topic: String(decoding: topic, as: UTF8.self), place: message.startIndex..<message.endIndex))
    }
    return parts.isEmpty ? nil : parts
  }

  /// The bytes after a length; nil if there are fewer.
  private static func takeCounted(from rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard rest.count >= 4 else { return nil }
    let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    guard rest.count - 4 >= count else { return nil }
    let bytes = rest.dropFirst(4).prefix(count)
    rest = rest.dropFirst(4 + count)
    return bytes
  }
}
