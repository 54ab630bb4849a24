internal import CCurl

/// A session on its link, with the bytes between them.
///
/// Not `Sendable`: only the transport's thread touches it.
final class HTTP2Connection {
  /// Frames are gathered to about as much as a TLS record holds (RFC 8446 §5.1).
  private static let outputBytes = 16_384
  /// Records that are read at a time, so that one connection does not hold up the others.
  private static let recordsMax = 256

  let session: HTTP2Session
  private let link: any ByteLink
  private let openedAt: ContinuousClock.Instant
  private var output: [UInt8] = []
  private var outputSent = 0
  /// When bytes last came.
  private(set) var receivedAt: ContinuousClock.Instant
  private(set) var usedAt: ContinuousClock.Instant
  /// Nil while it is of use; else why not.
  private(set) var end: String?
  private var hasCarried = false
  private var wasGivenUp = false

  /// Nil without memory.
  init?(link: any ByteLink, limits: TransportLimits, now: ContinuousClock.Instant) {
    guard let session = HTTP2Session(limits: limits) else { return nil }
    self.session = session
    self.link = link
    openedAt = now
    receivedAt = now
    usedAt = now
    output.reserveCapacity(2 * Self.outputBytes)
  }

  var socket: curl_socket_t { link.socket }
  var mustWrite: Bool { outputSent < output.count }
  /// Whether more has come than was read, which the socket then does not tell.
  var mustRead: Bool { end == nil && link.hasReadAhead }
  /// When no new request is put on it any more.
  func expiry(_ limits: TransportLimits) -> ContinuousClock.Instant { openedAt + limits.connectionLifetime }

  func room(now: ContinuousClock.Instant, _ limits: TransportLimits) -> Int {
    end == nil && now < expiry(limits) ? session.room : 0
  }

  func begin(_ exchange: HTTP2Exchange, now: ContinuousClock.Instant) -> Bool {
    usedAt = now
    hasCarried = true
    return session.begin(exchange)
  }

  /// Reads what has come.
  func read(into buffer: UnsafeMutableRawBufferPointer, now: ContinuousClock.Instant) {
    for _ in 0..<Self.recordsMax where end == nil {
      switch link.receive(into: buffer) {
      case .bytes(let count):
        receivedAt = now
        usedAt = now
        end = session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if !link.hasReadAhead { return }
      case .nothingYet: return
      case .ended(let words): end = session.goAway.map { "GOAWAY \($0)" } ?? words
      }
    }
  }

  /// Writes what there is to be said, as far as the socket takes it.
  func write() {
    while end == nil {
      if !mustWrite {
        output.removeAll(keepingCapacity: true)
        outputSent = 0
        end = session.produce(into: &output, upTo: Self.outputBytes)
        if output.isEmpty { break }
      }
      let sent = output.withUnsafeBytes { link.send(UnsafeRawBufferPointer(rebasing: $0[outputSent...])) }
      switch sent {
      case .success(0): return
      case .success(let count): outputSent += count
      case .failure(let failure): end = failure.detail
      }
    }
    if end == nil, session.isOver { end = session.goAway.map { "GOAWAY \($0)" } ?? "the session is over" }
  }

  /// Whether the peer has ended it as soon as it was made, with nothing asked of it.
  func endedAtOnce(now: ContinuousClock.Instant, within time: Duration) -> Bool {
    end != nil && !wasGivenUp && !hasCarried && now - openedAt < time
  }

  func close(_ why: String) {
    guard end == nil else { return }
    end = why
    wasGivenUp = true
  }
}
