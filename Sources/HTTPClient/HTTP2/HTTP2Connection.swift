internal import CCurl

/// A session on its link, with the bytes between them.
///
/// Not `Sendable`: only the thread that has the transport's turn uses it.
final class HTTP2Connection {
  /// Frames are gathered up to about the size of a TLS record (RFC 8446 §5.1).
  private static let outputBytes = 16_384
  /// Records read at a time, so that one connection does not delay the others.
  private static let recordsMax = 256

  let session: HTTP2Session
  private let link: any ByteLink
  private var output: [UInt8] = []
  private var outputSent = 0
  /// Whether the bytes that the link has buffered are only a part of a TLS record, which can be read when the
  /// rest has come.
  private var isReadAheadPartial = false
  /// Why the connection has ended; nil while it is usable.
  private(set) var end: String?

  /// Nil without memory.
  init?(link: any ByteLink, limits: TransportLimits) {
    guard let session = HTTP2Session(limits: limits) else { return nil }
    self.session = session
    self.link = link
    output.reserveCapacity(2 * Self.outputBytes)
  }

  var socket: curl_socket_t { link.socket }
  var mustWrite: Bool { outputSent < output.count }
  /// Whether bytes are buffered that the socket no longer reports as readable.
  var mustRead: Bool { end == nil && link.hasReadAhead && !isReadAheadPartial }

  /// Passes what has come to the session. Whether anything came.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    var hasReceived = false
    isReadAheadPartial = false
    for _ in 0..<Self.recordsMax where end == nil {
      switch link.receive(into: buffer) {
      case .bytes(let count):
        hasReceived = true
        end = session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        if !link.hasReadAhead { return true }
      case .nothingYet:
        isReadAheadPartial = true
        return hasReceived
      case .ended(let reason): end = session.goAway.map { "GOAWAY \($0)" } ?? reason
      }
    }
    return hasReceived
  }

  /// Writes the session's frames as far as the socket takes them.
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
      case .failure(let error): end = error.detail
      }
    }
    if end == nil, session.isOver { end = session.goAway.map { "GOAWAY \($0)" } ?? "the session is over" }
  }

  /// Makes the connection unusable; nothing is written to it any more.
  func close(_ reason: String) {
    if end == nil { end = reason }
  }
}
