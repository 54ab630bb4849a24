internal import Clock
internal import FCMMessage
internal import Glibc
internal import JSON
internal import Synchronization

/// The patterns of an app's valid messages, by which further ones like them are accepted without a check.
///
/// A pattern is found by the outline of a request and by the values on which the rules depend. It is
/// remembered when it occurs for the second time, so that messages of which no two are alike drive out no
/// others.
final class KnownMessages: Sendable {
  private final class Known: Sendable {
    let pattern: RawMessagePattern
    /// Nil if nobody looks for findings.
    let note: RawFindings.Note?

    init(_ pattern: RawMessagePattern, note: RawFindings.Note?) {
      (self.pattern, self.note) = (pattern, note)
    }
  }

  /// A request whose pattern is not known.
  struct Unknown: Sendable {
    fileprivate let request: JSONOutline
    fileprivate let occurredBefore: Bool
  }

  enum Match {
    case known(RawMessage, note: RawFindings.Note?)
    case unknown(Unknown)
  }

  /// The requests with one outline.
  private struct Outline: Sendable {
    let number: Int
    /// The values on which the rules depend.
    let exact: [Int]
  }

  private struct State: Sendable {
    var outlines: [ByteKey: Outline] = [:]
    /// The number of the last outline: none gets that of one that was forgotten.
    var lastNumber = 0
    var patterns: [ByteKey: Known] = [:]
    /// Hashes of what occurred once, each at a place that depends on it.
    var occurred = [Int](repeating: 0, count: KnownMessages.occurredCount)
  }

  /// The patterns and outlines that are kept before all are forgotten: they come from outside.
  static let countMax = 1_024
  private static let occurredCount = 1_024
  /// A larger request is no message that FCM accepts.
  private static let requestBytesMax = 8_192

  private let state = Mutex(State())

  /// The number of patterns.
  var count: Int { state.withLock(\.patterns.count) }

  /// The message of a request that is like one before; nil for a request that cannot be.
  func match(_ body: [UInt8], now: Timestamp, maxAgeMilliseconds: Int64) -> Match? {
    guard body.count <= Self.requestBytesMax, let request = JSONOutline(body) else { return nil }
    let shape = ByteKey(request.bytes)
    guard let outline = state.withLock({ $0.outlines[shape] }) else {
      return .unknown(Unknown(request: request, occurredBefore: occurredBefore(shape)))
    }
    let key = Self.key(of: request, outline)
    guard let known = state.withLock({ $0.patterns[key] }) else {
      return .unknown(Unknown(request: request, occurredBefore: occurredBefore(key)))
    }
    return known.pattern.message(of: request, now: now, maxAgeMilliseconds: maxAgeMilliseconds)
      .map { .known($0, note: known.note) }
  }

  /// Accepts from now on what is like a request that is valid.
  func remember(
    _ unknown: Unknown, _ body: JSON, _ message: SendMessageRequest, note: RawFindings.Note?
  ) {
    guard unknown.occurredBefore, !message.validatesOnly else { return }
    let roles = MessageValueRoles(body)
    // A member that occurs twice counts once.
    guard roles.roles.count == unknown.request.values.count,
      let pattern = RawMessagePattern(message, roles)
    else { return }
    let shape = ByteKey(unknown.request.bytes)
    state.withLock { state in
      if max(state.patterns.count, state.outlines.count) >= Self.countMax {
        state.patterns.removeAll(keepingCapacity: true)
        state.outlines.removeAll(keepingCapacity: true)
      }
      if state.outlines[shape] == nil { state.lastNumber += 1 }
      let outline = state.outlines[shape] ?? Outline(number: state.lastNumber, exact: roles.exact)
      state.outlines[shape] = outline
      state.patterns[Self.key(of: unknown.request, outline)] = Known(pattern, note: note)
    }
  }

  /// The outline's number and the values on which the rules depend.
  private static func key(of request: JSONOutline, _ outline: Outline) -> ByteKey {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    withUnsafeBytes(of: outline.number) { bytes.append(contentsOf: $0) }
    for index in outline.exact {
      bytes.append(contentsOf: request.text[request.values[index].range])
      // No value contains it.
      bytes.append(0)
    }
    return ByteKey(bytes)
  }

  private func occurredBefore(_ key: ByteKey) -> Bool {
    let hash = key.hashValue
    return state.withLock { state in
      let place = hash & (Self.occurredCount - 1)
      defer { state.occurred[place] = hash }
      return state.occurred[place] == hash
    }
  }
}

/// Bytes as a dictionary's key.
private struct ByteKey: Hashable, Sendable {
  private let bytes: [UInt8]
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func == (left: Self, right: Self) -> Bool {
    let count = left.bytes.count
    guard count == right.bytes.count else { return false }
    return left.bytes.withUnsafeBytes { left in
      right.bytes.withUnsafeBytes { right in
        // Guard: both buffers have the same length, checked above.
        guard let left = left.baseAddress, let right = right.baseAddress else { return true }
        return memcmp(left, right, count) == 0
      }
    }
  }

  func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
}
