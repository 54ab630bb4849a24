import Testing

@testable import HTTPServer

struct RequestFramingTests {
  private func post(_ fields: String, body: String = "") -> ParsedStream {
    parse("POST / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n\(body)")
  }

  private func chunked(_ body: String) -> ParsedStream { post("Transfer-Encoding: chunked", body: body) }

  @Test(arguments: [
    "+5", "-1", "0x5", "5_0", "\"5\"", "5 5", "", "1e3", "5,5", "5, 5", "5;", "99999999999999999999", "5.0",
    "\u{665}",
  ])
  func refusesBadContentLength(value: String) {
    let stream = post("Content-Length: \(value)", body: "hello")
    #expect(stream.error?.status == 400)
    #expect(stream.requests.isEmpty)
  }

  @Test func refusesSeveralContentLengths() {
    #expect(post("Content-Length: 5\r\nContent-Length: 5", body: "hello").error?.status == 400)
    #expect(post("Content-Length: 5\r\nContent-Length: 6", body: "hello").error?.status == 400)
  }

  @Test func refusesContentLengthBesideTransferEncoding() {
    #expect(post("Content-Length: 5\r\nTransfer-Encoding: chunked", body: "0\r\n\r\n").error?.status == 400)
    #expect(post("Transfer-Encoding: chunked\r\nContent-Length: 5", body: "0\r\n\r\n").error?.status == 400)
  }

  @Test(arguments: [
    ("gzip", 400), ("xchunked", 400), ("gzip, chunked", 501), ("identity", 400), ("chunked, gzip", 400),
    ("chunked, chunked", 400), ("", 400), ("chunked;q=1", 400), ("chunked\u{B}", 400), ("\"chunked\"", 400),
    (",chunked", 400), ("chunked\r\nTransfer-Encoding: chunked", 400),
    ("chunked\r\nTransfer-Encoding: gzip", 400),
  ])
  func refusesTransferEncoding(value: String, status: Int) {
    #expect(post("Transfer-Encoding: \(value)", body: "0\r\n\r\n").error?.status == status)
  }

  @Test func refusesTransferEncodingInHTTP10() {
    #expect(
      parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n").error?.status == 400)
  }

  @Test func underscoredNamesDoNotFrame() {
    let stream = post("Content_Length: 5\r\nTransfer_Encoding: chunked")
    #expect(stream.error == nil)
    #expect(stream.requests.map(\.body) == [""])
  }

  @Test(arguments: [
    "0x5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n", "5 \r\nhello\r\n",
    " 5\r\nhello\r\n",
    "5_\r\nhello\r\n", "\r\nhello\r\n", "5\nhello\r\n", "5\r\nhello0\r\n\r\n", "5\r\nhello\n0\r\n\r\n",
    "5\r\nhell\r\n0\r\n\r\n", "FFFFFFFFFFFFFFFFF\r\n", "0000000000000005\r\nhello\r\n",
    "5;a\u{0}b\r\nhello\r\n",
    "0\r\nbad trailer\r\n\r\n", "0\r\n Folded: x\r\n\r\n", "0\r\nA: b\n\r\n", "g\r\n",
  ])
  func refusesBadChunks(body: String) {
    let stream = chunked(body)
    #expect(stream.error?.status == 400)
    #expect(stream.requests.compactMap(\.body).isEmpty)
  }

  @Test func incompleteBodyYieldsNoRequest() {
    #expect(post("Content-Length: 5", body: "hell").requests.compactMap(\.body).isEmpty)
    #expect(chunked("5\r\nhello\r\n0\r\n").requests.compactMap(\.body).isEmpty)
  }

  @Test func supportsOnlyOneExpectation() {
    #expect(post("Expect: 100-Continue\r\nContent-Length: 2", body: "hi").error == nil)
    #expect(post("Expect: 200-ok").error?.status == 417)
    #expect(parse("POST / HTTP/1.0\r\nExpect: other\r\n\r\n").error == nil)
  }

  // MARK: Limits, one test each

  private func limited(_ change: (inout HTTPServerConfiguration) -> Void) -> HTTPServerConfiguration {
    var limits = HTTPServerConfiguration.testing
    change(&limits)
    return limits
  }

  @Test func limitsTheRequestLine() {
    let limits = limited { $0.requestLineBytesMax = 64 }
    let fits = String(repeating: "a", count: 64 - "GET / HTTP/1.1\r\n".utf8.count)
    #expect(parse("GET /\(fits) HTTP/1.1\r\nHost: h\r\n\r\n", limits: limits).requests.count == 1)
    #expect(parse("GET /\(fits)a HTTP/1.1\r\nHost: h\r\n\r\n", limits: limits).error?.status == 414)
    #expect(parse(String(repeating: "G", count: 65), limits: limits).error?.status == 501)
  }

  @Test func acceptsARequestLineOf8000Bytes() {
    let path = String(repeating: "a", count: 8000)
    #expect(parse("GET /\(path) HTTP/1.1\r\nHost: h\r\n\r\n", size: 9000).requests.count == 1)
  }

  @Test func limitsHeaderBytes() {
    let limits = limited { $0.headerBytesMax = 64 }
    let fits = String(repeating: "a", count: 64 - "Host: h\r\nX: \r\n\r\n".utf8.count)
    #expect(parse("GET / HTTP/1.1\r\nHost: h\r\nX: \(fits)\r\n\r\n", limits: limits).requests.count == 1)
    #expect(parse("GET / HTTP/1.1\r\nHost: h\r\nX: \(fits)a\r\n\r\n", limits: limits).error?.status == 431)
  }

  @Test func limitsHeaderCount() {
    let limits = limited { $0.headerCountMax = 3 }
    #expect(parse("GET / HTTP/1.1\r\nHost: h\r\nA: b\r\nA: b\r\n\r\n", limits: limits).requests.count == 1)
    #expect(
      parse("GET / HTTP/1.1\r\nHost: h\r\nA: b\r\nA: b\r\nA: b\r\n\r\n", limits: limits).error?.status == 431)
  }

  /// The target may stand for a Host field that was not sent. It does not take the place of one that was.
  @Test func hostOfAnAbsoluteTargetIsNotCounted() {
    let limits = limited { $0.headerCountMax = 2 }
    let head = "GET http://h/ HTTP/1.0\r\nA: b\r\nA: b\r\n"
    #expect(parse("\(head)\r\n", limits: limits).requests.first?.fields.count == 3)
    #expect(parse("\(head)A: b\r\n\r\n", limits: limits).error?.status == 431)
  }

  @Test func limitsTheBody() {
    let limits = limited { $0.bodyBytesMax = 5 }
    let head = "POST / HTTP/1.1\r\nHost: h\r\n"
    #expect(parse("\(head)Content-Length: 5\r\n\r\nhello", limits: limits).error == nil)
    #expect(parse("\(head)Content-Length: 6\r\n\r\nhello!", limits: limits).error?.status == 413)
    #expect(
      parse("\(head)Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n3\r\nlo!\r\n0\r\n\r\n", limits: limits)
        .error?.status == 413)
  }

  @Test func limitsChunkLinesAndExtensions() {
    let limits = limited {
      $0.chunkLineBytesMax = 16
      $0.chunkExtensionBytesMax = 20
    }
    let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(parse("\(head)1;aaaaaaaaaaaa\r\nx\r\n0\r\n\r\n", limits: limits).error == nil)
    #expect(parse("\(head)1;aaaaaaaaaaaaa\r\nx\r\n0\r\n\r\n", limits: limits).error?.status == 400)
    #expect(
      parse("\(head)1;aaaaaaaaaa\r\nx\r\n1;aaaaaaaaa\r\nx\r\n0\r\n\r\n", limits: limits).error?.status == 400)
  }

  @Test func limitsTrailers() {
    let limits = limited {
      $0.headerCountMax = 2
      $0.headerBytesMax = 64
    }
    let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    #expect(parse("\(head)A: b\r\nA: b\r\n\r\n", limits: limits).error == nil)
    #expect(parse("\(head)A: b\r\nA: b\r\nA: b\r\n\r\n", limits: limits).error?.status == 431)
    let long = String(repeating: "a", count: 64)
    #expect(parse("\(head)A: \(long)\r\n\r\n", limits: limits).error?.status == 431)
  }
}
