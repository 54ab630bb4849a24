internal import JSON

/// One FCM message as bytes, complete except for what is known only when it is sent: its target, its identity
/// on the device, and what is left of its ttl.
///
/// The bytes are the members of FCM's `Message` object as compact JSON, without the surrounding braces and
/// without a target. A placeholder marks each offset at which one of the other values is inserted. All
/// targets of a notification share one sealed message, which for topics by language has a part for each.
package struct SealedMessage: Sendable, Equatable {
  /// A position at which a value is inserted on sending. Quotes around it, where it needs any, are among the
  /// bytes.
  package struct Placeholder: Sendable, Equatable {
    /// Which value is inserted; the raw value is part of the stored form.
    package enum Kind: UInt8, Sendable, CaseIterable {
      /// The delivery's id: `android.notification.tag` and `apns-collapse-id`.
      case deliveryID = 1
      /// Whole seconds left of the ttl, in digits (`android.ttl` and webpush `TTL`; the bytes hold the `s`).
      case ttlSeconds = 2
      /// UNIX seconds at which the message expires, in digits (`apns-expiration`).
      case expiration = 3
      /// UNIX seconds from which the content of a Live Activity counts, in digits (`timestamp` in `aps`).
      case activityTimestamp = 4
      /// One of the texts in which the messages of several topics differ; only in what they have in common.
      case text = 5
    }

    /// Byte offset at which the value is inserted.
    package let offset: Int
    package let kind: Kind

    package init(offset: Int, kind: Kind) {
      self.offset = offset
      self.kind = kind
    }
  }

  /// The message as the queue stores it: that of its `parts`, or a version byte, the number of placeholders
  /// (one byte), each placeholder's kind (one byte) and offset (four, little-endian), then the bytes.
  package let encoded: [UInt8]
  /// In ascending order of `offset`.
  package let placeholders: [Placeholder]
  /// The messages of topics by language; empty if all targets have the same.
  let parts: [Part]
  /// What several of them have in common.
  let frames: [SealedMessage]

  package var bytes: ArraySlice<UInt8> { encoded[Self.headerBytes(placeholders.count)...] }

  /// `placeholders` are at most 255.
  package init(bytes: [UInt8], placeholders: [Placeholder]) {
    let placeholders = Array(placeholders.prefix(Int(UInt8.max)))
    var encoded: [UInt8] = []
    encoded.reserveCapacity(Self.headerBytes(placeholders.count) + bytes.count)
    encoded.append(1)
    encoded.append(UInt8(clamping: placeholders.count))
    for placeholder in placeholders {
      encoded.append(placeholder.kind.rawValue)
      withUnsafeBytes(of: UInt32(clamping: placeholder.offset).littleEndian) {
        encoded.append(contentsOf: $0)
      }
    }
    encoded.append(contentsOf: bytes)
    self.init(encoded, placeholders)
  }

  /// What follows is what `encoded` contains.
  init(
    _ encoded: [UInt8], _ placeholders: [Placeholder], _ frames: [SealedMessage] = [], _ parts: [Part] = []
  ) {
    (self.encoded, self.placeholders, self.frames, self.parts) = (encoded, placeholders, frames, parts)
  }

  private static func headerBytes(_ placeholderCount: Int) -> Int { 2 + 5 * placeholderCount }

  /// The values of the placeholders at one attempt.
  package struct PlaceholderValues: Sendable {
    package let deliveryID: String
    package let ttlSeconds: Int
    package let expiration: Int
    /// Only a message to a Live Activity has a place for it.
    package let activityTimestamp: Int64

    package init(deliveryID: String, ttlSeconds: Int, expiration: Int, activityTimestamp: Int64 = 0) {
      self.deliveryID = deliveryID
      self.ttlSeconds = ttlSeconds
      self.expiration = expiration
      self.activityTimestamp = activityTimestamp
    }

    /// Values for a message that is only shown or checked: an id of zeros and times in 2027.
    package static func example(ttlSeconds: Int) -> PlaceholderValues {
      PlaceholderValues(
        deliveryID: "00000000-0000-7000-8000-000000000000", ttlSeconds: ttlSeconds, expiration: 1_800_000_000,
        activityTimestamp: 1_799_996_400)
    }
  }

  /// FCM's limit for one message, in bytes of `message` as compact UTF-8 JSON.
  package static let byteCountMax = 4096

  /// FCM's `Message` object for one target, as compact UTF-8 JSON. O(bytes).
  package func message(to target: Target?, values: PlaceholderValues) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + 512)
    appendMessage(to: target, values: values, into: &output)
    return output
  }

  /// The body of one `messages:send` request (`SendMessageRequest`). O(bytes).
  package func sendRequestBody(
    to target: Target, values: PlaceholderValues, validateOnly: Bool = false
  ) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + 512)
    if validateOnly {
      output.append(contentsOf: "{\"validate_only\":true,\"message\":".utf8)
    } else {
      output.append(contentsOf: "{\"message\":".utf8)
    }
    appendMessage(to: target, values: values, into: &output)
    output.append(UInt8(ascii: "}"))
    return output
  }

  /// The most bytes that `message(to:values:)` can have, with a ttl of 7 digits, times of 10 and an id of 36
  /// characters. O(placeholders + target); the message is not assembled.
  package func byteCount(to target: Target?) -> Int {
    if !parts.isEmpty { return part(for: target).byteCount(to: target) }
    let inserted = placeholders.reduce(0) { sum, placeholder in
      switch placeholder.kind {
      case .deliveryID: sum + 36
      case .ttlSeconds: sum + 7
      case .expiration, .activityTimestamp: sum + 10
      case .text: sum
      }
    }
    var count = bytes.count + inserted + 2
    if let target {
      count += target.field.utf8.count + 5 + target.value.jsonEscapedByteCount
      if !bytes.isEmpty { count += 1 }
    }
    return count
  }

  private func appendMessage(to target: Target?, values: PlaceholderValues, into output: inout [UInt8]) {
    if !parts.isEmpty { return part(for: target).appendMessage(to: target, values: values, into: &output) }
    output.append(UInt8(ascii: "{"))
    if let target {
      output.appendJSONString(target.field)
      output.append(UInt8(ascii: ":"))
      output.appendJSONString(target.value)
      if !bytes.isEmpty { output.append(UInt8(ascii: ",")) }
    }
    let first = Self.headerBytes(placeholders.count)
    let text = encoded.span
    var start = first
    for placeholder in placeholders {
      let end = first + placeholder.offset
      text.extracting(start..<end).withUnsafeBufferPointer { output.append(contentsOf: $0) }
      switch placeholder.kind {
      case .deliveryID: output.append(contentsOf: values.deliveryID.utf8)
      case .ttlSeconds: output.append(decimal: values.ttlSeconds)
      case .expiration: output.append(decimal: values.expiration)
      case .activityTimestamp: output.append(decimal: Int(values.activityTimestamp))
      case .text: break
      }
      start = end
    }
    text.extracting(start...).withUnsafeBufferPointer { output.append(contentsOf: $0) }
    output.append(UInt8(ascii: "}"))
  }
}

extension SealedMessage {
  /// The message that has this stored form; nil for anything else.
  package init?(encoded: [UInt8]) {
    if encoded.first == Self.partsVersion {
      guard let (frames, parts) = Self.parts(in: encoded) else { return nil }
      self.init(encoded, [], frames, parts)
      return
    }
    guard encoded.count >= 2, encoded[0] == 1 else { return nil }
    let count = Int(encoded[1])
    guard encoded.count >= Self.headerBytes(count) else { return nil }
    let byteCount = encoded.count - Self.headerBytes(count)
    var placeholders: [Placeholder] = []
    placeholders.reserveCapacity(count)
    var previous = 0
    for index in 0..<count {
      let at = Self.headerBytes(index)
      guard let kind = Placeholder.Kind(rawValue: encoded[at]) else { return nil }
      let offset = (1...4).reduce(0) { $0 | Int(encoded[at + $1]) << (8 * ($1 - 1)) }
      guard offset >= previous, offset <= byteCount else { return nil }
      previous = offset
      placeholders.append(Placeholder(offset: offset, kind: kind))
    }
    self.init(encoded, placeholders)
  }
}

extension String {
  /// The number of bytes that `appendJSONEscaped` writes for this text.
  package var jsonEscapedByteCount: Int {
    var text = self
    return text.withUTF8 { utf8 in
      var count = utf8.count
      for byte in utf8[utf8.firstEscape()...] {
        switch byte {
        case 0x08, 0x09, 0x0A, 0x0C, 0x0D, UInt8(ascii: "\""), UInt8(ascii: "\\"): count += 1
        case 0..<0x20: count += 5
        default: break
        }
      }
      return count
    }
  }
}
