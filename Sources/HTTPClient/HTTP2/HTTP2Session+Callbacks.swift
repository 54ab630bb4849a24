internal import CNghttp2

/// What nghttp2 calls while it reads and writes frames.
extension HTTP2Session {
  static func from(_ context: UnsafeMutableRawPointer?) -> HTTP2Session? {
    context.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The callbacks of all sessions; nil without memory.
  // Guard: written once, before its first use; nghttp2 only reads it.
  nonisolated(unsafe) static let callbacks: OpaquePointer? = {
    var callbacks: OpaquePointer?
    guard nghttp2_session_callbacks_new(&callbacks) == 0 else { return nil }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
      guard let frame else { return 0 }
      HTTP2Session.from(context)?.exchanges[frame.pointee.hd.stream_id]?.beginHeaders()
      return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameCount, value, valueCount, _, context in
      guard let frame, let session = HTTP2Session.from(context) else { return 0 }
      return session.received(
        on: frame.pointee.hd.stream_id, name: UnsafeBufferPointer(start: name, count: nameCount),
        value: UnsafeBufferPointer(start: value, count: valueCount))
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
      _, _, stream, bytes, count, context in
      HTTP2Session.from(context)?.received(on: stream, UnsafeBufferPointer(start: bytes, count: count))
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
      if let frame { HTTP2Session.from(context)?.received(frame) }
      return 0
    }
    nghttp2_session_callbacks_set_before_frame_send_callback(callbacks) { _, frame, context in
      guard let frame, frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return 0 }
      HTTP2Session.from(context)?.exchanges[frame.pointee.hd.stream_id]?.wasSent = true
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, context in
      guard let frame, frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue) else { return 0 }
      HTTP2Session.from(context)?.notSent(frame.pointee.hd.stream_id)
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
      HTTP2Session.from(context)?.closed(stream, code)
      return 0
    }
    return callbacks
  }()

  private func received(
    on stream: Int32, name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>
  ) -> Int32 {
    guard let exchange = exchanges[stream] else { return 0 }
    // nghttp2 then resets the stream.
    return exchange.receive(name: name, value: value, limits: limits)
      ? 0 : NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }

  private func received(on stream: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
    guard let exchange = exchanges[stream], !exchange.receive(bytes, limits: limits) else { return }
    end(exchange, .answered)
    reset(stream)
  }

  private func received(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = frame.pointee.hd
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
      guard let exchange = exchanges[header.stream_id] else { return }
      if hasContent(frame) { idleFrameBytes -= Self.frameHeaderBytes + header.length }
      guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 else { return }
      end(exchange, .answered)
      // A peer may respond before it has read the whole request (RFC 9113 §8.1); the rest is not needed.
      if !exchange.isUploaded { reset(header.stream_id) }
    case NGHTTP2_RST_STREAM.rawValue: exchanges[header.stream_id]?.wasResetByPeer = true
    case NGHTTP2_SETTINGS.rawValue:
      if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { hasSettings = true }
    case NGHTTP2_GOAWAY.rawValue:
      goAway = Self.name(of: frame.pointee.goaway.error_code)
      isOrderly = frame.pointee.goaway.error_code == NGHTTP2_NO_ERROR.rawValue
    default: break
    }
  }

  /// RFC 9113 §4.1.
  private static let frameHeaderBytes = 9

  /// Whether a frame has a part of an answer, and not only padding (RFC 9113 §6.1).
  private func hasContent(_ frame: UnsafePointer<nghttp2_frame>) -> Bool {
    let header = frame.pointee.hd
    return header.type != UInt8(NGHTTP2_DATA.rawValue) || header.length > frame.pointee.data.padlen
  }

  private func notSent(_ stream: Int32) {
    if let exchange = exchanges[stream] { end(exchange, .unprocessed("the stream was not opened")) }
  }

  private func closed(_ stream: Int32, _ code: UInt32) {
    guard let exchange = exchanges[stream] else { return }
    if code == NGHTTP2_HTTP_1_1_REQUIRED.rawValue { wantsHTTP1 = true }
    switch code {
    // nghttp2 also closes streams beyond a GOAWAY's last one with this code (RFC 9113 §8.7).
    case NGHTTP2_REFUSED_STREAM.rawValue:
      isRefusing = true
      end(
        exchange, .unprocessed(goAway.map { "GOAWAY \($0)" } ?? "REFUSED_STREAM", isOrderly: isOrderly))
    case NGHTTP2_HTTP_1_1_REQUIRED.rawValue: end(exchange, .unprocessed("HTTP_1_1_REQUIRED"))
    default:
      end(
        exchange,
        .failed(exchange.wasResetByPeer ? .broken : .badResponse, "stream ended with \(Self.name(of: code))"))
    }
  }

  /// The name of an error code (RFC 9113 §7).
  private static func name(of code: UInt32) -> String { String(cString: nghttp2_http2_strerror(code)) }
}
