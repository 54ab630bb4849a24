import Glibc

/// A connection that writes bytes and reads one response at a time, with a timeout of five seconds per byte.
final class SocketClient {
  struct Failure: Error { let call: String, code: Int32 }

  private let descriptor: Int32
  private var received: [UInt8] = []

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    var timeout = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port)).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let result = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure(call: "connect", code: errno) }
  }

  deinit { close(descriptor) }

  func write(_ text: String) throws {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(call: "send", code: errno) }
      bytes = bytes.dropFirst(count)
    }
  }

  /// A request with the bearer token `owner`.
  func request(_ method: String, _ target: String, body: String = "") throws {
    try write(
      "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer owner\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }

  /// The next response's status, header lines in lower case, and body; nil if the connection ends first.
  func answer() throws -> (status: Int, headers: [String], body: String)? {
    let end = Array("\r\n\r\n".utf8)
    while true {
      if let head = received.firstRange(of: end) {
        let lines = String(decoding: received[..<head.lowerBound], as: UTF8.self).split(separator: "\r\n")
        let length = lines.first { $0.lowercased().hasPrefix("content-length:") }
          .flatMap { Int($0.split(separator: " ").last ?? "") }
        let bodyEnd = head.upperBound + (length ?? 0)
        if received.count >= bodyEnd {
          let body = String(decoding: received[head.upperBound..<bodyEnd], as: UTF8.self)
          received.removeSubrange(..<bodyEnd)
          let status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
          return (status, lines.dropFirst().map { $0.lowercased() }, body)
        }
      }
      guard try readMore() else { return nil }
    }
  }

  private func readMore() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count == 0 || count < 0 && errno == ECONNRESET { return false }
    guard count > 0 else { throw Failure(call: "recv", code: errno) }
    received.append(contentsOf: buffer[..<count])
    return true
  }
}
