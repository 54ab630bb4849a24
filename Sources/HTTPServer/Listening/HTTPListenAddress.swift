/// Where a server listens.
package enum HTTPListenAddress: Sendable, Equatable, CustomStringConvertible {
  /// An address or name, without brackets; an empty host is every address of the machine.
  case tcp(host: String, port: Int)
  case unix(path: String)

  /// Reads `127.0.0.1:8080`, `[::1]:80`, `localhost:0`, `:8080` or `unix:/run/dragoman.sock`.
  package init?(_ text: String) {
    if text.utf8.starts(with: "unix:".utf8) {
      let path = String(text.dropFirst(5))
      guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
      self = .unix(path: path)
      return
    }
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
    let digits = text[text.utf8.index(after: colon)...].utf8
    guard (1...5).contains(digits.count), digits.allSatisfy(ASCII.isDigit),
      let port = Int(String(digits) ?? ""), port <= 65_535
    else { return nil }
    var host = text[..<colon]
    if host.utf8.first == UInt8(ascii: "[") {
      guard host.utf8.last == UInt8(ascii: "]") else { return nil }
      host = host.dropFirst().dropLast()
      guard host.utf8.contains(UInt8(ascii: ":")), host.utf8.allSatisfy(Self.isAddressByte) else {
        return nil
      }
    } else {
      guard host.utf8.allSatisfy({ $0 != UInt8(ascii: ":") && Self.isAddressByte($0) }) else { return nil }
    }
    self = .tcp(host: String(host), port: port)
  }

  private static func isAddressByte(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "%")
  }

  /// As `init(_:)` reads it.
  package var description: String {
    switch self {
    case .tcp(let host, let port):
      host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  /// Whether only this machine can reach it.
  package var isLoopback: Bool {
    switch self {
    case .tcp(let host, _):
      host.lowercased() == "localhost" || host == "::1"
        || (host.utf8.starts(with: "127.".utf8)
          && host.utf8.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") })
    case .unix: true
    }
  }
}
