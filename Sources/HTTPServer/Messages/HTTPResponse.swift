/// A final answer. The server adds Date, Content-Length and Connection, omits the body if the method
/// or status allows none (HEAD, 204, 304), and ignores fields of these names.
package struct HTTPResponse: Sendable, Equatable {
  /// 200 to 599.
  package var status: Int
  package var headers: HTTPHeaders
  package var body: [UInt8]
  /// The connection closes after this answer, whatever the client requested.
  package var closesConnection: Bool

  package init(
    status: Int, headers: HTTPHeaders = [:], body: [UInt8] = [], closesConnection: Bool = false
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.closesConnection = closesConnection
  }
}
