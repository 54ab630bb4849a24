internal import COpenSSL

/// An RSA private key that signs assertions; its bits never leave OpenSSL.
///
/// `@unchecked Sendable`: the key is never changed, and OpenSSL counts its references atomically.
package final class SigningKey: @unchecked Sendable {
  /// Why a text is no usable key.
  package enum Flaw: Error, Sendable, Equatable {
    /// No PEM block with an unencrypted private key.
    case notAPrivateKey
    case notRSA
    case tooShort(bits: Int)

    package var reason: String {
      switch self {
      case .notAPrivateKey: "is not an unencrypted private key in PEM form"
      case .notRSA: "is not an RSA key"
      case .tooShort(let bits): "is an RSA key of \(bits) bits; at least \(SigningKey.bitsMin) are needed"
      }
    }
  }

  static let bitsMin = 2048

  private let key: OpaquePointer

  /// Reads a PKCS#8 or PKCS#1 key in PEM form.
  package init(pem: String) throws(Flaw) {
    var text = pem
    let key = text.withUTF8 { dragoman_read_private_key($0.baseAddress, Int32(clamping: $0.count)) }
    guard let key else {
      ERR_clear_error()
      throw .notAPrivateKey
    }
    let isRSA = EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA
    let bits = Int(EVP_PKEY_get_bits(key))
    guard isRSA, bits >= Self.bitsMin else {
      EVP_PKEY_free(key)
      throw isRSA ? .tooShort(bits: bits) : .notRSA
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

  /// OpenSSL keeps errors by thread; one left behind would show up in another call on it.
  private func failed() -> [UInt8]? {
    ERR_clear_error()
    return nil
  }
}
