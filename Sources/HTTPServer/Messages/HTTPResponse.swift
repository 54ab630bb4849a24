/// A final answer. The server adds Date, Content-Length and Connection, leaves out the body where the method
/// or status has none (HEAD, 204, 304), and ignores fields of these names.
package struct HTTPResponse: Sendable, Equatable {
  /// 200 to 599.
  package var status: Int
  package var headers: HTTPHeaders
  package var body: [UInt8]
  /// The connection ends after this answer, whatever the client asked for.
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
