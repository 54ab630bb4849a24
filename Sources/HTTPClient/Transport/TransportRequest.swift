/// One request. The body of a GET is not sent.
package struct TransportRequest: Sendable {
  package let destination: Destination
  package let headers: HeaderList
  package let body: [UInt8]
  /// Called on the transport's thread just before the request is sent, and before each repetition: the body
  /// with which it is sent, or nil to withdraw it. Must not block.
  let atDeparture: @Sendable () -> [UInt8]?
  /// Takes the body of a 200 part by part, on the transport's thread; such a body has no limit. False ends
  /// the request. Must not block. Nil: the response has its whole body.
  let onPart: (@Sendable (UnsafeRawBufferPointer) -> Bool)?
  /// Called exactly once, on the transport's thread or, after that thread has ended, on a queue. Must not
  /// block.
  package let completion: @Sendable (Result<TransportResponse, TransportError>) -> Void

  package init(
    destination: Destination, headers: HeaderList, body: [UInt8],
    atDeparture: (@Sendable () -> [UInt8]?)? = nil,
    onPart: (@Sendable (UnsafeRawBufferPointer) -> Bool)? = nil,
    completion: @escaping @Sendable (Result<TransportResponse, TransportError>) -> Void
  ) {
    self.destination = destination
    self.headers = headers
    self.body = body
    self.atDeparture = atDeparture ?? { body }
    self.onPart = onPart
    self.completion = completion
  }
}

/// The parts of a peer's response that callers use.
package struct TransportResponse: Sendable, Equatable {
  package let status: Int
  package let fields: ResponseFields
  /// At most `TransportLimits.bodyBytesMax` bytes.
  package let body: [UInt8]
  /// Whether the response's body was longer than `TransportLimits.bodyBytesMax`.
  package let isBodyCut: Bool

  package init(
    status: Int, fields: ResponseFields = ResponseFields(), body: [UInt8], isBodyCut: Bool = false
  ) {
    self.status = status
    self.fields = fields
    self.body = body
    self.isBodyCut = isBodyCut
  }

  /// The body; empty if it was cut, since a part of a document is none.
  package var wholeBody: [UInt8] { isBodyCut ? [] : body }
}

/// A request that has ended, with its result.
typealias FinishedRequest = (TransportRequest, Result<TransportResponse, TransportError>)
