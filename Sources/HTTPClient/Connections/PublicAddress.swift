internal import Glibc

/// Which addresses a destination's host may resolve to.
package enum AddressPolicy: Sendable {
  case any
  /// Only addresses of the public internet; see `PublicAddress`.
  case publicOnly
}

/// Distinguishes addresses of the public internet from those of this machine, its networks, or no host
/// (IANA's IPv4 and IPv6 special-purpose address registries, RFC 6890).
package enum PublicAddress {
  /// Whether a `sockaddr`'s bytes hold a public address; false for any family but IPv4 and IPv6.
  package static func contains(socketAddress bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count >= MemoryLayout<sa_family_t>.size else { return false }
    switch Int32(bytes.loadUnaligned(as: sa_family_t.self)) {
    case AF_INET:
      guard bytes.count >= MemoryLayout<sockaddr_in>.size,
        let offset = MemoryLayout<sockaddr_in>.offset(of: \.sin_addr)
      else { return false }
      return contains(ipv4: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self).bigEndian)
    case AF_INET6:
      guard bytes.count >= MemoryLayout<sockaddr_in6>.size,
        let offset = MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr)
      else { return false }
      return contains(
        ipv6: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian,
        bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self).bigEndian)
    default: return false
    }
  }

  /// `address` in host byte order.
  static func contains(ipv4 address: UInt32) -> Bool {
    !specialIPv4.contains { block in (address ^ block.prefix) >> (32 - block.length) == 0 }
  }

  /// The address's first and last eight bytes, in host byte order.
  static func contains(ipv6 high: UInt64, _ low: UInt64) -> Bool {
    // NAT64 (RFC 6052 §2.1) reaches IPv4 hosts: as public as the address it embeds.
    if high == 0x0064_FF9B_0000_0000, low >> 32 == 0 {
      return contains(ipv4: UInt32(truncatingIfNeeded: low))
    }
    // Only 2000::/3 is assigned (RFC 4291 §2.4). Outside it lie loopback, unspecified, IPv4-mapped, NAT64 of
    // local use, discard, unique local, link-local, site-local and multicast addresses.
    guard high >> 61 == 0b001 else { return false }
    return !specialIPv6.contains { block in (high ^ block.prefix) >> (64 - block.length) == 0 }
  }

  private static let specialIPv4: [(prefix: UInt32, length: UInt32)] = [
    (0x0000_0000, 8),  // this network, unspecified
    (0x0A00_0000, 8),  // private
    (0x6440_0000, 10),  // carriers' NAT
    (0x7F00_0000, 8),  // loopback
    (0xA83F_8110, 32),  // Azure's platform, 168.63.129.16
    (0xA9FE_0000, 16),  // link-local: clouds' metadata
    (0xAC10_0000, 12),  // private
    (0xC000_0000, 24),  // protocol assignments
    (0xC000_0200, 24),  // documentation
    (0xC058_6300, 24),  // 6to4 relays
    (0xC0A8_0000, 16),  // private
    (0xC612_0000, 15),  // benchmarks
    (0xC633_6400, 24),  // documentation
    (0xCB00_7100, 24),  // documentation
    (0xE000_0000, 4),  // multicast
    (0xF000_0000, 4),  // reserved, broadcast
  ]

  /// Exceptions within 2000::/3, all with prefixes of up to 64 bits.
  private static let specialIPv6: [(prefix: UInt64, length: UInt64)] = [
    (0x2001_0000_0000_0000, 23),  // protocol assignments, Teredo among them
    (0x2001_0DB8_0000_0000, 32),  // documentation
    (0x2002_0000_0000_0000, 16),  // 6to4, which embeds any IPv4 address
    (0x3FFF_0000_0000_0000, 20),  // documentation
  ]
}
