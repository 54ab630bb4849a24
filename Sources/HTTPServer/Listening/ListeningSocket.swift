internal import CLinux
internal import Glibc

/// A bound and listening socket.
struct ListeningSocket: Sendable {
  let descriptor: Int32
  /// The bound address, with the actual port.
  let address: HTTPListenAddress
  /// The file of a unix-domain socket.
  private let file: File?

  /// A file, identified independently of its name.
  private struct File: Sendable {
    let path: String
    let device: dev_t
    let inode: ino_t
  }

  /// Ends listening and removes the socket's file, unless another process has replaced it.
  func close() {
    Glibc.close(descriptor)
    guard let file else { return }
    var status = stat()
    guard lstat(file.path, &status) == 0, status.st_dev == file.device, status.st_ino == file.inode else {
      return
    }
    unlink(file.path)
  }

  /// Binds to the first usable address.
  static func open(_ address: HTTPListenAddress, backlog: Int) throws(HTTPServerError) -> ListeningSocket {
    switch address {
    case .tcp(let host, let port): try openTCP(host: host, port: port, address: address, backlog: backlog)
    case .unix(let path): try openUnix(path: path, address: address, backlog: backlog)
    }
  }

  private static func openTCP(
    host: String, port: Int, address: HTTPListenAddress, backlog: Int
  ) throws(HTTPServerError) -> ListeningSocket {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &list)
    guard status == 0 else {
      throw HTTPServerError(
        .addressUnavailable, address: address, reason: String(cString: gai_strerror(status)))
    }
    defer { freeaddrinfo(list) }
    // Guard: the list lives until the end of this function.
    let found = sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { $0?.pointee }
    // A name means IPv4 first, as clients try it; every address means IPv6, which accepts IPv4 as well.
    let first = host.isEmpty ? AF_INET6 : AF_INET
    let ordered = found.filter { $0.ai_family == first } + found.filter { $0.ai_family != first }
    var failure = HTTPServerError(.addressUnavailable, address: address, reason: "no address")
    for candidate in ordered {
      do {
        let descriptor = try bound(
          family: candidate.ai_family, candidate.ai_addr, candidate.ai_addrlen, address: address,
          backlog: backlog)
        let boundPort = SocketAddress.port(ofBound: descriptor) ?? port
        return ListeningSocket(descriptor: descriptor, address: .tcp(host: host, port: boundPort), file: nil)
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private static func openUnix(
    path: String, address: HTTPListenAddress, backlog: Int
  ) throws(HTTPServerError) -> ListeningSocket {
    guard var unix = SocketAddress.unix(path: path) else {
      throw HTTPServerError(.addressUnavailable, address: address, reason: "the path is too long")
    }
    try removeStaleFile(path, unix, address: address)
    let descriptor = try withUnsafeMutablePointer(to: &unix) { pointer throws(HTTPServerError) -> Int32 in
      // Guard: the pointer does not leave the closure.
      let generic = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
      return try bound(
        family: AF_UNIX, generic, socklen_t(MemoryLayout<sockaddr_un>.size), address: address,
        backlog: backlog)
    }
    // `bind` has created the file with a mode that the umask has reduced.
    var status = stat()
    guard chmod(path, unixMode) == 0, lstat(path, &status) == 0 else {
      let failure = HTTPServerError(errno: errno, call: "chmod", address: address)
      Glibc.close(descriptor)
      unlink(path)
      throw failure
    }
    return ListeningSocket(
      descriptor: descriptor, address: address,
      file: File(path: path, device: status.st_dev, inode: status.st_ino))
  }

  /// For the owner and the group, so that a proxy in the same group can connect, and no other process.
  private static let unixMode: mode_t = 0o660

  /// Removes a socket file that no process answers, which a killed process has left; refuses any other file.
  private static func removeStaleFile(
    _ path: String, _ unix: sockaddr_un, address: HTTPListenAddress
  ) throws(HTTPServerError) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw HTTPServerError(.addressInUse, address: address, reason: "the file exists and is not a socket")
    }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { throw HTTPServerError(errno: errno, call: "socket", address: address) }
    defer { Glibc.close(probe) }
    var unix = unix
    let isAnswered = withUnsafePointer(to: &unix) { pointer in
      // Guard: the pointer does not leave the closure.
      connect(
        probe, UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 || errno != ECONNREFUSED
    }
    guard !isAnswered else {
      throw HTTPServerError(.addressInUse, address: address, reason: "another process listens there")
    }
    guard unlink(path) == 0 || errno == ENOENT else {
      throw HTTPServerError(errno: errno, call: "unlink", address: address)
    }
  }

  private static func bound(
    family: Int32, _ socketAddress: UnsafeMutablePointer<sockaddr>?, _ length: socklen_t,
    address: HTTPListenAddress, backlog: Int
  ) throws(HTTPServerError) -> Int32 {
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(family, Int32(type), 0)
    guard descriptor >= 0 else { throw HTTPServerError(errno: errno, call: "socket", address: address) }
    var on: Int32 = 1
    var off: Int32 = 0
    let size = socklen_t(MemoryLayout<Int32>.size)
    // Linux creates the file with the socket's own mode, so others cannot connect at any time.
    if family == AF_UNIX { fchmod(descriptor, unixMode) }
    if family != AF_UNIX { setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size) }
    if family == AF_INET6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, size) }
    guard bind(descriptor, socketAddress, length) == 0 else {
      let failure = HTTPServerError(errno: errno, call: "bind", address: address)
      Glibc.close(descriptor)
      throw failure
    }
    guard listen(descriptor, Int32(clamping: backlog)) == 0 else {
      let failure = HTTPServerError(errno: errno, call: "listen", address: address)
      Glibc.close(descriptor)
      throw failure
    }
    return descriptor
  }
}
