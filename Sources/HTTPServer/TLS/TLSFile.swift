internal import COpenSSL
internal import Glibc

/// One PEM file of a TLS configuration.
struct TLSFile: Sendable {
  /// An X.509 certificate, freed with its last reference.
  final class Certificate {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }
    deinit { X509_free(pointer) }

    /// In seconds since 1970.
    var notAfter: Int { Int(dragoman_certificate_time(X509_get0_notAfter(pointer))) }
    var notBefore: Int { Int(dragoman_certificate_time(X509_get0_notBefore(pointer))) }
  }

  /// A private key, freed with its last reference.
  final class PrivateKey {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { self.pointer = pointer }
    deinit { EVP_PKEY_free(pointer) }
  }

  let kind: TLSFileKind
  let path: String

  init(_ kind: TLSFileKind, _ path: String) {
    self.kind = kind
    self.path = path
  }

  /// All certificates in order, at least one.
  func certificates(bytesMax: Int) throws(TLSConfigurationError) -> [Certificate] {
    let bytes = try contents(bytesMax: bytesMax)
    ERR_clear_error()
    var found: [Certificate] = []
    let isWhole = bytes.withUnsafeBytes { pem -> Bool in
      // Guard: the BIO is freed before the bytes' pointer ends.
      guard let bio = dragoman_bio_reading(pem.baseAddress, Int32(pem.count)) else { return false }
      defer { BIO_free(bio) }
      while let certificate = dragoman_read_certificate(bio) {
        found.append(Certificate(owning: certificate))
      }
      return dragoman_pem_ended() == 1
    }
    guard isWhole else { throw error("certificate \(found.count + 1) is damaged") }
    guard !found.isEmpty else { throw error("it holds no certificate in PEM form") }
    return found
  }

  func privateKey(bytesMax: Int) throws(TLSConfigurationError) -> PrivateKey {
    var bytes = try contents(bytesMax: bytesMax)
    defer { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
    let key = bytes.withUnsafeBytes { dragoman_read_private_key($0.baseAddress, Int32($0.count)) }
    ERR_clear_error()
    guard let key else { throw error("it holds no private key in PEM form, or an encrypted one") }
    return PrivateKey(owning: key)
  }

  func error(_ reason: String) -> TLSConfigurationError {
    TLSConfigurationError(kind: kind, file: path, reason: reason)
  }

  func warning(_ code: TLSWarning.Code, _ reason: String) -> TLSWarning {
    TLSWarning(code: code, kind: kind, file: path, reason: reason)
  }

  /// An error with OpenSSL's reason, which is removed from its error queue.
  func openSSLError(_ reason: String) -> TLSConfigurationError {
    let number = ERR_peek_last_error()
    ERR_clear_error()
    guard let text = ERR_reason_error_string(number) else { return error(reason) }
    return error("\(reason): \(String(cString: text))")
  }

  private func contents(bytesMax: Int) throws(TLSConfigurationError) -> [UInt8] {
    // Non-blocking, so that the name of a pipe cannot delay the start.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw error(String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
    var count = 0
    while count < bytes.count {
      let start = count
      let taken = bytes.withUnsafeMutableBytes { space in
        // Guard: `start` is below the count.
        read(descriptor, space.baseAddress.map { $0 + start }, space.count - start)
      }
      if taken < 0, errno == EINTR { continue }
      guard taken >= 0 else { throw error(String(cString: strerror(errno))) }
      guard taken > 0 else { break }
      count += taken
    }
    guard count <= bytesMax else { throw error("it is larger than \(bytesMax) bytes") }
    guard count > 0 else { throw error("it is empty") }
    bytes.removeSubrange(count...)
    return bytes
  }
}
