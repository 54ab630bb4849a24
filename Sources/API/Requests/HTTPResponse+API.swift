internal import HTTPServer

extension HTTPResponse {
  /// An answer whose body is JSON already. Gets a newline at its end, for terminals.
  static func json(
    _ status: Int, _ body: consuming [UInt8], type: String = "application/json"
  ) -> HTTPResponse {
    var headers = HTTPHeaders.withRoom
    headers.add("Content-Type", type)
    if body.last != UInt8(ascii: "\n") { body.append(UInt8(ascii: "\n")) }
    return HTTPResponse(status: status, headers: headers, body: body)
  }

  /// An answer in plain text.
  static func text(_ text: String) -> HTTPResponse {
    HTTPResponse(status: 200, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
  }

  /// Tells caches not to store the answer, which is valid only now and for its caller: without
  /// `Cache-Control`, a cache may keep a 200 and some errors (RFC 9111 §4.2.2).
  mutating func forbidStoring() {
    guard headers["Cache-Control"] == nil else { return }
    headers.add("Cache-Control", "no-store")
  }
}
