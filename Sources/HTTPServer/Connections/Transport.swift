internal import Glibc

/// The bytes of one socket: plain, or through TLS.
struct Transport {
  /// The outcome of one step of the handshake.
  enum Opening: Equatable {
    case done
    case waits
    /// The client speaks plain HTTP to a TLS port; from now on the transport is plain, for the answer.
    case plainHTTP
    /// The alert is sent; nothing else can be sent.
    case failed
    /// The client has closed the connection.
    case ended
  }

  private enum State {
    case plain
    /// TLS is expected, and nothing has arrived yet. Then `handshaking` or `plain`.
    case silent(TLSIdentity)
    /// Then `secure`, or the connection ends.
    case handshaking(TLSSession)
    case secure(TLSSession)
  }

  let descriptor: Int32
  private var state: State
  /// The next step must write before it can read.
  private(set) var waitsToWrite = false

  init(descriptor: Int32, identity: TLSIdentity?) {
    self.descriptor = descriptor
    state = identity.map { .silent($0) } ?? .plain
  }

  /// Whether a handshake is still to be finished before anything is received.
  var isOpening: Bool {
    switch state {
    case .silent, .handshaking: true
    case .plain, .secure: false
    }
  }

  /// The subject of the client's certificate.
  var peerSubject: String? {
    guard case .secure(let session) = state else { return nil }
    return session.peerSubject
  }

  /// Continues the handshake.
  mutating func open() -> Opening {
    switch state {
    case .plain, .secure: return .done
    case .silent(let identity): return begin(identity)
    case .handshaking(let session): return go(on: session)
    }
  }

  private mutating func begin(_ identity: TLSIdentity) -> Opening {
    var first: UInt8 = 0
    let count = recv(descriptor, &first, 1, Int32(MSG_PEEK))
    guard count > 0 else {
      return count < 0 && (errno == EAGAIN || errno == EINTR) ? .waits : .ended
    }
    // No TLS record starts with a byte that a method can start with (RFC 8446 §5.1).
    guard !ASCII.isTokenByte(first) else {
      state = .plain
      return .plainHTTP
    }
    guard let session = identity.session(descriptor: descriptor) else { return .ended }
    state = .handshaking(session)
    return go(on: session)
  }

  private mutating func go(on session: TLSSession) -> Opening {
    waitsToWrite = false
    switch session.handshake() {
    case .done:
      state = .secure(session)
      return .done
    case .waitsToRead: return .waits
    case .waitsToWrite:
      waitsToWrite = true
      return .waits
    case .failed:
      // Further input is discarded without decryption.
      state = .plain
      return .failed
    }
  }

  /// Reads the available bytes into `space`, which has room for at least 16,384 bytes.
  mutating func receive(into space: UnsafeMutableBufferPointer<UInt8>) -> TransferOutcome {
    guard case .secure(let session) = state else { return receiveRaw(into: space) }
    let outcome = session.read(into: space)
    waitsToWrite = outcome == .waitsToWrite
    return outcome
  }

  /// Reads bytes as they are on the wire, to discard them.
  func receiveRaw(into space: UnsafeMutableBufferPointer<UInt8>) -> TransferOutcome {
    let count = recv(descriptor, space.baseAddress, space.count, 0)
    if count > 0 { return .moved(count) }
    if count == 0 { return .ended }
    return errno == EAGAIN || errno == EINTR ? .waitsToRead : .failed
  }

  /// Writes some of `bytes`, which are not empty; after `waitsToWrite`, the next call must repeat them first.
  func send(_ bytes: UnsafeRawBufferPointer) -> TransferOutcome {
    if case .secure(let session) = state {
      let outcome = session.write(bytes)
      // Only a renegotiation would need to read before it writes, and none is allowed.
      return outcome == .waitsToRead ? .failed : outcome
    }
    while true {
      let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return .moved(count) }
      if errno == EAGAIN { return .waitsToWrite }
      guard errno == EINTR else { return .failed }
    }
  }

  /// Sends TLS's `close_notify`; false while the socket has no room for it.
  func sendEnd() -> Bool {
    guard case .secure(let session) = state else { return true }
    return session.sendEnd()
  }
}
