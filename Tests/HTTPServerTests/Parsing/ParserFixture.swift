import Testing

@testable import HTTPServer

/// What a parser made of some bytes, in a form that can be compared.
struct ParsedStream: Equatable, CustomStringConvertible {
  struct Request: Equatable {
    var line: String
    var fields: [String]
    var body: String?
    var keepsAlive: Bool
  }

  var requests: [Request] = []
  var error: HTTPProtocolError?

  var description: String { "\(requests) \(error.map { "\($0.status): \($0.detail)" } ?? "no error")" }
}

/// Parses `bytes` cut before each of `cuts`, which are in order.
func parse(_ bytes: [UInt8], cuts: [Int], limits: HTTPServerConfiguration = .testing) -> ParsedStream {
  var parser = RequestParser(limits: limits, peer: "test")
  var stream = ParsedStream()
  var start = 0
  for end in cuts + [bytes.count] where end > start {
    let piece = Array(bytes[start..<end])
    var offset = 0
    reading: while true {
      switch parser.next(piece.span, &offset) {
      case .needsInput: break reading
      case .head(let head, let framing):
        stream.requests.append(
          ParsedStream.Request(
            line: "\(head.method) \(head.target) 1.\(head.minorVersion)",
            fields: head.headers.map { "\($0.name)=\($0.value)" }, body: nil, keepsAlive: framing.keepsAlive))
        do {
          try parser.beginBody(bytesMax: limits.bodyBytesMax)
        } catch {
          stream.error = error
          return stream
        }
      case .body(let body):
        stream.requests[stream.requests.count - 1].body = String(decoding: body, as: UTF8.self)
      case .failed(let error):
        stream.error = error
        return stream
      }
    }
    start = end
  }
  return stream
}

/// Parses `text` cut into pieces of `size` bytes.
func parse(_ text: String, size: Int, limits: HTTPServerConfiguration = .testing) -> ParsedStream {
  let bytes = Array(text.utf8)
  return parse(bytes, cuts: Array(stride(from: size, to: max(size, bytes.count), by: size)), limits: limits)
}

/// Parses `text` as a whole, byte by byte and in odd pieces, and expects the same result each time.
func parse(
  _ text: String, limits: HTTPServerConfiguration = .testing,
  sourceLocation: SourceLocation = #_sourceLocation
) -> ParsedStream {
  let whole = parse(text, size: max(1, text.utf8.count), limits: limits)
  for size in [1, 2, 3, 7] {
    #expect(parse(text, size: size, limits: limits) == whole, sourceLocation: sourceLocation)
  }
  return whole
}

extension HTTPServerConfiguration {
  static var testing: HTTPServerConfiguration {
    HTTPServerConfiguration(listen: .tcp(host: "127.0.0.1", port: 0))
  }
}
