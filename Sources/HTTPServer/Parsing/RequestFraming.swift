/// How a request's body is delimited, and what the request requires of its connection.
struct RequestFraming: Sendable, Equatable {
  enum Body: Sendable, Equatable { case none, length(Int), chunked }

  var body = Body.none
  /// The client accepts another answer on this connection.
  var keepsAlive = true
  /// The client waits for `100 Continue` before it sends the body.
  var expectsContinue = false

  /// Whether body bytes follow the head.
  var hasBody: Bool { body != .none && body != .length(0) }
}

/// The fields that determine the framing, collected line by line (RFC 9112 §6).
struct FramingFields: Sendable {
  private var hostCount = 0
  private var contentTypeCount = 0
  private var authorizationCount = 0
  private var contentLength: Int?
  private var transferCodings: [TransferCoding] = []
  private var hasTransferEncoding = false
  private var saysClose = false
  private var saysKeepAlive = false
  private var expectsContinue = false
  private var expectsOther = false

  private enum TransferCoding: Sendable { case chunked, other }

  /// The fields that count here.
  private enum Name {
    case host, expect, connection, contentType, authorization, contentLength, transferEncoding
  }

  /// Adds one field line; throws if it is invalid by itself.
  mutating func note(_ field: HTTPHeaders.Field, of bytes: [UInt8]) throws(HTTPProtocolError) {
    // Guard: the ranges of a field lie inside its bytes, and the pointer does not leave the closure.
    let name = bytes.withUnsafeBufferPointer { Self.name(UnsafeBufferPointer(rebasing: $0[field.nameRange])) }
    guard let name else { return }
    let value = bytes[field.valueRange]
    switch name {
    case .host:
      hostCount += 1
      guard hostCount == 1 else { throw HTTPProtocolError(.badRequest, "There is more than one Host field.") }
      guard RequestTarget.isHost(value) else {
        throw HTTPProtocolError(.badRequest, "The Host field is malformed.")
      }
    case .expect:
      if ASCII.equalsIgnoringCase(value, lowercase: "100-continue") {
        expectsContinue = true
      } else {
        expectsOther = true
      }
    case .connection:
      // Nearly always one option, which needs no list.
      let options = value.contains(UInt8(ascii: ",")) ? Self.listElements(value) : [value]
      for option in options {
        if ASCII.equalsIgnoringCase(option, lowercase: "close") { saysClose = true }
        if ASCII.equalsIgnoringCase(option, lowercase: "keep-alive") { saysKeepAlive = true }
      }
    // If two differ, an intermediary and this server may use different ones (RFC 9110 §5.3).
    case .contentType:
      contentTypeCount += 1
      guard contentTypeCount == 1 else {
        throw HTTPProtocolError(.badRequest, "There is more than one Content-Type field.")
      }
    case .authorization:
      authorizationCount += 1
      guard authorizationCount == 1 else {
        throw HTTPProtocolError(.badRequest, "There is more than one Authorization field.")
      }
    case .contentLength:
      // A second one is rejected even with the same value: an intermediary may have used the other.
      guard contentLength == nil else {
        throw HTTPProtocolError(.badRequest, "There is more than one Content-Length field.")
      }
      contentLength = try Self.length(value)
    case .transferEncoding:
      hasTransferEncoding = true
      try noteTransferEncoding(value)
    }
  }

  private static func name(_ name: UnsafeBufferPointer<UInt8>) -> Name? {
    switch name.count {
    case 4 where ASCII.equalsIgnoringCase(name, lowercase: "host"): .host
    case 6 where ASCII.equalsIgnoringCase(name, lowercase: "expect"): .expect
    case 10 where ASCII.equalsIgnoringCase(name, lowercase: "connection"): .connection
    case 12 where ASCII.equalsIgnoringCase(name, lowercase: "content-type"): .contentType
    case 13 where ASCII.equalsIgnoringCase(name, lowercase: "authorization"): .authorization
    case 14 where ASCII.equalsIgnoringCase(name, lowercase: "content-length"): .contentLength
    case 17 where ASCII.equalsIgnoringCase(name, lowercase: "transfer-encoding"): .transferEncoding
    default: nil
    }
  }

  /// Whether a field of this name determines where a message ends or where it is routed.
  static func decidesOnFraming(_ name: ArraySlice<UInt8>) -> Bool {
    ASCII.equalsIgnoringCase(name, lowercase: "content-length")
      || ASCII.equalsIgnoringCase(name, lowercase: "transfer-encoding")
      || ASCII.equalsIgnoringCase(name, lowercase: "host")
  }

  /// The verdict on a whole head.
  func framing(minorVersion: Int) throws(HTTPProtocolError) -> RequestFraming {
    guard minorVersion == 0 || hostCount == 1 else {
      throw HTTPProtocolError(.badRequest, "The Host field is missing.")
    }
    var framing = RequestFraming()
    if hasTransferEncoding {
      guard contentLength == nil else {
        throw HTTPProtocolError(.badRequest, "Content-Length and Transfer-Encoding exclude each other.")
      }
      guard minorVersion > 0 else {
        throw HTTPProtocolError(.badRequest, "HTTP/1.0 has no Transfer-Encoding.")
      }
      try checkTransferCodings()
      framing.body = .chunked
    } else if let contentLength {
      framing.body = .length(contentLength)
    }
    framing.keepsAlive = !saysClose && (minorVersion > 0 || saysKeepAlive)
    if minorVersion > 0 {
      guard !expectsOther else {
        throw HTTPProtocolError(.expectationFailed, "The only expectation that is met is 100-continue.")
      }
      framing.expectsContinue = expectsContinue && framing.hasBody
    }
    return framing
  }

  private mutating func noteTransferEncoding(_ value: ArraySlice<UInt8>) throws(HTTPProtocolError) {
    guard !value.isEmpty else { throw Self.badTransferEncoding }
    for coding in Self.listElements(value) {
      guard !coding.isEmpty, coding.allSatisfy(ASCII.isTokenByte) else { throw Self.badTransferEncoding }
      transferCodings.append(ASCII.equalsIgnoringCase(coding, lowercase: "chunked") ? .chunked : .other)
    }
  }

  /// RFC 9112 §6.3: chunked must come last and once, or the body has no known end; §6.1: a coding that is not
  /// known is not implemented.
  private func checkTransferCodings() throws(HTTPProtocolError) {
    let chunkedCount = transferCodings.count { $0 == .chunked }
    guard chunkedCount == 1, transferCodings.last == .chunked else { throw Self.badTransferEncoding }
    guard transferCodings.count == chunkedCount else {
      throw HTTPProtocolError(.notImplemented, "The only transfer coding that is known is chunked.")
    }
  }

  private static let badTransferEncoding = HTTPProtocolError(
    .badRequest, "The Transfer-Encoding field is malformed.")

  private static func length(_ value: ArraySlice<UInt8>) throws(HTTPProtocolError) -> Int {
    guard (1...18).contains(value.count), value.allSatisfy(ASCII.isDigit) else {
      throw HTTPProtocolError(.badRequest, "The Content-Length field is malformed.")
    }
    return value.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }

  private static func listElements(_ value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(FieldLine.trimmed)
  }
}
