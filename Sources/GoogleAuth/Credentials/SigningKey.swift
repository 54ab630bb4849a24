internal import COpenSSL

/// An RSA private key that signs assertions; its bits never leave OpenSSL.
///
/// Guard: the key never changes, and OpenSSL counts its references atomically.
package final class SigningKey: @unchecked Sendable {
  static let bitsMin = 2048

  private let key: OpaquePointer

  /// Reads a PKCS#8 or PKCS#1 key in PEM form.
  package init(pem: String) throws(SigningKeyError) {
    var text = pem
    let key = text.withUTF8 { dragoman_read_private_key($0.baseAddress, Int32(clamping: $0.count)) }
    guard let key else {
      ERR_clear_error()
      throw SigningKeyError(code: .notAPrivateKey)
    }
    let isRSA = EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA
    let bits = Int(EVP_PKEY_get_bits(key))
    guard isRSA, bits >= Self.bitsMin else {
      EVP_PKEY_free(key)
      throw SigningKeyError(code: isRSA ? .tooShort : .notRSA, bits: bits)
    }
    self.key = key
  }

  deinit { EVP_PKEY_free(key) }

  /// The RSASSA-PKCS1-v1_5 signature over SHA-256 (`RS256`, RFC 7518 §3.3); nil when OpenSSL fails. Takes about
  /// a millisecond.
  func signature(of message: [UInt8]) -> [UInt8]? {
    guard let context = EVP_MD_CTX_new() else { return nil }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { return failed() }
    var count = Int(EVP_PKEY_get_size(key))
    var signature = [UInt8](repeating: 0, count: count)
    guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else { return failed() }
    signature.removeSubrange(count...)
    return signature
  }

  /// OpenSSL keeps errors per thread; one left behind would surface in another call.
  private func failed() -> [UInt8]? {
    ERR_clear_error()
    return nil
  }
}
