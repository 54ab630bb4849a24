/// Why the server itself refuses a request; a handler turns it into the answer's body.
package struct HTTPProtocolError: Error, Sendable, Equatable {
  package enum Code: String, Sendable, CaseIterable {
    case badRequest
    case timeout
    case lengthRequired
    case payloadTooLarge
    case uriTooLong
    case expectationFailed
    case headersTooLarge
    case internalError
    case notImplemented
    case tooManyConnections
    case shuttingDown
    case versionNotSupported
  }

  package let code: Code
  /// One sentence for the client; holds nothing that the client sent.
  package let detail: String

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// The status that the answer must have.
  package var status: Int {
    switch code {
    case .badRequest: 400
    case .timeout: 408
    case .lengthRequired: 411
    case .payloadTooLarge: 413
    case .uriTooLong: 414
    case .expectationFailed: 417
    case .headersTooLarge: 431
    case .internalError: 500
    case .notImplemented: 501
    case .tooManyConnections, .shuttingDown: 503
    case .versionNotSupported: 505
    }
  }
}
