import Foundation
import Glibc
import JSON
import TestSupport

/// Reads server-sent events from a real socket; every wait ends after ten seconds.
final class EventReader {
  struct Failure: Error, CustomStringConvertible { let description: String }

  struct Event {
    let id: String
    let name: String
    let data: JSON
  }

  private let descriptor: Int32
  private var received: [UInt8] = []
  private var text = ""
  private var isOver = false
  let status: Int
  private(set) var head = ""

  /// Asks for `path` and reads the head of the answer.
  init(_ client: HTTPTestClient, _ path: String, headers: [(String, String)] = []) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(client.port).bigEndian
    inet_pton(AF_INET, client.host, &address.sin_addr)
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure(description: "connect: \(errno)") }
    let fields = headers.map { "\($0): \($1)\r\n" }.joined()
    let request = Array("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\r\n".utf8)
    _ = request.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    var bytes: [UInt8] = []
    while !bytes.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) {
      bytes.append(try Self.byte(descriptor))
    }
    head = String(decoding: bytes, as: UTF8.self)
    status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  deinit { close(descriptor) }

  private static func byte(_ descriptor: Int32) throws -> UInt8 {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, 10_000) == 1 else { throw Failure(description: "nothing came") }
    var byte: UInt8 = 0
    guard recv(descriptor, &byte, 1, 0) == 1 else { throw Failure(description: "the connection ended") }
    return byte
  }

  private func line() throws -> String {
    var bytes: [UInt8] = []
    while !bytes.suffix(2).elementsEqual(Array("\r\n".utf8)) { bytes.append(try Self.byte(descriptor)) }
    return String(decoding: bytes.dropLast(2), as: UTF8.self)
  }

  /// The next event; nil at the end of the stream.
  func next() throws -> Event? {
    while true {
      if let end = text.firstRange(of: "\n\n") {
        let block = text[..<end.lowerBound]
        text.removeSubrange(..<end.upperBound)
        if let event = Self.event(block) { return event }
        continue
      }
      guard !isOver else { return nil }
      let count = Int(try line(), radix: 16) ?? 0
      var chunk: [UInt8] = []
      for _ in 0..<count { chunk.append(try Self.byte(descriptor)) }
      text += String(decoding: chunk, as: UTF8.self)
      _ = try line()
      isOver = count == 0
    }
  }

  /// Waits for the next chunk; whether it is not the last one.
  func hasMore() throws -> Bool { try line() != "0" }

  /// All events up to the end of the stream.
  func rest() throws -> [Event] {
    var events: [Event] = []
    while let event = try next() { events.append(event) }
    return events
  }

  /// The next event of this name and, if there is one, with this property.
  func next(_ name: String, where matches: (JSON) -> Bool = { _ in true }) throws -> Event {
    while let event = try next() {
      if event.name == name, matches(event.data) { return event }
    }
    throw Failure(description: "the stream ended without \(name)")
  }

  private static func event(_ block: Substring) -> Event? {
    var fields: [String: String] = [:]
    for line in block.split(separator: "\n") where !line.hasPrefix(":") {
      let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
      fields[parts[0]] = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
    }
    guard let data = fields["data"] else { return nil }
    return Event(
      id: fields["id"] ?? "", name: fields["event"] ?? "message", data: (try? JSON.parse(data)) ?? .null)
  }
}
