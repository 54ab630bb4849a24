internal import CNghttp2

/// One client's end of an HTTP/2 connection (RFC 9113), by nghttp2: requests in, frames out, and the other way round.
/// It does no I/O.
///
/// Not `Sendable`: only the transport's thread touches it. nghttp2 holds its address while it lives.
final class HTTP2Session {
  private let limits: TransportLimits
  private var session: OpaquePointer?
  private var exchanges: [Int32: HTTP2Exchange] = [:]
  private var fields: [nghttp2_nv] = []
  /// Those that have ended and were not taken yet.
  private(set) var ended: [(HTTP2Exchange, HTTP2Exchange.Ending)] = []
  /// Whether the peer has told its limits, as it must before all else (RFC 9113 §3.4).
  private(set) var hasSettings = false
  /// Nil until the peer ends the session (RFC 9113 §6.8); then its error code's name.
  private(set) var goAway: String?
  /// Whether the peer has refused a stream that it had let in by its own limits: it does not want more on this
  /// connection.
  private(set) var isRefusing = false
  /// Whether a stream was ended because the peer wants it over HTTP/1.1 (RFC 9113 §7).
  private(set) var wantsHTTP1 = false

  /// Nil without memory.
  init?(limits: TransportLimits) {
    self.limits = limits
    guard let callbacks = Self.callbacks else { return nil }
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard nghttp2_session_client_new(&session, callbacks, context) == 0 else { return nil }
    let settings = [
      nghttp2_settings_entry(settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue),
        value: UInt32(clamping: limits.headerBytesMax)),
    ]
    guard
      nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings, settings.count) == 0
    else { return nil }
  }

  deinit { nghttp2_session_del(session) }

  /// Requests under way.
  var count: Int { exchanges.count }

  /// How many more requests the peer and our own limits let in now.
  var room: Int {
    guard hasSettings, goAway == nil, !isRefusing, !wantsHTTP1,
      nghttp2_session_check_request_allowed(session) != 0
    else { return 0 }
    return max(0, streamsMax - exchanges.count)
  }

  /// Requests at a time.
  var streamsMax: Int {
    let told = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    return min(Int(told), limits.concurrentStreamsMax)
  }

  /// Whether there is nothing more to be had from it.
  var isOver: Bool {
    ((goAway != nil || isRefusing) && exchanges.isEmpty)
      || (nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0)
  }

  /// Begins a request; false when it cannot, and then nothing of it was kept.
  func begin(_ exchange: HTTP2Exchange) -> Bool {
    let request = exchange.request
    fields.removeAll(keepingCapacity: true)
    fields.append(contentsOf: request.destination.http2Fields.own)
    var list: HeaderList? = request.headers
    while let own = list {
      fields.append(contentsOf: own.own)
      list = own.rest
    }
    let stream =
      if request.destination.method == .post {
        withLength(of: request.body.count) { submit(withBody: true) }
      } else {
        submit(withBody: false)
      }
    guard stream > 0 else { return false }
    exchange.stream = stream
    exchanges[stream] = exchange
    return true
  }

  private func submit(withBody: Bool) -> Int32 {
    guard withBody else { return nghttp2_submit_request(session, nil, fields, fields.count, nil, nil) }
    var body = nghttp2_data_provider()
    body.read_callback = { _, stream, buffer, count, flags, _, context in
      guard let session = HTTP2Session.from(context), let exchange = session.exchanges[stream], let flags
      else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
      let copied = exchange.copyBody(to: UnsafeMutableRawBufferPointer(start: buffer, count: count))
      if exchange.isUploaded { flags.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
      return copied
    }
    return nghttp2_submit_request(session, nil, fields, fields.count, &body, nil)
  }

  /// Adds `content-length`, whose value nghttp2 copies.
  private func withLength(of count: Int, _ submit: () -> Int32) -> Int32 {
    var name: StaticString { "content-length" }
    var digits = String(count)
    return digits.withUTF8 { value in
      fields.append(
        nghttp2_nv(
          name: UnsafeMutablePointer(mutating: name.utf8Start),
          value: UnsafeMutablePointer(mutating: value.baseAddress), namelen: name.utf8CodeUnitCount,
          valuelen: value.count, flags: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue)))
      return submit()
    }
  }

  /// Gives a request up, and tells the peer so.
  func cancel(_ exchange: HTTP2Exchange) {
    guard exchanges.removeValue(forKey: exchange.stream) != nil else { return }
    reset(exchange.stream)
  }

  private func reset(_ stream: Int32) {
    // It fails for want of memory alone, which shows at the next frame.
    _ = nghttp2_submit_rst_stream(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, NGHTTP2_CANCEL.rawValue)
  }

  /// Takes what has come; nil, or why the session cannot go on.
  func receive(_ bytes: UnsafeRawBufferPointer) -> String? {
    let taken = nghttp2_session_mem_recv(
      session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    return taken < 0 ? String(cString: nghttp2_strerror(Int32(clamping: taken))) : nil
  }

  /// Adds frames to `output` until there are none or it holds `count` bytes; nil, or why the session cannot go on.
  func produce(into output: inout [UInt8], upTo count: Int) -> String? {
    while output.count < count {
      var bytes: UnsafePointer<UInt8>?
      let produced = nghttp2_session_mem_send(session, &bytes)
      if produced < 0 { return String(cString: nghttp2_strerror(Int32(clamping: produced))) }
      if produced == 0 { return nil }
      output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: produced))
    }
    return nil
  }

  /// Hands over those that have ended.
  func takeEnded() -> [(HTTP2Exchange, HTTP2Exchange.Ending)] {
    defer { ended.removeAll(keepingCapacity: true) }
    return ended
  }

  /// All that are under way, which then are not any more.
  func abandonAll() -> [HTTP2Exchange] {
    defer { exchanges = [:] }
    return Array(exchanges.values)
  }

  /// Those under way that `isMeant` tells.
  func underWay(_ isMeant: (HTTP2Exchange) -> Bool) -> [HTTP2Exchange] { exchanges.values.filter(isMeant) }

  private func end(_ exchange: HTTP2Exchange, _ ending: HTTP2Exchange.Ending) {
    exchanges[exchange.stream] = nil
    ended.append((exchange, ending))
  }
}

// MARK: What nghttp2 calls

extension HTTP2Session {
  private static func from(_ context: UnsafeMutableRawPointer?) -> HTTP2Session? {
    context.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Made once and read by all sessions; nil without memory.
  private nonisolated(unsafe) static let callbacks: OpaquePointer? = {
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
      guard header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0,
        let exchange = exchanges[header.stream_id]
      else { return }
      end(exchange, .answered)
      // A peer may answer before it has read everything (RFC 9113 §8.1): it needs no more of it then.
      if !exchange.isUploaded { reset(header.stream_id) }
    case NGHTTP2_RST_STREAM.rawValue: exchanges[header.stream_id]?.wasResetByPeer = true
    case NGHTTP2_SETTINGS.rawValue:
      if header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0 { hasSettings = true }
    case NGHTTP2_GOAWAY.rawValue: goAway = Self.name(of: frame.pointee.goaway.error_code)
    default: break
    }
  }

  private func notSent(_ stream: Int32) {
    if let exchange = exchanges[stream] { end(exchange, .unprocessed("the stream was not opened")) }
  }

  private func closed(_ stream: Int32, _ code: UInt32) {
    guard let exchange = exchanges[stream] else { return }
    if code == NGHTTP2_HTTP_1_1_REQUIRED.rawValue { wantsHTTP1 = true }
    switch code {
    // Also what nghttp2 closes streams with that lie beyond a GOAWAY's last one (RFC 9113 §8.7).
    case NGHTTP2_REFUSED_STREAM.rawValue:
      isRefusing = true
      end(exchange, .unprocessed(goAway.map { "GOAWAY \($0)" } ?? "REFUSED_STREAM"))
    case NGHTTP2_HTTP_1_1_REQUIRED.rawValue: end(exchange, .unprocessed("HTTP_1_1_REQUIRED"))
    default:
      end(
        exchange,
        .failed(exchange.wasResetByPeer ? .broken : .badResponse, "stream ended with \(Self.name(of: code))"))
    }
  }

  /// As RFC 9113 §7 has it.
  private static func name(of code: UInt32) -> String { String(cString: nghttp2_http2_strerror(code)) }
}
