internal import CLinux
internal import Glibc

/// Socket addresses as text and back.
enum SocketAddress {
  /// `address:port` of a peer, without the prefix of an IPv4 address in IPv6; `unix` for the rest.
  static func text(_ storage: sockaddr_storage) -> String {
    var storage = storage
    // Guard: a sockaddr_storage has room for every address, and the pointer does not leave the closure.
    return withUnsafeMutablePointer(to: &storage) { pointer in
      let raw = UnsafeMutableRawPointer(pointer)
      switch Int32(pointer.pointee.ss_family) {
      case AF_INET:
        let address = raw.assumingMemoryBound(to: sockaddr_in.self)
        let port = UInt16(bigEndian: address.pointee.sin_port)
        return "\(text(AF_INET, &address.pointee.sin_addr)):\(port)"
      case AF_INET6:
        let address = raw.assumingMemoryBound(to: sockaddr_in6.self)
        let port = UInt16(bigEndian: address.pointee.sin6_port)
        let host = text(AF_INET6, &address.pointee.sin6_addr)
        if host.utf8.starts(with: "::ffff:".utf8), host.utf8.contains(UInt8(ascii: ".")) {
          return "\(host.dropFirst(7)):\(port)"
        }
        return "[\(host)]:\(port)"
      default: return "unix"
      }
    }
  }

  private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      // Guard: `inet_ntop` ends what it writes with a NUL within the count, or returns nil.
      inet_ntop(family, address, buffer.baseAddress, socklen_t(buffer.count)).map { String(cString: $0) }
        ?? "?"
    }
  }

  /// Whether `text` is an IPv6 address without brackets and zone.
  static func isIPv6(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.count < Int(INET6_ADDRSTRLEN), !text.contains(0) else { return false }
    var address = in6_addr()
    return inet_pton(AF_INET6, String(decoding: text, as: UTF8.self), &address) == 1
  }

  /// The port of a bound TCP socket.
  static func port(ofBound descriptor: Int32) -> Int? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // Guard: as above.
    return withUnsafeMutablePointer(to: &storage) { pointer in
      let raw = UnsafeMutableRawPointer(pointer)
      guard getsockname(descriptor, raw.assumingMemoryBound(to: sockaddr.self), &length) == 0 else {
        return nil
      }
      switch Int32(pointer.pointee.ss_family) {
      case AF_INET:
        return Int(UInt16(bigEndian: raw.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port))
      case AF_INET6:
        return Int(UInt16(bigEndian: raw.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_port))
      default: return nil
      }
    }
  }

  /// Nil when the path does not fit with its NUL.
  static func unix(path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { space -> Bool in
      guard bytes.count < space.count else { return false }
      // Guard: the count is checked; the rest of the struct is zero.
      space.copyBytes(from: bytes)
      return true
    }
    return fits ? address : nil
  }
}
