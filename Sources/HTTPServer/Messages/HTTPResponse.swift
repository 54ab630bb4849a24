/// A final answer. The server adds Date, Content-Length and Connection, omits the body if the method
/// or status allows none (HEAD, 204, 304), and ignores fields of these names.
package struct HTTPResponse: Sendable {
  /// 200 to 599.
  package var status: Int
  package var headers: HTTPHeaders
  package var body: [UInt8]
  /// The connection closes after this answer, whatever the client requested.
  package var closesConnection: Bool
  /// Supplies the body over time, in place of `body`: chunked, or up to the connection's end in HTTP/1.0.
  package var stream: (any HTTPBodySource)?

  package init(
    status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], closesConnection: Bool = false,
    stream: (any HTTPBodySource)? = nil
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.closesConnection = closesConnection
    self.stream = stream
  }

  /// Whether the status allows content (RFC 9110 §15.3.5, §15.4.5).
  var hasContent: Bool { status != 204 && status != 304 }
}

extension HTTPResponse: Equatable {
  package static func == (left: HTTPResponse, right: HTTPResponse) -> Bool {
    left.status == right.status && left.headers == right.headers && left.body == right.body
      && left.closesConnection == right.closesConnection && left.stream === right.stream
  }
}
