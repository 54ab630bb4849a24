/// When certificates in PEM files expire, in seconds since 1970; nil for a file that cannot be read.
package enum CertificateExpiry {
  private static let fileBytesMax = 4 << 20

  /// Of the first certificate, which is the server's or client's own.
  package static func ofOwn(in path: String) -> Int? {
    certificates(.certificate, path).first?.notAfter
  }

  /// Of the authority that expires last: until then, something is trusted.
  package static func ofAuthorities(in path: String) -> Int? {
    certificates(.clientCA, path).map(\.notAfter).max()
  }

  private static func certificates(_ kind: TLSFileKind, _ path: String) -> [TLSFile.Certificate] {
    do {
      return try TLSFile(kind, path).certificates(bytesMax: fileBytesMax)
    } catch {
      return []  // What uses the file says why.
    }
  }
}
