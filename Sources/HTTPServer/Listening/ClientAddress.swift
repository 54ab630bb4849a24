internal import CLinux
internal import Glibc
internal import Synchronization

/// The address that a connection counts against: an IPv4 address, or the /64 network of an IPv6 address,
/// which is what a provider assigns to one customer.
struct ClientAddress: Sendable, Hashable {
  /// The address as IPv6, in network order; IPv4 is mapped (RFC 4291 §2.5.5.2).
  private let high: UInt64
  private let low: UInt64
  let isLoopback: Bool

  /// Nil for a unix-domain socket.
  init?(_ storage: sockaddr_storage) {
    var storage = storage
    // Guard: a sockaddr_storage has room for every address and is aligned for it; no pointer leaves the
    // closure.
    let found = withUnsafeBytes(of: &storage) { raw -> (UInt64, UInt64)? in
      switch Int32(raw.load(as: sockaddr_storage.self).ss_family) {
      case AF_INET:
        let address = UInt32(bigEndian: raw.load(as: sockaddr_in.self).sin_addr.s_addr)
        return (0, 0xFFFF_0000_0000 | UInt64(address))
      case AF_INET6:
        var address = raw.load(as: sockaddr_in6.self).sin6_addr
        return withUnsafeBytes(of: &address) {
          (
            UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
            UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
          )
        }
      default: return nil
      }
    }
    guard let (high, low) = found else { return nil }
    let isMapped = high == 0 && low >> 32 == 0xFFFF
    self.high = high
    isLoopback = isMapped ? low & 0xFF00_0000 == 0x7F00_0000 : high == 0 && low == 1
    self.low = isMapped || isLoopback ? low : 0
  }
}

/// Counts the connections of each address.
final class ConnectionCensus: Sendable {
  private let counts = Mutex<[ClientAddress: Int]>([:])
  private let connectionsMax: Int
  private let loopbackConnectionsMax: Int

  init(_ configuration: HTTPServerConfiguration) {
    let total = configuration.connectionsMax
    connectionsMax = max(1, configuration.connectionsPerAddressMax ?? max(16, total / 2))
    loopbackConnectionsMax = max(1, configuration.connectionsPerAddressMax ?? max(16, total / 4 * 3))
  }

  /// Adds a connection; returns by how many its address now exceeds its limit.
  func enter(_ address: ClientAddress) -> Int {
    let count = counts.withLock { counts in
      counts[address, default: 0] += 1
      return counts[address, default: 0]
    }
    return max(0, count - (address.isLoopback ? loopbackConnectionsMax : connectionsMax))
  }

  /// Removes a connection.
  func leave(_ address: ClientAddress) {
    counts.withLock { counts in
      guard let count = counts[address] else { return }
      counts[address] = count > 1 ? count - 1 : nil
    }
  }
}
