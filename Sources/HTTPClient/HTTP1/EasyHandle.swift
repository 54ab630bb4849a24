internal import CCurl

/// A libcurl easy handle, set up for one destination and used for many HTTP/1.1 requests, one after the
/// other.
///
/// Not `Sendable`: only the transport's thread uses it. libcurl holds this object's address while the handle
/// lives, and the object owns the handle.
final class EasyHandle {
  let destination: Destination
  let curl: UnsafeMutableRawPointer
  private let limits: TransportLimits
  private let connection: CurlConnectionOptions
  private var uploaded = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private(set) var request: TransportRequest?
  private var headers: HeaderList?
  private var body: [UInt8] = []
  private var fields = ResponseFields()
  private var headerBytes = 0
  private var isBodyCut = false

  /// Nil when libcurl refuses an option or has no memory.
  init?(destination: Destination, limits: TransportLimits) {
    guard let curl = curl_easy_init() else { return nil }
    self.curl = curl
    self.destination = destination
    self.limits = limits
    var result = CURLE_OK
    connection = CurlConnectionOptions(curl, destination: destination, result: &result)
    guard result == CURLE_OK, setUp() == CURLE_OK else { return nil }
  }

  deinit {
    curl_easy_cleanup(curl)
    uploaded.deallocate()
  }

  /// Takes a request with the body that it is sent with; the handle can then be added to a multi handle.
  func begin(_ request: TransportRequest, body upload: [UInt8]) -> CURLcode {
    self.request = request
    connection.forgetFailure()
    connection.useKnownAddresses()
    body = []
    fields = ResponseFields()
    headerBytes = 0
    isBodyCut = false
    // libcurl reads the body while the transfer runs, so this object owns that memory.
    if uploaded.count < upload.count {
      uploaded.deallocate()
      uploaded = .allocate(byteCount: max(upload.count, 4096), alignment: 1)
    }
    uploaded.copyBytes(from: upload)
    var options = CurlOptionSetter(curl: curl)
    if destination.method == .post {
      options.pointer(CURLOPT_POSTFIELDS, uploaded.baseAddress)
      options.offset(CURLOPT_POSTFIELDSIZE_LARGE, upload.count)
    }
    if headers !== request.headers {
      options.list(CURLOPT_HTTPHEADER, request.headers.curl)
      headers = request.headers
    }
    return options.result
  }

  /// Ends the request that was begun; the request and its result.
  func finish(
    _ code: CURLcode
  ) -> (TransportRequest, Result<TransportResponse, TransportError>)? {
    guard let request else { return nil }
    self.request = nil
    defer { body = [] }
    let status = information(CURLINFO_RESPONSE_CODE)
    if code == CURLE_OK || (code == CURLE_WRITE_ERROR && isBodyCut && status > 0) {
      let response = TransportResponse(
        status: status, fields: fields, body: body, isBodyCut: isBodyCut)
      return (request, .success(response))
    }
    return (request, .failure(failure(code)))
  }

  func abandon(
    _ code: TransportError.Code, detail: String
  ) -> (TransportRequest, Result<TransportResponse, TransportError>)? {
    guard let request else { return nil }
    self.request = nil
    return (request, .failure(TransportError(code: code, wasSent: wasSent, detail: detail)))
  }

  var connectionsOpened: Int { information(CURLINFO_NUM_CONNECTS) }

  private var wasSent: Bool {
    var bytes: curl_off_t = 0
    return dragoman_curl_get_offset(curl, CURLINFO_SIZE_UPLOAD_T, &bytes) != CURLE_OK || bytes > 0
  }

  private func information(_ info: CURLINFO) -> Int {
    var value = 0
    return dragoman_curl_get_long(curl, info, &value) == CURLE_OK ? value : 0
  }

  private func failure(_ code: CURLcode) -> TransportError {
    if code == CURLE_PARTIAL_FILE, information(CURLINFO_RESPONSE_CODE) == 0 {
      return TransportError(code: .broken, wasSent: wasSent, detail: connection.errorMessage)
    }
    return connection.failure(code, wasSent: wasSent)
  }
}

// MARK: Callbacks from libcurl

extension EasyHandle {
  private func setUp() -> CURLcode {
    var options = CurlOptionSetter(curl: curl)
    options.long(destination.method == .post ? CURLOPT_POST : CURLOPT_HTTPGET, 1)
    if destination.method == .delete { options.string(CURLOPT_CUSTOMREQUEST, "DELETE") }
    options.long(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    options.long(CURLOPT_MAXLIFETIME_CONN, Int(limits.connectionLifetime.components.seconds))
    options.long(CURLOPT_TIMEOUT_MS, destination.timeout.curlMilliseconds)
    options.long(CURLOPT_BUFFERSIZE, 4096)
    let context = Unmanaged.passUnretained(self).toOpaque()
    options.pointer(CURLOPT_WRITEDATA, context)
    options.pointer(CURLOPT_HEADERDATA, context)
    options.callback(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      EasyHandle.from(context)?.receiveBody(bytes, count: size * count) ?? 0
    }
    options.callback(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      EasyHandle.from(context)?.receiveHeader(bytes, count: size * count) ?? 0
    }
    return options.result
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> EasyHandle? {
    context.map { Unmanaged<EasyHandle>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Any result but `count` makes libcurl end the transfer.
  private func receiveBody(_ bytes: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
    guard let bytes, count > 0 else { return count }
    if let onPart = request?.onPart, information(CURLINFO_RESPONSE_CODE) == 200 {
      return onPart(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }
    guard body.count + count <= limits.bodyBytesMax else {
      isBodyCut = true
      return 0
    }
    body.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
    return count
  }

  private func receiveHeader(_ bytes: UnsafeMutablePointer<CChar>?, count: Int) -> Int {
    guard let bytes else { return count }
    headerBytes += count
    guard headerBytes <= limits.headerBytesMax else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: count)
    if Self.isStatusLine(line) {
      // Only the last response counts, not an interim one or one after which libcurl asked again.
      fields = ResponseFields()
      body = []
    } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
      func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0D, 0x0A].contains(byte) }
      let start = line[(colon + 1)...].drop(while: isBlank)
      let value = start[..<((start.lastIndex { !isBlank($0) }).map { $0 + 1 } ?? start.startIndex)]
      fields.take(
        UnsafeRawBufferPointer(rebasing: line[..<colon]), UnsafeRawBufferPointer(rebasing: value),
        status: information(CURLINFO_RESPONSE_CODE))
    }
    return count
  }

  private static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
    line.prefix(5).elementsEqual("HTTP/".utf8)
  }
}
