internal import Glibc

/// How a request over HTTP/2 ends.
enum HTTP2Ending: Equatable {
  case answered
  /// The peer reported that it did not process the request, or no byte of it was sent. `isOrderly`: because
  /// it ends the connection in order.
  case unprocessed(String, isOrderly: Bool = false)
  case failed(TransportError.Code, String)
  /// There is no connection that could carry the request.
  case unconnected(TransportError)
}

/// A request and the part of its response that has arrived.
///
/// Not `Sendable`: only the thread that has the transport's turn uses it.
final class HTTP2Exchange: HTTP2PoolRequest {
  let request: TransportRequest
  private(set) var begunAt: ContinuousClock.Instant
  private(set) var deadline: ContinuousClock.Instant
  /// 0 before the request has a stream.
  var stream: Int32 = 0
  /// Whether anything of the request may have been sent.
  var wasSent = false
  var wasResetByPeer = false
  private(set) var isBodyCut = false
  private var uploaded = 0
  /// The request's body as it left.
  private var upload: [UInt8] = []
  private var status = 0
  private var fields = ResponseFields()
  private var headerBytes = 0
  private var body: [UInt8] = []

  static func == (one: HTTP2Exchange, other: HTTP2Exchange) -> Bool { one === other }

  init(_ request: TransportRequest, now: ContinuousClock.Instant) {
    self.request = request
    begunAt = now
    deadline = now + request.destination.timeout
  }

  func leave(now: ContinuousClock.Instant) -> Bool {
    guard let body = request.atDeparture() else { return false }
    if begunAt != now {
      begunAt = now
      deadline = now + request.destination.timeout
    }
    if request.destination.method == .post { upload = body }
    uploaded = 0
    return true
  }

  var uploadCount: Int { upload.count }
  var isUploaded: Bool { uploaded == upload.count }

  /// Copies the next bytes of the request's body; the count.
  func copyBody(to buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, upload.count - uploaded)
    buffer.copyBytes(from: upload[uploaded..<(uploaded + count)])
    uploaded += count
    return count
  }

  /// A block of fields begins: the response's, or one after an interim response (RFC 9110 §15.2), or its
  /// trailers.
  func beginHeaders() {
    guard status < 200 else { return }
    status = 0
    fields = ResponseFields()
  }

  /// Takes a field; false when the response has more of them than are read.
  func receive(
    name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>, limits: TransportLimits
  ) -> Bool {
    // RFC 9113 §6.5.2: a field's size counts its overhead in the table.
    headerBytes += name.count + value.count + 32
    guard headerBytes <= limits.headerBytesMax else { return false }
    if Self.isEqual(name, ":status") {
      // nghttp2 has checked that these are three digits (RFC 9113 §8.3.2).
      status = value.prefix(3).reduce(0) { $0 * 10 + Int($1 &- UInt8(ascii: "0")) }
    } else {
      fields.take(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer(value), status: status)
    }
    return true
  }

  private static func isEqual(_ bytes: UnsafeBufferPointer<UInt8>, _ name: StaticString) -> Bool {
    guard bytes.count == name.utf8CodeUnitCount, let start = bytes.baseAddress else { return false }
    return memcmp(start, name.utf8Start, bytes.count) == 0
  }

  /// Takes a part of the response's body; false when the body is longer than is read.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>, limits: TransportLimits) -> Bool {
    if let onPart = request.onPart, status == 200 { return onPart(UnsafeRawBufferPointer(bytes)) }
    guard body.count + bytes.count <= limits.bodyBytesMax else {
      isBodyCut = true
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  func result(_ ending: HTTP2Ending) -> Result<TransportResponse, TransportError> {
    switch ending {
    case .answered:
      .success(
        TransportResponse(
          status: status, fields: fields, body: body, isBodyCut: isBodyCut))
    case .unprocessed(let detail, let isOrderly):
      .failure(
        TransportError(code: isOrderly ? .goingAway : .unprocessed, wasSent: false, detail: detail))
    case .unconnected(let error): .failure(error)
    case .failed(let code, let detail):
      .failure(TransportError(code: code, wasSent: wasSent, detail: detail))
    }
  }
}
