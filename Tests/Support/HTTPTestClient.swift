import Glibc
package import JSON

/// A small blocking HTTP/1.1 client for tests, with one connection per request.
package struct HTTPTestClient: Sendable {
  package let host: String
  package let port: Int

  package init(host: String = "127.0.0.1", port: Int) {
    self.host = host
    self.port = port
  }

  package struct Answer: Sendable {
    package let status: Int
    package let headers: [(name: String, value: String)]
    package let body: [UInt8]

    package func header(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
    package var text: String { String(decoding: body, as: UTF8.self) }
    package var json: JSON { (try? JSON.parse(body)) ?? .null }
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Sends one request and reads its answer; at most a minute passes between two bytes, so that a busy
  /// machine fails no test.
  package func send(
    _ method: String, _ target: String, headers: [(String, String)] = [], body: [UInt8]? = nil
  ) throws -> Answer {
    var head = "\(method) \(target) HTTP/1.1\r\nHost: \(host):\(port)\r\nConnection: close\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    return try exchange(Array((head + "\r\n").utf8) + (body ?? []))
  }

  package func get(_ target: String, headers: [(String, String)] = []) throws -> Answer {
    try send("GET", target, headers: headers)
  }

  package func post(_ target: String, _ json: JSON, headers: [(String, String)] = []) throws -> Answer {
    try post(target, bytes: json.serialized, headers: headers)
  }

  package func post(_ target: String, bytes: [UInt8], headers: [(String, String)] = []) throws -> Answer {
    try send("POST", target, headers: [("Content-Type", "application/json")] + headers, body: bytes)
  }

  /// Sends raw bytes and reads until the peer closes.
  package func exchange(_ bytes: [UInt8]) throws -> Answer {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
    defer { close(descriptor) }
    var timeout = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    inet_pton(AF_INET, host, &address.sin_addr)
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure(description: "connect: \(errno)") }
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { break }
      sent += count
    }
    return try Self.parse(try Self.readAll(descriptor))
  }

  private static func readAll(_ descriptor: Int32) throws -> [UInt8] {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count == 0 { return received }
      if count < 0 && errno == ECONNRESET && !received.isEmpty { return received }
      guard count > 0 else { throw Failure(description: "recv: \(errno) after \(received.count) bytes") }
      received += buffer[..<count]
    }
  }

  private static func parse(_ bytes: [UInt8]) throws -> Answer {
    var rest = bytes[...]
    // Interim answers (100 Continue) precede the final one.
    while true {
      guard let end = headEnd(rest) else {
        throw Failure(description: "no whole head in \(bytes.count) bytes")
      }
      let lines = String(decoding: rest[..<end], as: UTF8.self).components(separatedBy: "\r\n")
      let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      guard let status else { throw Failure(description: "no status line") }
      rest = rest[(end + 4)...]
      if (100..<200).contains(status) { continue }
      let headers = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        return (String(line[..<colon]), String(value))
      }
      return Answer(status: status, headers: headers, body: Array(rest))
    }
  }

  private static func headEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    let mark: [UInt8] = [13, 10, 13, 10]
    return bytes.indices.dropLast(3).first { bytes[$0..<($0 + 4)].elementsEqual(mark) }
  }
}

extension String {
  fileprivate func components(separatedBy separator: String) -> [String] {
    var parts: [String] = []
    var current: [UInt8] = []
    let mark = Array(separator.utf8)
    for byte in utf8 {
      current.append(byte)
      if current.suffix(mark.count).elementsEqual(mark) {
        parts.append(String(decoding: current.dropLast(mark.count), as: UTF8.self))
        current = []
      }
    }
    return parts + [String(decoding: current, as: UTF8.self)]
  }
}
