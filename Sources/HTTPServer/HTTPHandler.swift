/// What a handler says to a request's head, before any of its body is read.
package enum HTTPAdmission: Sendable {
  /// Read the body, up to so many bytes; nil is the server's own limit.
  case accept(bodyBytesMax: Int?)
  /// Answer now. When a body was announced it stays unread and the connection ends.
  case refuse(HTTPResponse)
}

/// What a server is for. All of it is called on an event loop and must not block.
package protocol HTTPHandler: Sendable {
  /// Judges a head before its body is read and before `100 Continue` goes out.
  func admit(_ head: HTTPRequestHead) -> HTTPAdmission

  /// Takes a whole request; the answer goes to `responder`, now or later, from any thread.
  func handle(_ request: HTTPRequest, responder: HTTPResponder)

  /// The answer to a request that the server itself refuses; its status becomes the error's.
  func response(to error: HTTPProtocolError) -> HTTPResponse
}

extension HTTPHandler {
  package func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .accept(bodyBytesMax: nil) }
}
