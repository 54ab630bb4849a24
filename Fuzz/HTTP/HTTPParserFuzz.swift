import CFuzzer

@testable import HTTPServer

/// The entry point, which SwiftPM renames to the program's main.
@_cdecl("fuzz_http_main")
public func fuzz(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var (count, arguments) = (count, arguments)
  return LLVMFuzzerRunDriver(&count, &arguments, fuzzRequests)
}

/// Fuzzes the request parser: it must not crash, its result must not depend on how the bytes are split, and
/// it must not exceed its limits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Guard: libFuzzer does not change the bytes until this function returns.
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let whole = steps(of: bytes, pieceBytes: max(1, count))
  let pieces = steps(of: bytes, pieceBytes: Int(bytes.first ?? 0) % 7 + 1)
  guard whole == pieces else {
    fatalError("the result depends on how the bytes are split: \(whole) and \(pieces)")
  }
  return 0
}

private let limits: HTTPServerConfiguration = {
  var limits = HTTPServerConfiguration(listen: .tcp(host: "", port: 0))
  limits.requestLineBytesMax = 300
  limits.headerBytesMax = 600
  limits.headerCountMax = 10
  limits.bodyBytesMax = 200
  limits.chunkLineBytesMax = 60
  limits.chunkExtensionBytesMax = 100
  return limits
}()

private func steps(of bytes: UnsafeBufferPointer<UInt8>, pieceBytes: Int) -> [String] {
  var parser = RequestParser(limits: limits, peer: "")
  var found: [String] = []
  var start = 0
  while start < bytes.count {
    let piece = Array(bytes[start..<min(start + pieceBytes, bytes.count)])
    start += piece.count
    var offset = 0
    reading: while true {
      switch parser.next(piece.span, &offset) {
      case .needsInput:
        precondition(offset == piece.count, "the parser asks for more input although some is left")
        break reading
      case .head(let head, let framing):
        // One more than the client may send: the Host that an absolute-form target stands for.
        precondition(head.headers.count <= limits.headerCountMax + 1)
        found.append("\(head.method) \(head.target) \(head.headers.map { $0 }) \(framing)")
        _ = head.queryItems()
        do {
          try parser.beginBody(bytesMax: limits.bodyBytesMax)
        } catch {
          return found + ["\(error)"]
        }
      case .body(let body):
        precondition(body.count <= limits.bodyBytesMax)
        found.append("\(body)")
      case .failed(let error): return found + ["\(error)"]
      }
    }
  }
  return found
}
