internal import Glibc

/// How a request over HTTP/2 ends.
enum HTTP2Ending: Equatable {
  case answered
  /// The peer reported that it did not process the request, or no byte of it was sent.
  case unprocessed(String)
  case failed(TransportError.Code, String)
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
  private var retryAfter: String?
  private var date: String?
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
    retryAfter = nil
    date = nil
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
    } else if value.count <= 256, Self.isEqual(name, "retry-after") {
      retryAfter = String(decoding: value, as: UTF8.self)
    } else if value.count <= 64, status >= 300, Self.isEqual(name, "date") {
      // Only the date of a refusal is used, and a success must not pay for it.
      date = String(decoding: value, as: UTF8.self)
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
          status: status, retryAfter: retryAfter, date: date, body: body, isBodyCut: isBodyCut))
    case .unprocessed(let detail):
      .failure(TransportError(code: .unprocessed, wasSent: false, detail: detail))
    case .failed(let code, let detail):
      .failure(TransportError(code: code, wasSent: wasSent, detail: detail))
    }
  }
}
