extension HTTPRule {
  private static func post(_ fields: String, _ body: String = "", version: String = "1.1") -> String {
    "POST / HTTP/\(version)\r\nHost: h\r\n\(fields)\r\n\r\n\(body)"
  }

  private static func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked", body) }

  // MARK: Lengths

  static let lengths: [HTTPRule] = {
    var rules: [HTTPRule] = []
    rules += [
      "+5", "-1", "-5", "0x5", "5_0", "\"5\"", "5 5", "", "1e3", "5.0", "5;", "a", "5a", "\u{665}", "0b1",
      "5\t5",
      "99999999999999999999", "18446744073709551621", "9223372036854775808", "000000000000000000005", "5, 6",
      "NaN",
      ",5", "5,", "5\u{0}",
    ].map {
      HTTPRule("25 RFC 9112 6.3 Content-Length", post("Content-Length: \($0)", "hello"), .refused(400))
    }
    rules += ["5, 5", "5,5"].map {
      HTTPRule("26 RFC 9112 6.3 equal list", post("Content-Length: \($0)", "hello"), .refused(400))
    }
    rules += [
      HTTPRule(
        "26 RFC 9112 6.3 twice", post("Content-Length: 5\r\nContent-Length: 5", "hello"), .refused(400)),
      HTTPRule(
        "25 RFC 9112 6.3 twice", post("Content-Length: 5\r\ncontent-length: 6", "hello!"), .refused(400)),
      HTTPRule(
        "25 RFC 9112 6.3 twice", post("Content-Length: 0\r\nContent-Length: 5", "hello"), .refused(400)),
      HTTPRule("25 RFC 9110 8.6 zeros first", post("Content-Length: 005", "hello"), .served(1)),
      HTTPRule("25 RFC 9110 8.6 blanks around", post("Content-Length: \t5 ", "hello"), .served(1)),
      HTTPRule(
        "27 RFC 9112 6.1 both", post("Content-Length: 5\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        .refused(400)),
      HTTPRule(
        "27 RFC 9112 6.1 both", post("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n"),
        .refused(400)),
      HTTPRule(
        "27 RFC 9112 6.1 both", post("Content-Length: 0\r\ntRANSFER-eNCODING: CHUNKED", "0\r\n\r\n"),
        .refused(400)),
      HTTPRule(
        "28 RFC 9112 6.1 coding in HTTP/1.0",
        post("Connection: keep-alive\r\nTransfer-Encoding: chunked", "0\r\n\r\n", version: "1.0"),
        .refused(400)),
      HTTPRule("32 underscore never frames", post("Content_Length: 5") + get("/2"), .served(2)),
      HTTPRule("32 underscore never frames", post("Transfer_Encoding: chunked") + get("/2"), .served(2)),
      HTTPRule(
        "32 underscore never frames", post("Content_Length: 0\r\nContent-Length: 5", "hello") + get("/2"),
        .served(2)),
      HTTPRule("39 RFC 9110 8.6 POST without a length", post("A: b") + get("/2"), .served(2)),
      HTTPRule(
        "RFC 9110 9.3.1 GET with a body", "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello",
        .served(1)),
    ]
    return rules
  }()

  // MARK: Codings

  static let codings: [HTTPRule] = {
    var rules: [HTTPRule] = []
    rules += [
      "chunked, gzip", "chunked, identity", "gzip;q=1", "chunked, chunked", "chunked;q=1",
      "chunked\r\nTransfer-Encoding: gzip",
      "gzip", "identity", "x", "xchunked", "chunke", "chunkedx",
    ]
    .map {
      HTTPRule(
        "29 RFC 9112 6.3 chunked not last", post("Transfer-Encoding: \($0)", "0\r\n\r\n"), .refused(400))
    }
    rules += [
      "gzip, chunked", "identity, chunked", "compress, chunked", "x, chunked",
    ]
    .map {
      HTTPRule("30 RFC 9112 6.1 unknown coding", post("Transfer-Encoding: \($0)", "0\r\n\r\n"), .refused(501))
    }
    rules += [
      "chunked\u{B}", "\u{B}chunked", "chunked\u{C}", "", ",", "chunked,", ",chunked", "\"chunked\"",
      "'chunked\"",
      "chunked\r\nTransfer-Encoding: chunked", "chunked\u{0}", "chun ked", "[chunked]", "chunked\u{A0}",
    ].map {
      HTTPRule(
        "31 RFC 9112 6.1 obscured coding", post("Transfer-Encoding: \($0)", "0\r\n\r\n"), .refused(400))
    }
    rules += ["chunked", "Chunked", "\tchunked ", "CHUNKED"].map {
      HTTPRule("31 RFC 9112 7 coding without case", post("Transfer-Encoding: \($0)", "0\r\n\r\n"), .served(1))
    }
    return rules
  }()

  // MARK: Chunks

  static let chunks: [HTTPRule] = {
    var rules: [HTTPRule] = []
    rules += [
      "0x5\r\nhello\r\n", "+5\r\nhello\r\n", "-5\r\nhello\r\n", "5_0\r\nhello\r\n", " 5\r\nhello\r\n",
      "5 \r\nhello\r\n",
      "5\t\r\nhello\r\n", "\r\nhello\r\n", "g\r\n", "5.\r\nhello\r\n", "\"5\"\r\nhello\r\n",
      "5h\r\nhello\r\n",
      "FFFFFFFFFFFFFFFF\r\n", "10000000000000005\r\nhello\r\n", "0000000000000000000005\r\nhello\r\n",
      "5\u{0}\r\nhello\r\n",
      "5,\r\nhello\r\n", "5 5\r\nhello\r\n", "\u{665}\r\nhello\r\n", "5\r\r\nhello\r\n", "-0\r\n\r\n",
      "+0\r\n\r\n", "0x0\r\n\r\n",
    ].map { HTTPRule("33 RFC 9112 7.1 chunk size", chunked($0), .refused(400)) }
    rules += [
      "5\r\nhello\r\n0\r\n\r\n", "05\r\nhello\r\n000\r\n\r\n", "A\r\nhellohello\r\n0\r\n\r\n",
      "a\r\nhellohello\r\n0\r\n\r\n",
      "0\r\n\r\n", "1\r\nh\r\n1\r\ni\r\n0\r\n\r\n",
    ].map { HTTPRule("33 RFC 9112 7.1 chunk size", chunked($0) + get("/2"), .served(2)) }
    rules += [";a", ";a=b", ";a=\"b;\\\"c\r\"", "; a = b ; c", " ;a", ";a=\"b\u{E9}\"", ";a;b;c=d"].filter {
      !$0.contains("\r")
    }
    .map {
      HTTPRule("34 RFC 9112 7.1.1 extension", chunked("5\($0)\r\nhello\r\n0\($0)\r\n\r\n"), .served(1))
    }
    rules += [
      ";", ";;", ";=b", ";a=", ";a==b", ";a=\"b", ";a b", ";a=b c", ";a\u{0}", ";a=\"\u{0}\"", ";\u{E9}",
      ";a=\"b\"c", ",a",
      ";a=\"b\\", ";a\r", "; ", ";a=b;",
    ].map {
      HTTPRule(
        "34 RFC 9112 7.1.1 malformed extension", chunked("5\($0)\r\nhello\r\n0\r\n\r\n"), .refused(400))
    }
    rules += [
      HTTPRule(
        "34 RFC 9112 7.1.1 long extension",
        chunked("5;\(String(repeating: "a", count: 2000))\r\nhello\r\n0\r\n\r\n"),
        .refused(400)),
      HTTPRule(
        "34 RFC 9112 7.1.1 endless extension", chunked("5;" + String(repeating: "a", count: 70_000)),
        .refused(400)),
      HTTPRule(
        "34 RFC 9112 7.1.1 many extensions",
        chunked(String(repeating: "1;\(String(repeating: "a", count: 500))\r\nx\r\n", count: 40)),
        .refused(400)),
    ]
    rules += [
      "5\r\nhello0\r\n\r\n", "5\r\nhellox\r\n0\r\n\r\n", "5\r\nhello\rx0\r\n\r\n", "4\r\nhello\r\n0\r\n\r\n",
      "6\r\nhello\r\n0\r\n\r\n",
    ]
    .map { HTTPRule("35 RFC 9112 7.1 end of a chunk", chunked($0), .refused(400)) }
    rules += [
      "no colon", "A : b", " A: b", "A: b\r\n c", "A: \u{0}", ": b", "A\u{0}: b", "Content-Length: 5",
      "Host: evil",
      "Transfer-Encoding: chunked",
    ].map { HTTPRule("36 RFC 9110 6.5.1 trailer", chunked("0\r\n\($0)\r\n\r\n"), .refused(400)) }
    rules += [
      HTTPRule("36 RFC 9110 6.5.1 trailers", chunked("0\r\nA: b\r\nETag: c\r\n\r\n") + get("/2"), .served(2)),
      HTTPRule(
        "36 RFC 9110 6.5.1 large trailer", chunked("0\r\nA: " + String(repeating: "a", count: 40_000)),
        .refused(431)),
      HTTPRule(
        "36 RFC 9110 6.5.1 many trailers", chunked("0\r\n" + String(repeating: "A: b\r\n", count: 200)),
        .refused(431)),
    ]
    return rules
  }()

  // MARK: Ends

  static let ends: [HTTPRule] = {
    var rules: [HTTPRule] = []
    rules += [
      "G", "GET", "GET / HTTP/1.1", "GET / HTTP/1.1\r", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: h\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\n\r", "GET / HTTP/1.0\r\nbaz", "\r\n", "\r",
    ].map { HTTPRule("37 RFC 9112 8 head without its end", $0, .waits) }
    rules += [
      post("Content-Length: 5"), post("Content-Length: 5", "hell"), chunked(""), chunked("5"),
      chunked("5\r\nhello"),
      chunked("5\r\nhello\r\n"), chunked("5\r\nhello\r\n0\r\n"), chunked("0\r\nA: b\r\n"), chunked("0\r\n\r"),
    ].map { HTTPRule("37 RFC 9112 8 body without its end", $0, .waits) }
    rules += [
      HTTPRule("49 RFC 9112 9.6 close", get("/1", "Connection: close\r\n") + get("/2"), .servedLast(1)),
      HTTPRule("49 RFC 9112 9.6 close", get("/1", "Connection: x, CLOSE\r\n") + get("/2"), .servedLast(1)),
      HTTPRule(
        "49 RFC 9112 9.6 close", get("/1", "Connection: x\r\nConnection: close\r\n") + get("/2"),
        .servedLast(1)),
      HTTPRule(
        "49 RFC 9112 9.6 close wins", get("/1", "Connection: close, keep-alive\r\n") + get("/2"),
        .servedLast(1)),
      HTTPRule("50 RFC 9112 9.3 1.1 goes on", get("/1") + get("/2") + get("/3"), .served(3)),
      HTTPRule("50 RFC 9112 9.3 1.0 ends", "GET /1 HTTP/1.0\r\n\r\n" + get("/2"), .servedLast(1)),
      HTTPRule(
        "50 RFC 9112 9.3 1.0 goes on when asked",
        "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
        .served(2)),
      HTTPRule(
        "48 RFC 9110 7.8 unknown upgrade", get("/1", "Connection: Upgrade\r\nUpgrade: x/1\r\n"), .served(1)),
      HTTPRule(
        "48 RFC 9110 7.8 HTTP/2 upgrade",
        get("/1", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"),
        .served(1)),
      HTTPRule(
        "48 RFC 9110 7.8 upgrade in HTTP/1.0",
        "GET / HTTP/1.0\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n",
        .servedLast(1)),
      HTTPRule("42 RFC 9110 10.1.1 unknown expectation", get("/1", "Expect: 200-ok\r\n"), .refused(417)),
      HTTPRule(
        "41 RFC 9110 10.1.1 expectation in HTTP/1.0 is not looked at",
        post("Expect: 100-continue\r\nContent-Length: 2", "hi", version: "1.0"), .servedLast(1)),
    ]
    return rules
  }()
}
