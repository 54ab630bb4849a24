import Foundation
import Synchronization

/// A peer that answers as a test defines, even incorrectly: raw sockets, one thread per connection.
///
/// Guard: all mutable state is in a mutex.
package final class StandIn: @unchecked Sendable {
  package struct Request: Sendable {
    package let method: String
    package let path: String
    /// Header lines, names in lower case.
    package let headers: [String: String]
    package let body: [UInt8]
  }

  package enum Answer: Sendable {
    case respond(Int, [String: String] = [:], String)
    /// These bytes, then the end of the connection.
    case raw(String)
    case close
    /// Nothing, until the stand-in stops.
    case hold
  }

  package struct Failure: Error {
    package let call: String
    package init(call: String) { self.call = call }
  }

  private struct State {
    var requests: [Request] = []
    var connections: Set<Int32> = []
    var connectionCount = 0
    var isStopped = false
  }

  package let port: UInt16
  private let listener: Int32
  private let handler: @Sendable (Request) -> Answer
  private let state = Mutex(State())

  package init(_ handler: @escaping @Sendable (Request) -> Answer) throws {
    self.handler = handler
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard listener >= 0 else { throw Failure(call: "socket") }
    port = try Self.listen(on: listener)
    let thread = Thread { [self] in acceptAll() }
    thread.start()
  }

  package var url: String { "http://127.0.0.1:\(port)" }
  package var requests: [Request] { state.withLock { $0.requests } }
  package var connectionCount: Int { state.withLock { $0.connectionCount } }

  package func stop() {
    let connections = state.withLock { state in
      state.isStopped = true
      return state.connections
    }
    shutdown(listener, Int32(SHUT_RDWR))
    for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  /// A port of 127.0.0.1 that nothing listens on.
  package static func deadPort() throws -> UInt16 {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(fd) }
    return try listen(on: fd)
  }

  package static func isListening(_ port: UInt16) -> Bool {
    let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(fd) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    return withUnsafeBytes(of: &address) { bytes in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return connect(fd, pointer, socklen_t(bytes.count)) == 0
    }
  }

  private static func listen(on fd: Int32) throws -> UInt16 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutableBytes(of: &address) { bytes in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(fd, pointer, length) == 0 && Glibc.listen(fd, 128) == 0
        && getsockname(fd, pointer, &length) == 0
    }
    guard isBound else { throw Failure(call: "listen") }
    return UInt16(bigEndian: address.sin_port)
  }

  private func acceptAll() {
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { break }
      let isTaken = state.withLock { state in
        guard !state.isStopped else { return false }
        state.connections.insert(connection)
        state.connectionCount += 1
        return true
      }
      guard isTaken else {
        close(connection)
        break
      }
      Thread { [self] in serve(connection) }.start()
    }
    close(listener)
  }

  private func serve(_ connection: Int32) {
    defer {
      state.withLock { _ = $0.connections.remove(connection) }
      close(connection)
    }
    var buffer: [UInt8] = []
    while let request = readRequest(from: connection, &buffer) {
      state.withLock { $0.requests.append(request) }
      switch handler(request) {
      case .respond(let status, let headers, let body):
        var head = "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.utf8.count)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        guard write(head + "\r\n" + body, to: connection) else { return }
      case .raw(let bytes):
        _ = write(bytes, to: connection)
        return
      case .close: return
      case .hold:
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
        return
      }
    }
  }

  private func readRequest(from connection: Int32, _ buffer: inout [UInt8]) -> Request? {
    while true {
      if let request = Self.takeRequest(from: &buffer) { return request }
      var chunk = [UInt8](repeating: 0, count: 16_384)
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      buffer += chunk.prefix(count)
    }
  }

  private static func takeRequest(from buffer: inout [UInt8]) -> Request? {
    guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    var lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let requestLine = lines.removeFirst().split(separator: " ").map(String.init)
    guard requestLine.count == 3 else { return nil }
    var headers: [String: String] = [:]
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    let length = headers["content-length"].flatMap(Int.init) ?? 0
    guard buffer.count >= end.upperBound + length else { return nil }
    let body = Array(buffer[end.upperBound..<(end.upperBound + length)])
    buffer.removeFirst(end.upperBound + length)
    return Request(method: requestLine[0], path: requestLine[1], headers: headers, body: body)
  }

  private func write(_ text: String, to connection: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

extension StandIn {
  /// The answer of a token endpoint that grants `t1`, `t2`, and so on.
  package static func tokenAnswer(_ number: Int, expiresIn: String = "3599") -> Answer {
    .respond(200, [:], #"{"access_token":"t\#(number)","expires_in":\#(expiresIn),"token_type":"Bearer"}"#)
  }
}

/// Counts calls from any thread.
package final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  package init() {}

  package func next() -> Int { value.add(1, ordering: .sequentiallyConsistent).newValue }
  package var count: Int { value.load(ordering: .sequentiallyConsistent) }
}
