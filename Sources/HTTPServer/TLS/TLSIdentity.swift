internal import COpenSSL
internal import Clock
internal import Glibc

/// A server's certificate, key and client authorities, loaded and checked.
// Guard: an `SSL_CTX` counts its references atomically and is not changed after `init`.
package final class TLSIdentity: @unchecked Sendable {
  private let context: OpaquePointer
  /// Warnings for an operator about files that work.
  package let warnings: [TLSWarning]
  /// When the server's certificate expires, in seconds since 1970.
  package let notAfter: Int

  /// Certificates and keys are small; a larger file is something else.
  private static let fileBytesMax = 1_048_576
  private static let expiresSoonSeconds = 14 * 86_400

  /// Reads and checks the files.
  package init(loading configuration: TLSConfiguration) throws(TLSConfigurationError) {
    let certificate = TLSFile(.certificate, configuration.certificateFile)
    let key = TLSFile(.key, configuration.keyFile)
    let certificates = try certificate.certificates(bytesMax: Self.fileBytesMax)
    let privateKey = try key.privateKey(bytesMax: Self.fileBytesMax)
    ERR_clear_error()
    guard let context = dragoman_server_context() else { throw certificate.openSSLError("OpenSSL") }
    var isUsable = false
    defer { if !isUsable { SSL_CTX_free(context) } }
    guard let own = certificates.first else { throw certificate.error("it holds no certificate") }
    guard SSL_CTX_use_certificate(context, own.pointer) == 1 else {
      throw certificate.openSSLError("the certificate cannot be used")
    }
    for intermediate in certificates.dropFirst() {
      guard dragoman_add_chain_certificate(context, intermediate.pointer) == 1 else {
        throw certificate.openSSLError("an intermediate certificate cannot be used")
      }
    }
    guard X509_check_private_key(own.pointer, privateKey.pointer) == 1 else {
      throw key.error("the key does not belong to the certificate in \(certificate.path)")
    }
    guard SSL_CTX_use_PrivateKey(context, privateKey.pointer) == 1 else {
      throw key.openSSLError("the key cannot be used")
    }
    if let path = configuration.clientCAFile {
      let file = TLSFile(.clientCA, path)
      for authority in try file.certificates(bytesMax: Self.fileBytesMax) {
        guard dragoman_trust_client_authority(context, authority.pointer) == 1 else {
          throw file.openSSLError("an authority cannot be used")
        }
      }
      dragoman_require_client_certificate(context)
    }
    ERR_clear_error()
    notAfter = own.notAfter
    warnings = Self.warnings(certificates, certificate: certificate, key: key)
    isUsable = true
    self.context = context
  }

  /// Takes the reference.
  private init(context: OpaquePointer, of other: TLSIdentity) {
    self.context = context
    warnings = other.warnings
    notAfter = other.notAfter
  }

  deinit { SSL_CTX_free(context) }

  /// The same identity with fresh ticket keys, so that a stolen key decrypts only the sessions of its time.
  func withNewTicketKeys() -> TLSIdentity? {
    dragoman_context_with_new_ticket_keys(context).map { TLSIdentity(context: $0, of: self) }
  }

  /// A server's side of a connection over a non-blocking socket; nil without memory.
  func session(descriptor: Int32) -> TLSSession? { TLSSession(context: context, descriptor: descriptor) }

  private static func warnings(
    _ certificates: [TLSFile.Certificate], certificate file: TLSFile, key: TLSFile
  ) -> [TLSWarning] {
    var warnings: [TLSWarning] = []
    let now = time(nil)
    for (index, certificate) in certificates.enumerated() {
      let name = index == 0 ? "the certificate" : "intermediate certificate \(index)"
      let end = String(decoding: HTTPDate.bytes(secondsSince1970: certificate.notAfter), as: UTF8.self)
      if certificate.notAfter <= now {
        warnings.append(file.warning(.expired, "\(name) expired on \(end)"))
      } else if certificate.notAfter <= now + expiresSoonSeconds {
        warnings.append(file.warning(.expiresSoon, "\(name) expires on \(end)"))
      }
      if certificate.notBefore > now {
        warnings.append(file.warning(.notYetValid, "\(name) is not valid yet"))
      }
    }
    for (issued, issuer) in zip(certificates, certificates.dropFirst())
    where X509_check_issued(issuer.pointer, issued.pointer) != X509_V_OK {
      warnings.append(file.warning(.chainOutOfOrder, "a certificate does not follow the one that it issued"))
      break
    }
    var status = stat()
    if stat(key.path, &status) == 0, status.st_mode & 0o007 != 0 {
      warnings.append(key.warning(.keyReadableByOthers, "every user of this machine may read or write it"))
    }
    return warnings
  }
}
