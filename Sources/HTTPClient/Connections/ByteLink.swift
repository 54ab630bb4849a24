internal import CCurl

/// Carries the bytes of an HTTP/2 session. No call blocks.
protocol ByteLink: AnyObject, Sendable {
  var socket: curl_socket_t { get }
  /// Reads bytes that have arrived.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> LinkInput
  /// Whether bytes are buffered that `receive` has not returned yet and that the socket no longer reports.
  var hasReadAhead: Bool { get }
  /// Writes as much as the socket takes; the count, or why the connection has ended.
  func send(_ bytes: UnsafeRawBufferPointer) -> Result<Int, TransportError>
}

/// What a link has received.
enum LinkInput {
  case bytes(Int)
  case nothingYet
  case ended(String)
}

/// The result of connecting.
enum ConnectOutcome: Sendable {
  case http2(any ByteLink)
  /// The peer negotiated no HTTP/2 (no `h2` by ALPN, RFC 9113 §3.2).
  case http1
  case failed(TransportError)
}
