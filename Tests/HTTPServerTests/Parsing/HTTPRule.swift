import Testing

/// One rule of HTTP, bytes that follow or break it, and what a server does with them.
struct HTTPRule: CustomTestStringConvertible, Sendable {
  enum Verdict: Sendable, Equatable {
    /// One answer with this status, then the connection closes.
    case refused(Int)
    /// This many answers with 200; the connection stays open.
    case served(Int)
    /// This many answers with 200; the connection closes, and what follows is not read.
    case servedLast(Int)
    /// No answer until the rest of the request arrives.
    case waits
  }

  /// The number in the checklist, and the source of the rule.
  let rule: String
  let bytes: [UInt8]
  let verdict: Verdict

  init(_ rule: String, _ text: String, _ verdict: Verdict) {
    self.init(rule, bytes: Array(text.utf8), verdict)
  }

  init(_ rule: String, bytes: [UInt8], _ verdict: Verdict) {
    self.rule = rule
    self.bytes = bytes
    self.verdict = verdict
  }

  var testDescription: String {
    "\(rule): \(String(decoding: bytes.prefix(160), as: UTF8.self).debugDescription)"
  }

  private static let host = "Host: h\r\n"

  private static func post(_ fields: String, _ body: String = "") -> String {
    "POST / HTTP/1.1\r\n\(host)\(fields)\r\n\r\n\(body)"
  }

  private static func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked", body) }

  private static func field(_ line: String) -> String { get("/", "\(line)\r\n") }

  private static func line(_ text: String, _ rule: String) -> HTTPRule { line(text, .refused(400), rule) }

  private static func line(_ line: String, _ verdict: Verdict, _ rule: String) -> HTTPRule {
    HTTPRule(rule, "\(line)\r\n\(host)\r\n", verdict)
  }

  // MARK: Host

  static let hosts: [HTTPRule] = {
    var rules: [HTTPRule] = []
    rules += [
      HTTPRule("1 RFC 9112 3.2 no Host in HTTP/1.1", "GET / HTTP/1.1\r\n\r\n", .refused(400)),
      HTTPRule("2 RFC 9112 3.2 two different Hosts", field("Host: other"), .refused(400)),
      HTTPRule("2 RFC 9112 3.2 two equal Hosts", field("hOST: h"), .refused(400)),
      HTTPRule("4 RFC 9112 3.2 HTTP/1.0 needs no Host", "GET / HTTP/1.0\r\n\r\n", .servedLast(1)),
      HTTPRule("4 RFC 9112 3.2 two Hosts in HTTP/1.0", "GET / HTTP/1.0\r\n\(host)\(host)\r\n", .refused(400)),
    ]
    rules += [
      "", "u@h", "u:p@h", "h/path", "h?q", "h#f", "h, i", "h,i", "h i", "h:port", "h:99999", "h:-1",
      "h:80:80",
      ":80",
      "[::1", "::1", "[]", "[:::1]", "[1.2.3.4]", "[::1%25eth0]", "h%", "h%0", "http://h", "h\\i", "h<i",
      "h\u{E9}",
      "h\ti", "\"h\"",
    ].map {
      HTTPRule("3 RFC 9112 3.2 invalid Host value", "GET / HTTP/1.1\r\nHost: \($0)\r\n\r\n", .refused(400))
    }
    rules += [
      "h", "h:80", "h:", "H.Example.", "127.0.0.1:8080", "[::1]", "[::1]:8080", "[::ffff:1.2.3.4]", "a_b",
      "x=y",
      "h%41",
    ].map {
      HTTPRule("3 RFC 9112 3.2 valid Host value", "GET / HTTP/1.1\r\nHost: \($0)\r\n\r\n", .served(1))
    }
    return rules
  }()

  // MARK: Field lines

  static let fieldLines: [HTTPRule] = {
    var rules: [HTTPRule] = []
    rules += ["A : b", "A\t: b", "Content-Length : 5", "Host : h", "A\u{20}\u{20}: b"].map {
      HTTPRule("5 RFC 9112 5.1 space before the colon", field($0), .refused(400))
    }
    rules += ["A: b\r\n c", "A: b\r\n\tc", "A: b\r\n \r\nC: d", "A:\r\n Content-Length: 5"].map {
      HTTPRule("6 RFC 9112 5.2 folded field", field($0), .refused(400))
    }
    rules += [" ", "\t", " Host: h", "\tA: b", " \r\nHost: h"].map {
      HTTPRule(
        "7 RFC 9112 2.2 blank after the request line", "GET / HTTP/1.1\r\n\($0)\r\n\r\n", .refused(400))
    }
    rules += [
      "GET / HTTP/1.1\rHost: h\r\r", "GET / HTTP/1.1\r\nHost: h\rA: b\r\n\r\n",
      "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\rC: d\r\n\r\n", "GET /\r HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET / HTTP/1.1\r\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nA: b\r\r\n\r\n",
      "\rGET / HTTP/1.1\r\nHost: h\r\n\r\n",
    ].map { HTTPRule("8 RFC 9112 2.2 bare CR", $0, .refused(400)) }
    rules += [
      "A: b\u{0}c", "A: \u{0}", "A: b\u{1}", "A: \u{7}", "A: b\u{8}c", "A: \u{B}b", "A: \u{C}",
      "A: \u{1B}[0m",
      "A: \u{7F}", "A: b\u{1F}",
    ].map { HTTPRule("9 RFC 9110 5.5 control character in a value", field($0), .refused(400)) }
    rules += [
      "[]: a", "A[b]: c", ": a", "A b: c", "\u{E9}: a", "A\u{0}: b", "\"A\": b", "A(b): c", "A,b: c",
      "A/b: c",
      "A;b: c", "A=b: c", "A@b: c", "A{b}: c", "A\u{7F}: b", "A\\b: c", "\tA: b", "A<b: c",
    ].map { HTTPRule("10 RFC 9110 5.1 name that is no token", field($0), .refused(400)) }
    rules += ["A", "GET / HTTP/1.1", "a=b", "\"A\""].map {
      HTTPRule("11 RFC 9112 5 line without a colon", field($0), .refused(400))
    }
    rules += [
      "GET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.1\r\nHost: h\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\n\n",
      "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost: h\r\nA: b\nC: d\r\n\r\n",
    ].map { HTTPRule("12 RFC 9112 2.2 bare LF", $0, .refused(400)) }
    rules += [
      "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhello\r\n0\n\r\n",
      "5\r\nhello\r\n0\r\nA: b\n\r\n",
      "5\r\nhello\r\n0\r\n\n", "5;a\nb\r\nhello\r\n0\r\n\r\n",
    ].map { HTTPRule("12 RFC 9112 7.1 bare LF in chunks", chunked($0), .refused(400)) }
    rules += [
      "A:b", "A:  b \t", "A:", "A: b\tc", "!#$%&'*+-.^_`|~0aZ: b", "A: \"b, c\"", "A: b:c", "A: (b)",
    ].map { HTTPRule("RFC 9112 5 valid field line", field($0), .served(1)) }
    rules += [
      HTTPRule(
        "RFC 9110 5.5 octets over 127 in a value",
        bytes: Array("GET / HTTP/1.1\r\nHost: h\r\nA: ".utf8) + [0xE9, 0xFF]
          + Array("\r\n\r\n".utf8), .served(1)),
      HTTPRule(
        "RFC 9110 5.3 two Content-Types", field("Content-Type: a/b\r\nContent-Type: c/d"), .refused(400)),
      HTTPRule(
        "RFC 9110 5.3 two Authorizations", field("Authorization: a\r\nAuthorization: b"), .refused(400)),
    ]
    return rules
  }()

  // MARK: Request lines

  static let requestLines: [HTTPRule] = {
    var rules: [HTTPRule] = []
    rules += [
      HTTPRule("13 RFC 9112 2.2 empty line first", "\r\n" + get("/"), .served(1)),
      HTTPRule("13 RFC 9112 2.2 empty lines first", "\r\n\r\n" + get("/"), .served(1)),
      HTTPRule("13 RFC 9112 2.2 empty line between requests", get("/1") + "\r\n" + get("/2"), .served(2)),
      HTTPRule("13 RFC 9112 2.2 empty lines for ever", String(repeating: "\r\n", count: 50), .refused(400)),
      HTTPRule("14 RFC 9112 2.2 TLS", bytes: [0x16, 0x03, 0x01, 0x02, 0x00, 0x01], .refused(400)),
      HTTPRule("14 RFC 9112 2.2 garbage", bytes: [0xFF, 0xFE, 0x00, 0x80], .refused(400)),
      HTTPRule("14 RFC 9112 2.2 garbage", "garbage\r\n\r\n", .refused(400)),
      HTTPRule("16 RFC 9110 2.5 HTTP/1.2 is as 1.1", "GET / HTTP/1.2\r\n\(host)\r\n", .served(1)),
      HTTPRule("16 RFC 9110 2.5 HTTP/1.9 wants a Host", "GET / HTTP/1.9\r\n\r\n", .refused(400)),
      line("GET  / HTTP/1.1", "20 RFC 9112 3 two spaces"),
      line("GET /  HTTP/1.1", "20 RFC 9112 3 two spaces"),
      line("GET\t/ HTTP/1.1", "20 RFC 9112 3 tab"), line("GET /\tHTTP/1.1", "20 RFC 9112 3 tab"),
      line("GET / HTTP/1.1 ", "20 RFC 9112 3 space at the end"),
      line(" GET / HTTP/1.1", "14 RFC 9112 3 space first"),
      line("GET /", "15 RFC 9112 3 no version"), line("GET", "14 RFC 9112 3 method only"),
      line("GET HTTP/1.1", "20 RFC 9112 3 no target"),
      line("GET /\u{B}HTTP/1.1", "20 RFC 9112 3 vertical tab"),
    ]
    rules += [
      "HTTP/1", "HTTP/1.", "HTTP/.1", "HTTP/01.1", "HTTP/1.01", "HTTP/1.10", "HTTP/11", "http/1.1",
      "Http/1.1",
      "HTTP /1.1", "HTTP/ 1.1", "HTTP/1 .1", "HTTP/1,1", "HTTP/a.b", "HTTP/-1.1", "HTTP", "HTTPS/1.1",
      "ICAP/1.1",
      "HTTP/1.1\u{0}", "HTTP/\u{661}.1",
    ].map { HTTPRule("15 RFC 9112 2.3 version", "GET / \($0)\r\n\(host)\r\n", .refused(400)) }
    rules += ["HTTP/2.0", "HTTP/0.9", "HTTP/3.0", "HTTP/9.9"].map {
      HTTPRule("15 RFC 9110 2.5 other version", "GET / \($0)\r\n\(host)\r\n", .refused(505))
    }
    rules += [
      HTTPRule("15 RFC 9113 3.4 HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .refused(505)),
      line("OPTIONS * HTTP/1.1", .served(1), "18 RFC 9112 3.2.4 OPTIONS *"),
      line("GET * HTTP/1.1", "18 RFC 9112 3.2.4 GET *"), line("OPTIONS ** HTTP/1.1", "18 RFC 9112 3.2.4 **"),
      line("CONNECT h:443 HTTP/1.1", .refused(501), "19 RFC 9110 9.3.6 CONNECT"),
      line("CONNECT / HTTP/1.1", .refused(501), "19 RFC 9110 9.3.6 CONNECT of a path"),
      line("GET h:443 HTTP/1.1", "17 RFC 9112 3.2.3 authority without CONNECT"),
      line("GET path HTTP/1.1", "17 RFC 9112 3.2 no form at all"),
      line("GET ../x HTTP/1.1", "17 RFC 9112 3.2 no form at all"),
      line("GET ?q HTTP/1.1", "17 RFC 9112 3.2 query"),
      line("GET http://a.example:80/x HTTP/1.1", .served(1), "17 RFC 9112 3.2.2 absolute form"),
      line("GET HTTPS://a/ HTTP/1.1", .served(1), "17 RFC 9112 3.2.2 absolute form"),
      line("GET http://[::1]:80/x HTTP/1.1", .served(1), "17 RFC 9112 3.2.2 absolute form"),
      line("GET http://a?q HTTP/1.1", .served(1), "17 RFC 9112 3.2.2 absolute form"),
      line("GET http:///x HTTP/1.1", "17 RFC 9110 4.2.1 no host"),
      line("GET http:// HTTP/1.1", "17 RFC 9110 4.2.1"),
      line("GET http:/x HTTP/1.1", "17 RFC 9110 4.2.1"),
      line("GET ftp://h/ HTTP/1.1", "17 RFC 9112 3.2.2 scheme"),
      line("GET http://u:p@h/ HTTP/1.1", "17 RFC 9110 4.2.4 userinfo"),
      line("GET http://a,b/ HTTP/1.1", "17 RFC 9112 3.2.2 list of hosts"),
      HTTPRule(
        "17 RFC 9112 3.2.2 absolute form without Host", "GET http://h/ HTTP/1.1\r\n\r\n", .refused(400)),
      line("G\u{E9}T / HTTP/1.1", "22 RFC 9110 9.1 method"),
      line("GE(T / HTTP/1.1", "22 RFC 9110 9.1 method"),
      line("get / HTTP/1.1", .served(1), "22 RFC 9110 9.1 method for the handler to judge"),
      line("M-SEARCH / HTTP/1.1", .served(1), "22 RFC 9110 9.1 method for the handler to judge"),
      line(String(repeating: "M", count: 33) + " / HTTP/1.1", .refused(501), "22 RFC 9112 3 long method"),
      line("GET /\(String(repeating: "a", count: 8000)) HTTP/1.1", .served(1), "21 RFC 9112 3 8,000 octets"),
      line(
        "GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1", .refused(414), "21 RFC 9112 3 long target"),
      HTTPRule(
        "21 RFC 9112 3 endless target", "GET /" + String(repeating: "a", count: 70_000), .refused(414)),
      HTTPRule("22 RFC 9112 3 endless method", String(repeating: "A", count: 70_000), .refused(501)),
      HTTPRule(
        "24 RFC 6585 5 large field", field("A: " + String(repeating: "a", count: 40_000)), .refused(431)),
      HTTPRule(
        "24 RFC 6585 5 endless field", "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 70_000),
        .refused(431)),
      HTTPRule(
        "24 RFC 6585 5 many fields",
        field(String(repeating: "A: b\r\n", count: 200) + "A: b"), .refused(431)),
      HTTPRule(
        "24 RFC 6585 5 fields within the limits", field(String(repeating: "A: b\r\n", count: 98) + "A: b"),
        .served(1)),
    ]
    rules += [
      "/a#b", "/#", "/a b", "/\u{E9}", "/a\"b", "/<a>", "/a\\b", "/a^b", "/`", "/{a}", "/a|b", "/\u{0}",
      "/\u{7F}",
    ]
    .map { line("GET \($0) HTTP/1.1", "20 RFC 9112 3.2 byte that no URI has") }
    rules += ["/%", "/%1", "/%zz", "/%u0041", "/a%2", "/?%", "/?a=%g1"].map {
      line("GET \($0) HTTP/1.1", "55 RFC 3986 2.1 broken escape")
    }
    rules += [
      "/%00", "/a%00b", "/%0d%0aA:%20b", "/%0A", "/%1f", "/%7F", "/%C0%AF", "/%C0%AE%C0%AE/", "/%FF",
      "/%ED%A0%80",
      "/%E0%80%AF", "/%F5%80%80%80", "http://h/%00",
    ].map { line("GET \($0) HTTP/1.1", "55 RFC 3986 2.1 escape of no text") }
    rules += [
      "/a%20b", "/%C3%A9", "/?a=b&c=%0A", "/a;b=c", "//a//b", "/a:b@c", "/a/../b", "/%2e%2e/b", "/%252e",
      "/?", "/a[0]",
    ]
    .map { line("GET \($0) HTTP/1.1", .served(1), "55 RFC 3986 3.3 target for the handler to judge") }
    return rules
  }()
}
