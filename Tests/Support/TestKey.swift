internal import COpenSSL
package import JSON

/// An RSA key made for one run: no test needs a secret in the repository.
///
/// Guard: the key does not change after `init`.
package final class TestKey: @unchecked Sendable {
  package struct Failure: Error {}

  private let key: OpaquePointer
  package let pem: String

  /// Making a key takes a tenth of a second; one serves all tests.
  package static let shared = Result { try TestKey(bits: 2048) }

  package init(bits: Int32) throws {
    guard let key = dragoman_generate_rsa_key(bits) else { throw Failure() }
    self.key = key
    pem = try Self.pem(of: key)
  }

  deinit { EVP_PKEY_free(key) }

  package static func pem(of key: OpaquePointer) throws -> String {
    guard let bio = BIO_new(BIO_s_mem()) else { throw Failure() }
    defer { BIO_free(bio) }
    guard PEM_write_bio_PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1 else { throw Failure() }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = BIO_read(bio, &bytes, Int32(bytes.count))
    guard count > 0 else { throw Failure() }
    return String(decoding: bytes.prefix(Int(count)), as: UTF8.self)
  }

  package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  /// A service account's file with this key.
  package func serviceAccountFile(tokenURI: String = "https://oauth2.googleapis.com/token") -> JSON {
    [
      "type": "service_account", "project_id": "p", "private_key_id": "kid-1", "private_key": .string(pem),
      "client_email": "sender@p.iam.gserviceaccount.com", "client_id": "1", "token_uri": .string(tokenURI),
      "universe_domain": "googleapis.com",
    ]
  }
}
