internal import JSON

/// One FCM message as bytes, complete but for what is known only when it is sent: its target, the identity that
/// its delivery has on the device, and what is left of its ttl.
///
/// The bytes are the members of FCM's `Message` object, compact JSON without the surrounding braces and without
/// a target; each hole stands where one of those values belongs. All targets of a notification share one.
package struct SealedMessage: Sendable, Equatable {
  /// What fills a hole. Each is inserted as it stands, inside quotes that the bytes already hold.
  package enum Hole: UInt8, Sendable, CaseIterable {
    /// The delivery's id: `android.notification.tag` and `apns-collapse-id`.
    case deliveryID = 1
    /// Whole seconds left of the ttl, in digits (`android.ttl` and webpush `TTL`; the bytes hold the `s`).
    case ttlSeconds = 2
    /// UNIX seconds at which the message expires, in digits (`apns-expiration`).
    case expiration = 3
  }

  package struct Slot: Sendable, Equatable {
    /// Byte offset at which the value is inserted.
    package let offset: Int
    package let hole: Hole
    package init(offset: Int, hole: Hole) {
      self.offset = offset
      self.hole = hole
    }
  }

  package let bytes: [UInt8]
  /// In ascending order of `offset`.
  package let slots: [Slot]

  package init(bytes: [UInt8], slots: [Slot]) {
    self.bytes = bytes
    self.slots = slots
  }

  /// What the holes are filled with at one attempt.
  package struct Filling: Sendable {
    package let deliveryID: String
    package let ttlSeconds: Int
    package let expiration: Int

    package init(deliveryID: String, ttlSeconds: Int, expiration: Int) {
      self.deliveryID = deliveryID
      self.ttlSeconds = ttlSeconds
      self.expiration = expiration
    }

    /// What a message is shown and checked with that is not sent: an id of zeros and an expiration in 2027.
    package static func example(ttlSeconds: Int) -> Filling {
      Filling(
        deliveryID: "00000000-0000-7000-8000-000000000000", ttlSeconds: ttlSeconds, expiration: 1_800_000_000)
    }
  }

  /// FCM's limit for one message, in bytes of `message` as compact UTF-8 JSON.
  package static let byteCountMax = 4096

  /// FCM's `Message` object for one target, as compact UTF-8 JSON. O(bytes).
  package func message(to target: Target?, filling: Filling) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + 512)
    appendMessage(to: target, filling: filling, into: &output)
    return output
  }

  /// The body of one `messages:send` request (`SendMessageRequest`). O(bytes).
  package func sendRequestBody(to target: Target, filling: Filling, validateOnly: Bool = false) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + 512)
    if validateOnly {
      output.append(contentsOf: "{\"validate_only\":true,\"message\":".utf8)
    } else {
      output.append(contentsOf: "{\"message\":".utf8)
    }
    appendMessage(to: target, filling: filling, into: &output)
    output.append(UInt8(ascii: "}"))
    return output
  }

  /// How many bytes `message(to:filling:)` has at the most: a whole ttl, an expiration of ten digits and a
  /// delivery id of 36 characters. Arithmetic, no assembly.
  package func byteCount(to target: Target?) -> Int {
    let holes = slots.reduce(0) { sum, slot in
      switch slot.hole {
      case .deliveryID: sum + 36
      case .ttlSeconds: sum + 7
      case .expiration: sum + 10
      }
    }
    var count = bytes.count + holes + 2
    if let target {
      count += target.field.utf8.count + 5 + target.value.jsonEscapedByteCount
      if !bytes.isEmpty { count += 1 }
    }
    return count
  }

  private func appendMessage(to target: Target?, filling: Filling, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
    if let target {
      output.appendJSONString(target.field)
      output.append(UInt8(ascii: ":"))
      output.appendJSONString(target.value)
      if !bytes.isEmpty { output.append(UInt8(ascii: ",")) }
    }
    var start = 0
    for slot in slots {
      output.append(contentsOf: bytes[start..<slot.offset])
      switch slot.hole {
      case .deliveryID: output.append(contentsOf: filling.deliveryID.utf8)
      case .ttlSeconds: output.append(contentsOf: String(filling.ttlSeconds).utf8)
      case .expiration: output.append(contentsOf: String(filling.expiration).utf8)
      }
      start = slot.offset
    }
    output.append(contentsOf: bytes[start...])
    output.append(UInt8(ascii: "}"))
  }
}

extension SealedMessage {
  /// The message as the queue keeps it: a version byte, the number of slots (one byte), each slot's hole (one
  /// byte) and offset (four, little-endian), then the bytes.
  package var encoded: [UInt8] {
    var output: [UInt8] = [1, UInt8(clamping: slots.count)]
    output.reserveCapacity(2 + 5 * slots.count + bytes.count)
    for slot in slots.prefix(Int(UInt8.max)) {
      output.append(slot.hole.rawValue)
      let offset = UInt32(clamping: slot.offset)
      for shift in [0, 8, 16, 24] as [UInt32] { output.append(UInt8(truncatingIfNeeded: offset >> shift)) }
    }
    output.append(contentsOf: bytes)
    return output
  }

  /// Reads what `encoded` wrote; nil for anything else.
  package init?(encoded: [UInt8]) {
    guard encoded.count >= 2, encoded[0] == 1 else { return nil }
    let slotCount = Int(encoded[1])
    let start = 2 + 5 * slotCount
    guard encoded.count >= start else { return nil }
    let bytes = Array(encoded[start...])
    var slots: [Slot] = []
    var previous = 0
    for index in 0..<slotCount {
      let at = 2 + 5 * index
      guard let hole = Hole(rawValue: encoded[at]) else { return nil }
      let offset = (1...4).reduce(0) { $0 | Int(encoded[at + $1]) << (8 * ($1 - 1)) }
      guard offset >= previous, offset <= bytes.count else { return nil }
      previous = offset
      slots.append(Slot(offset: offset, hole: hole))
    }
    self.init(bytes: bytes, slots: slots)
  }
}

extension String {
  /// How many bytes `appendJSONEscaped` writes for it.
  package var jsonEscapedByteCount: Int {
    var text = self
    return text.withUTF8 { utf8 in
      var count = utf8.count
      for byte in utf8 {
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
