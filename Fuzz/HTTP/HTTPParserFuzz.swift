import CFuzzer

@testable import HTTPServer

/// What SwiftPM takes for the program's main.
@_cdecl("fuzz_http_main")
public func fuzz(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var (count, arguments) = (count, arguments)
  return LLVMFuzzerRunDriver(&count, &arguments, fuzzRequests)
}

/// The request parser under libFuzzer: it must not crash, must say the same however the bytes are cut, and must
/// keep no more than its limits allow.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Guard: libFuzzer's bytes stay as they are until this returns.
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let whole = steps(of: bytes, pieceBytes: max(1, count))
  let pieces = steps(of: bytes, pieceBytes: Int(bytes.first ?? 0) % 7 + 1)
  guard whole == pieces else {
    fatalError("cut differently, read differently: \(whole) and \(pieces)")
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
        precondition(offset == piece.count, "input is left though more is asked for")
        break reading
      case .head(let head, let framing):
        precondition(head.headers.count <= limits.headerCountMax)
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
