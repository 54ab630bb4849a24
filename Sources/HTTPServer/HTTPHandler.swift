/// What a handler decides on a request's head, before any of its body is read.
package enum HTTPAdmission: Sendable {
  /// Read the body, up to `bodyBytesMax` bytes (nil: the server's own limit), and give the request to a
  /// handler that knows the decisions on its head.
  case accept(by: any HTTPRequestHandler, bodyBytesMax: Int?)
  /// Answer now. An announced body is not read, and the connection then closes. `observer` follows the
  /// answer.
  case refuse(HTTPResponse, observer: (any HTTPAnswerObserver)? = nil)
}

/// Follows the answer to one request. Called on an event loop, so it must not block.
package protocol HTTPAnswerObserver: Sendable {
  /// The last byte of the answer was given to the system. Not called if the connection ended before.
  func answerWasWritten()
}

extension HTTPAnswerObserver {
  package func answerWasWritten() {}
}

/// Answers the requests of a server. The server calls it on an event loop, so it must not block.
package protocol HTTPHandler: Sendable {
  /// Decides on a head before its body is read and before `100 Continue` is sent.
  func admit(_ head: HTTPRequestHead) -> HTTPAdmission

  /// The answer to a request that the server itself refuses; its status becomes the error's.
  func response(to error: HTTPProtocolError) -> HTTPResponse
}

/// Answers one admitted request. Called on an event loop, so it must not block.
package protocol HTTPRequestHandler: HTTPAnswerObserver {
  /// Whose request it is, for the shares of an event loop; nil: that of the connection's address.
  var client: String? { get }

  /// Handles a whole request; the answer goes to `responder`, now or later, from any thread.
  func handle(_ request: HTTPRequest, responder: HTTPResponder)

  /// The answer where the server refuses the request while it reads the body; its status becomes the error's.
  /// The handler is told when it was written. Nil for the answer that a request without a head gets.
  func response(to error: HTTPProtocolError) -> HTTPResponse?
}

extension HTTPRequestHandler {
  package var client: String? { nil }

  package func response(to error: HTTPProtocolError) -> HTTPResponse? { nil }
}

extension HTTPHandler where Self: HTTPRequestHandler {
  /// Admits every request, up to the server's own limits.
  package func admit(_ head: HTTPRequestHead) -> HTTPAdmission { .accept(by: self, bodyBytesMax: nil) }
}
