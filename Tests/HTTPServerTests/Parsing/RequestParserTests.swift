import Testing

@testable import HTTPServer

struct RequestParserTests {
  @Test func readsHeadAndBody() {
    let stream = parse("POST /v1/x?a=1 HTTP/1.1\r\nHost: h\r\nX-A:  b c \t\r\nContent-Length: 5\r\n\r\nhello")
    #expect(stream.error == nil)
    #expect(
      stream.requests == [
        ParsedStream.Request(
          line: "POST /v1/x?a=1 1.1", fields: ["Host=h", "X-A=b c", "Content-Length=5"], body: "hello",
          keepsAlive: true)
      ])
  }

  /// A handshake need not contain the end of a line, for which the parser would wait.
  @Test func saysThatTLSIsNotSpokenHere() {
    let stream = parse("\u{16}\u{3}\u{1}\u{1}")
    #expect(stream.error?.status == 400)
    #expect(stream.error?.detail.contains("speaks plain HTTP") == true)
  }

  @Test func readsPipelinedRequests() {
    let stream = parse(
      "GET /a HTTP/1.1\r\nHost: h\r\n\r\nPOST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi\r\n"
        + "GET /c HTTP/1.0\r\n\r\n"
    )
    #expect(stream.error == nil)
    #expect(stream.requests.map(\.line) == ["GET /a 1.1", "POST /b 1.1", "GET /c 1.0"])
    #expect(stream.requests.map(\.body) == ["", "hi", ""])
    #expect(stream.requests.map(\.keepsAlive) == [true, true, false])
  }

  /// A repeated line is not parsed again.
  @Test func readsRepeatedRequestLines() {
    let lines = [
      "GET /a 1.1", "GET /a 1.1", "GET /b 1.1", "GET /b? 1.1", "HEAD /b? 1.1", "GET http://h/b 1.1",
      "GET http://h/b 1.1", "GET /\(String(repeating: "x", count: 200)) 1.1",
      "GET /\(String(repeating: "x", count: 200)) 1.1", "GET /a 1.1", "GET /a 1.1",
    ]
    let stream = parse(
      lines.map { "\($0.dropLast(3))HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
        + "GET /a HTTP/1.0\r\n\r\n")
    #expect(stream.error == nil)
    #expect(stream.requests.map(\.line) == lines + ["GET /a 1.0"])
    #expect(stream.requests.map(\.keepsAlive) == lines.map { _ in true } + [false])
  }

  @Test func readsChunksAndDropsTrailers() {
    let stream = parse(
      """
      POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\
      5;name=value\r\nhello\r\n00A\r\n, world...\r\n0\r\nAuthorization: x\r\n\r\n\
      GET /n HTTP/1.1\r\nHost: h\r\n\r\n
      """)
    #expect(stream.error == nil)
    #expect(stream.requests.map(\.body) == ["hello, world...", ""])
    #expect(stream.requests.first?.fields == ["Host=h", "Transfer-Encoding=chunked"])
  }

  @Test(arguments: [
    ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
    ("HTTP/1.1", "Connection: x, Close\r\n", false), ("HTTP/1.0", "", false),
    ("HTTP/1.0", "Connection: Keep-Alive\r\n", true), ("HTTP/1.2", "", true),
  ])
  func decidesKeepAlive(version: String, field: String, keepsAlive: Bool) {
    let stream = parse("GET / \(version)\r\nHost: h\r\n\(field)\r\n")
    #expect(stream.requests.map(\.keepsAlive) == [keepsAlive])
  }

  @Test func absoluteFormTakesPrecedenceOverHost() {
    let stream = parse("GET http://a.example:80/x HTTP/1.1\r\nHost: b.example\r\n\r\n")
    #expect(stream.requests.first?.fields == ["Host=a.example:80"])
  }

  @Test func ignoresEmptyLinesBeforeARequest() {
    #expect(parse("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n").requests.count == 1)
    #expect(parse("\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n").error?.status == 400)
  }

  @Test(arguments: [
    "GET / HTTP/1.1\n", "GET / HTTP/1.1\r\nHost: h\n\r\n", "GET  / HTTP/1.1\r\n", "GET / HTTP/1.1 \r\n",
    "GET /\r\n", "GET / HTTP/1\r\n", "GET / http/1.1\r\n", "GET / HTTP/01.1\r\n", "GET / HTTP/1.1\u{0}\r\n",
    "GET /a b HTTP/1.1\r\n", "GET /a#b HTTP/1.1\r\n", "GET /\u{E9} HTTP/1.1\r\n", "GET /%zz HTTP/1.1\r\n",
    "GET /%1 HTTP/1.1\r\n", "GET * HTTP/1.1\r\n", "GET x HTTP/1.1\r\n", "GET http:// HTTP/1.1\r\n",
    "GET http://u@h/ HTTP/1.1\r\n", "GET ftp://h/ HTTP/1.1\r\n", "G@T / HTTP/1.1\r\n", " GET / HTTP/1.1\r\n",
    "\u{16}\u{3}\u{1}", "GET / HTTP/1.1\r\n Host: h\r\n", "GET / HTTP/1.1\r\n \r\n", "GET /\rx HTTP/1.1\r\n",
  ])
  func refusesBadRequestLine(text: String) {
    #expect(parse(text).error?.status == 400)
  }

  @Test func reportsUnsupportedVersions() {
    #expect(parse("GET / HTTP/2.0\r\n").error?.status == 505)
    #expect(parse("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").error?.status == 505)
    #expect(parse("CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n").error?.status == 501)
    #expect(parse(String(repeating: "M", count: 33) + " / HTTP/1.1\r\n").error?.status == 501)
  }

  @Test(arguments: [
    "Host : h", "Host\t: h", "Ho st: h", ": x", "NoColon", "X[]: y", "X\u{E9}: y", "X: a\u{0}b", "X: a\rb",
    "X: a\u{7F}", "X: a\r\n b", "X: a\r\n\tb", "Host: other", "Host: h",
  ])
  func refusesBadField(line: String) {
    #expect(parse("GET / HTTP/1.1\r\nHost: h\r\n\(line)\r\n\r\n").error?.status == 400)
  }

  @Test(arguments: ["", ":80", "a/b", "u@h", "a,b", "a b", "h:x", "h:123456", "[::1", "[]", "h#", "%zz"])
  func refusesBadHost(host: String) {
    #expect(parse("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").error?.status == 400)
  }

  @Test(arguments: ["h", "h:80", "a-b.example.", "127.0.0.1:1", "[::1]", "[::1]:8080", "a_b"])
  func acceptsHost(host: String) {
    #expect(parse("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").requests.count == 1)
  }

  @Test func requiresHostOnlyOfHTTP11() {
    #expect(parse("GET / HTTP/1.1\r\n\r\n").error?.status == 400)
    #expect(parse("GET / HTTP/1.0\r\n\r\n").error == nil)
    #expect(parse("GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n").error?.status == 400)
  }
}
