internal import COpenSSL

/// SHA-256 (FIPS 180-4) of `bytes`: 32 bytes.
func sha256(_ bytes: [UInt8]) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: Int(SHA256_DIGEST_LENGTH)) { buffer, count in
    SHA256(bytes, bytes.count, buffer.baseAddress)
    count = Int(SHA256_DIGEST_LENGTH)
  }
}
