internal import CNghttp2

/// The client's end of an HTTP/2 connection (RFC 9113), by nghttp2: turns requests into frames and frames
/// into responses. It does no I/O.
///
/// Not `Sendable`: only the thread that has the transport's turn uses it. nghttp2 holds its address while it
/// lives.
final class HTTP2Session {
  let limits: TransportLimits
  private var session: OpaquePointer?
  var exchanges: [Int32: HTTP2Exchange] = [:]
  private var fields: [nghttp2_nv] = []
  /// Exchanges that have ended and were not taken yet.
  private var ended: [(HTTP2Exchange, HTTP2Ending)] = []
  /// Whether the peer has sent its SETTINGS, as it must before anything else (RFC 9113 §3.4).
  var hasSettings = false
  /// The name of the error code with which the peer ended the session (RFC 9113 §6.8); nil before.
  var goAway: String?
  /// Whether that was in order: without an error.
  var isOrderly = false
  /// Whether the peer has refused a stream that its own limits allowed: this connection takes no more.
  var isRefusing = false
  /// Whether the peer ended a stream because it wants the request over HTTP/1.1 (RFC 9113 §7).
  var wantsHTTP1 = false

  /// Bytes of frames since the last answer that belong to no answer.
  var idleFrameBytes = 0

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

  /// How many more requests the peer's limits and ours allow now.
  var room: Int {
    guard hasSettings, goAway == nil, !isRefusing, !wantsHTTP1,
      nghttp2_session_check_request_allowed(session) != 0
    else { return 0 }
    return max(0, streamsMax - exchanges.count)
  }

  /// Requests at a time, by the peer's limit and ours.
  var streamsMax: Int {
    let peerLimit = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    return min(Int(peerLimit), limits.concurrentStreamsMax)
  }

  /// Whether neither side has anything left to send.
  var isOver: Bool {
    ((goAway != nil || isRefusing) && exchanges.isEmpty)
      || (nghttp2_session_want_read(session) == 0 && nghttp2_session_want_write(session) == 0)
  }

  /// Begins a request; false when nghttp2 refuses it, and then nothing of it is kept.
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
        withLength(of: exchange.uploadCount) { submit(withBody: true) }
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

  /// Abandons a request and resets its stream.
  func cancel(_ exchange: HTTP2Exchange) {
    guard exchanges.removeValue(forKey: exchange.stream) != nil else { return }
    reset(exchange.stream)
  }

  func reset(_ stream: Int32) {
    // It fails only without memory, and then the next frame fails too.
    _ = nghttp2_submit_rst_stream(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, NGHTTP2_CANCEL.rawValue)
  }

  /// Takes bytes that have arrived; why the session cannot go on, or nil.
  func receive(_ bytes: UnsafeRawBufferPointer) -> String? {
    let taken = nghttp2_session_mem_recv(
      session, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    guard taken >= 0 else { return String(cString: nghttp2_strerror(Int32(clamping: taken))) }
    idleFrameBytes += bytes.count
    guard idleFrameBytes <= limits.idleFrameBytesMax else {
      return "the peer sent \(limits.idleFrameBytesMax) bytes of frames that belong to no answer"
    }
    return nil
  }

  /// Adds frames to `output` until there are none or it holds `count` bytes; why the session cannot go on, or
  /// nil.
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

  /// Returns the exchanges that have ended since the last call.
  func takeEnded() -> [(HTTP2Exchange, HTTP2Ending)] {
    defer { ended.removeAll(keepingCapacity: true) }
    return ended
  }

  /// Forgets all exchanges that are under way and returns them.
  func abandonAll() -> [HTTP2Exchange] {
    defer { exchanges = [:] }
    return Array(exchanges.values)
  }

  var underWay: [HTTP2Exchange] { Array(exchanges.values) }

  func end(_ exchange: HTTP2Exchange, _ ending: HTTP2Ending) {
    exchanges[exchange.stream] = nil
    if case .answered = ending { idleFrameBytes = 0 }
    ended.append((exchange, ending))
  }
}
