import Foundation
import Glibc
import HTTPServer
import Testing

/// A client that sends given bytes over a real socket; every wait ends after ten seconds.
final class RawClient {
  struct Failure: Error, CustomStringConvertible { let description: String }

  /// One answer as it came.
  struct Answer {
    var status: Int
    var head: String
    var body: String

    func field(_ name: String) -> String? {
      for line in head.split(separator: "\r\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        if parts.count == 2, parts[0].lowercased() == name.lowercased() {
          return parts[1].trimmingCharacters(in: .whitespaces)
        }
      }
      return nil
    }
  }

  static let timeoutMilliseconds: Int32 = 10_000

  let descriptor: Int32
  private var received: [UInt8] = []
  private var isClosed = false
  /// Replaces plain sends and receives.
  var tls: TLSClientSession?

  /// `source` is an IPv4 address of this machine to connect from; `connects: false` only takes the
  /// descriptor.
  init(
    _ address: HTTPListenAddress, receiveBufferBytes: Int32? = nil, from source: String? = nil,
    connects: Bool = true
  ) throws {
    let family =
      switch address {
      case .tcp(let host, _): host.contains(":") ? AF_INET6 : AF_INET
      case .unix: AF_UNIX
      }
    descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
    if var size = receiveBufferBytes {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    if let source {
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      inet_pton(AF_INET, source, &name.sin_addr)
      try Self.check(with(&name) { bind(descriptor, $0, $1) }, "bind")
    }
    if connects { try connect(address) }
  }

  func connect(_ address: HTTPListenAddress) throws {
    switch address {
    case .tcp(let host, let port) where host.contains(":"):
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = UInt16(port).bigEndian
      inet_pton(AF_INET6, host, &name.sin6_addr)
      try Self.check(with(&name) { Glibc.connect(descriptor, $0, $1) }, "connect")
    case .tcp(let host, let port):
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = UInt16(port).bigEndian
      inet_pton(AF_INET, host, &name.sin_addr)
      try Self.check(with(&name) { Glibc.connect(descriptor, $0, $1) }, "connect")
    case .unix(let path):
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      try Self.check(with(&name) { Glibc.connect(descriptor, $0, $1) }, "connect")
    }
  }

  private func with<Name>(_ name: inout Name, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32
  {
    withUnsafePointer(to: &name) {
      call(
        UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<Name>.size))
    }
  }

  private static func check(_ status: Int32, _ call: String) throws {
    guard status == 0 else { throw Failure(description: "\(call): \(errno)") }
  }

  deinit { close() }

  func close() {
    if !isClosed { Glibc.close(descriptor) }
    isClosed = true
  }

  /// Sends all of `text`; a connection that the server has closed is no error here.
  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    if let tls { return tls.send(bytes) }
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  func endInput() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// The next final or interim answer; `isHead` when it has no body whatever its length says.
  func answer(isHead: Bool = false) throws -> Answer {
    while true {
      if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
        let head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        let statusText = head.split(separator: " ", maxSplits: 2).dropFirst().first ?? ""
        guard let status = Int(statusText) else { throw Failure(description: "no status: \(head)") }
        var answer = Answer(status: status, head: head, body: "")
        let length = isHead ? 0 : Int(answer.field("Content-Length") ?? "0") ?? 0
        while received.count < end.upperBound + length { try receive() }
        answer.body = String(decoding: received[end.upperBound..<(end.upperBound + length)], as: UTF8.self)
        received.removeFirst(end.upperBound + length)
        return answer
      }
      try receive()
    }
  }

  /// The bytes up to the next CRLF, without it.
  func line() throws -> String {
    while true {
      if let end = received.firstRange(of: Array("\r\n".utf8)) {
        defer { received.removeFirst(end.upperBound) }
        return String(decoding: received[..<end.lowerBound], as: UTF8.self)
      }
      try receive()
    }
  }

  /// Waits until the server closes the connection; returns what it sent until then.
  func waitForClose() throws -> String {
    while try receive(orEnd: true) {}
    return String(decoding: received, as: UTF8.self)
  }

  /// Waits until the server closes the connection, without reading.
  func waitUntilCut() throws {
    var wait = pollfd(fd: descriptor, events: 0, revents: 0)
    guard poll(&wait, 1, Self.timeoutMilliseconds) == 1 else { throw Failure(description: "not cut") }
  }

  /// Sends `text` again and again until something comes back; returns how often.
  func sendUntilAnswered(_ text: String, every milliseconds: Int32) -> Int {
    var count = 0
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    repeat {
      send(text)
      count += 1
    } while poll(&wait, 1, milliseconds) == 0 && count < Int(Self.timeoutMilliseconds / milliseconds)
    return count
  }

  private func receive() throws { _ = try receive(orEnd: false) }

  @discardableResult
  private func receive(orEnd: Bool) throws -> Bool {
    if let tls {
      let bytes = try tls.receive()
      received.append(contentsOf: bytes)
      guard bytes.isEmpty else { return true }
      guard orEnd else { throw Failure(description: "closed") }
      return false
    }
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, Self.timeoutMilliseconds) == 1 else { throw Failure(description: "nothing came") }
    var space = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &space, space.count, 0)
    if count > 0 {
      received.append(contentsOf: space[..<count])
      return true
    }
    guard orEnd else {
      throw Failure(description: "closed: \(String(decoding: received, as: UTF8.self)) errno \(errno)")
    }
    return false
  }
}
