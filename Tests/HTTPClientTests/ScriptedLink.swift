@testable import HTTPClient
import Synchronization

/// A link whose other end is the test: it sends frames by hand (RFC 9113 §4.1, §6) and reads the client's.
///
/// Guard: only the thread of its test uses it.
final class ScriptedLink: ByteLink, @unchecked Sendable {
  struct Frame: Equatable {
    var type: UInt8
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload: [UInt8] = []
  }

  static let data: UInt8 = 0
  static let headers: UInt8 = 1
  static let reset: UInt8 = 3
  static let settings: UInt8 = 4
  static let goAway: UInt8 = 7
  static let refusedStream: UInt32 = 7
  static let http11Required: UInt32 = 13

  let socket: Int32 = -1
  /// How many bytes the socket accepts at a time.
  var sendMax = Int.max
  /// How many bytes arrive at a time.
  var receiveMax = Int.max
  private var incoming: [UInt8] = []
  private var outgoing: [UInt8] = []
  private var end: String?
  private var hasPreface = false

  /// Bytes of a TLS record whose rest has not come: buffered, but not to be read.
  var hasPartialRecord = false

  var hasReadAhead: Bool { !incoming.isEmpty || hasPartialRecord }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> LinkInput {
    guard !incoming.isEmpty else { return end.map { .ended($0) } ?? .nothingYet }
    let count = min(buffer.count, incoming.count, receiveMax)
    buffer.copyBytes(from: incoming[..<count])
    incoming.removeFirst(count)
    return .bytes(count)
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> Result<Int, TransportError> {
    let count = min(bytes.count, sendMax)
    outgoing += bytes[..<count]
    return .success(count)
  }

  // MARK: The peer

  func push(_ frame: Frame) {
    let count = UInt32(frame.payload.count)
    incoming += [
      UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), frame.type, frame.flags,
    ]
    incoming += Self.bytes(frame.stream) + frame.payload
  }

  func close(_ words: String = "closed") { end = words }

  func saySettings(streamsMax: UInt32? = nil) {
    push(Frame(type: Self.settings, payload: streamsMax.map { [0, 3] + Self.bytes($0) } ?? []))
  }

  func sayGoAway(last: UInt32, code: UInt32 = 0) {
    push(Frame(type: Self.goAway, payload: Self.bytes(last) + Self.bytes(code)))
  }

  func sayReset(_ stream: UInt32, _ code: UInt32) {
    push(Frame(type: Self.reset, stream: stream, payload: Self.bytes(code)))
  }

  /// Fields without any compression (RFC 7541 §6.2.2).
  func sayHeaders(_ stream: UInt32, _ fields: [(String, String)], ends: Bool = false) {
    var block: [UInt8] = []
    for (name, value) in fields {
      block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
      block += [UInt8(value.utf8.count)] + Array(value.utf8)
    }
    push(Frame(type: Self.headers, flags: ends ? 5 : 4, stream: stream, payload: block))
  }

  func sayBody(_ stream: UInt32, _ body: String, ends: Bool = true) {
    push(Frame(type: Self.data, flags: ends ? 1 : 0, stream: stream, payload: Array(body.utf8)))
  }

  func answer(_ stream: UInt32, _ body: String = "{}") {
    sayHeaders(stream, [(":status", "200")])
    sayBody(stream, body)
  }

  /// The frames that the client has sent since the last call, without acknowledgements.
  func heard() -> [Frame] {
    if !hasPreface, outgoing.count >= 24 {
      outgoing.removeFirst(24)
      hasPreface = true
    }
    var frames: [Frame] = []
    while hasPreface, outgoing.count >= 9 {
      let count = Int(outgoing[0]) << 16 | Int(outgoing[1]) << 8 | Int(outgoing[2])
      guard outgoing.count >= 9 + count else { break }
      let stream = outgoing[5..<9].reduce(0) { $0 << 8 | UInt32($1) }
      frames.append(
        Frame(
          type: outgoing[3], flags: outgoing[4], stream: stream, payload: Array(outgoing[9..<(9 + count)])))
      outgoing.removeFirst(9 + count)
    }
    return frames.filter { $0.type != Self.settings }
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(number >> $0 & 255) }
  }
}
