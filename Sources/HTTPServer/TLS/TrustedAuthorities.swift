/// Certificate authorities that a client trusts.
package enum TrustedAuthorities {
  /// The authorities of a whole system take some hundred kilobytes.
  private static let fileBytesMax = 4 << 20

  /// Why a PEM file cannot be used; nil if it holds certificates, none of them damaged.
  package static func problem(of path: String) -> String? {
    do {
      _ = try TLSFile(.clientCA, path).certificates(bytesMax: fileBytesMax)
      return nil
    } catch {
      return error.reason
    }
  }
}
