internal import COpenSSL

/// The outcome of one attempt to move bytes through a socket.
enum TransferOutcome: Equatable {
  /// The number of bytes moved, at least one.
  case moved(Int)
  case waitsToRead
  case waitsToWrite
  /// The client has closed its side.
  case ended
  case failed
}

/// One connection's TLS over its non-blocking socket. Used on its loop only.
final class TLSSession {
  enum Handshake: Equatable { case done, waitsToRead, waitsToWrite, failed }

  private let ssl: OpaquePointer
  /// After a fatal error, no further OpenSSL call is allowed.
  private var isBroken = false
  private var isEstablished = false

  // Guard: OpenSSL never changes a method once it is set up.
  private nonisolated(unsafe) static let method = dragoman_socket_method()
  /// A longer subject is cut.
  private static let subjectBytesMax = 1024

  init?(context: OpaquePointer, descriptor: Int32) {
    guard let method = Self.method, let ssl = SSL_new(context) else { return nil }
    guard let bio = dragoman_socket_bio(method, descriptor) else {
      SSL_free(ssl)
      return nil
    }
    SSL_set_bio(ssl, bio, bio)
    SSL_set_accept_state(ssl)
    self.ssl = ssl
  }

  deinit { SSL_free(ssl) }

  /// Continues the handshake as far as the socket allows; sends an alert if it fails.
  func handshake() -> Handshake {
    ERR_clear_error()
    let result = SSL_do_handshake(ssl)
    guard result != 1 else {
      isEstablished = true
      return .done
    }
    switch outcome(of: result) {
    case .waitsToRead: return .waitsToRead
    case .waitsToWrite: return .waitsToWrite
    case .moved, .ended, .failed: return .failed
    }
  }

  /// Reads at most one record. `space` has room for the largest (16,384 bytes), so that nothing stays behind
  /// in OpenSSL of which epoll would not tell.
  func read(into space: UnsafeMutableBufferPointer<UInt8>) -> TransferOutcome {
    guard !isBroken else { return .failed }
    ERR_clear_error()
    let count = SSL_read(ssl, space.baseAddress, Int32(clamping: space.count))
    return count > 0 ? .moved(Int(count)) : outcome(of: count)
  }

  /// Writes some of `bytes`; after `waits…` the same bytes must come first again.
  func write(_ bytes: UnsafeRawBufferPointer) -> TransferOutcome {
    guard !isBroken else { return .failed }
    ERR_clear_error()
    let count = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
    return count > 0 ? .moved(Int(count)) : outcome(of: count)
  }

  /// Sends `close_notify`; false if the socket has no room for it now.
  func sendEnd() -> Bool {
    guard isEstablished, !isBroken, SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 else { return true }
    ERR_clear_error()
    let result = SSL_shutdown(ssl)
    return result >= 0 || outcome(of: result) != .waitsToWrite
  }

  /// The subject of the client's certificate, which was checked; nil without one.
  var peerSubject: String? {
    guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
    defer { X509_free(certificate) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.subjectBytesMax) { text in
      // Guard: the function writes a NUL within the count.
      let count = dragoman_certificate_subject(certificate, text.baseAddress, Int32(text.count))
      return String(decoding: UnsafeRawBufferPointer(text).prefix(Int(count)), as: UTF8.self)
    }
  }

  private func outcome(of result: Int32) -> TransferOutcome {
    switch SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .waitsToRead
    case SSL_ERROR_WANT_WRITE: return .waitsToWrite
    case SSL_ERROR_ZERO_RETURN: return .ended
    default:
      isBroken = true
      return .failed
    }
  }
}
