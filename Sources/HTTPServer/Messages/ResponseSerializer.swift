/// Writes answers as HTTP/1.1 bytes.
enum ResponseSerializer {
  static let continueBytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// In every answer: browsers may neither guess another type nor show it inside another site's page.
  private static let protection: StaticString =
    "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: same-origin\r\n"

  /// Appends the whole answer; `date` is an IMF-fixdate.
  static func append(_ ready: ReadyAnswer, date: [UInt8], to output: inout [UInt8]) {
    let response = ready.response
    // After an informational status, the client would wait for the final one.
    let status = (200...599).contains(response.status) ? response.status : 500
    output.reserveCapacity(output.count + 256 + response.headers.bytes.count + response.body.count)
    appendText("HTTP/1.1 ", to: &output)
    appendDecimal(status, to: &output)
    output.append(ASCII.space)
    appendText(reason(status), to: &output)
    appendText("\r\nDate: ", to: &output)
    output.append(contentsOf: date)
    appendText("\r\n", to: &output)
    appendText(protection, to: &output)
    append(response.headers, to: &output)
    let hasContent = status != 204 && status != 304
    if hasContent, response.stream != nil {
      if ready.minorVersion > 0 { appendText("Transfer-Encoding: chunked\r\n", to: &output) }
    } else if hasContent {
      appendText("Content-Length: ", to: &output)
      appendDecimal(response.body.count, to: &output)
      appendText("\r\n", to: &output)
    }
    if !ready.keepsAlive {
      appendText("Connection: close\r\n", to: &output)
    } else if ready.minorVersion == 0 {
      appendText("Connection: keep-alive\r\n", to: &output)
    }
    appendText("\r\n", to: &output)
    if hasContent, !ready.isHead, response.stream == nil { output.append(contentsOf: response.body) }
  }

  /// Appends a chunk of a body of unknown length; an empty one would end the body (RFC 9112 §7.1).
  static func append(chunk: [UInt8], to output: inout [UInt8]) {
    guard !chunk.isEmpty else { return }
    output.append(contentsOf: String(chunk.count, radix: 16).utf8)
    output.append(contentsOf: "\r\n".utf8)
    output.append(contentsOf: chunk)
    output.append(contentsOf: "\r\n".utf8)
  }

  static let lastChunkBytes = Array("0\r\n\r\n".utf8)

  private static func append(_ headers: HTTPHeaders, to output: inout [UInt8]) {
    // Guard: the ranges of the fields lie inside the bytes, and the pointers do not leave the closure.
    headers.bytes.withUnsafeBufferPointer { bytes in
      for field in headers.fields {
        append(
          name: UnsafeBufferPointer(rebasing: bytes[field.nameRange]),
          value: UnsafeBufferPointer(rebasing: bytes[field.valueRange]), to: &output)
      }
    }
  }

  /// A field that the server does not set itself and whose name is one. Control characters in a value become
  /// spaces: a handler that repeats input must not be able to write a second header or answer.
  private static func append(
    name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]
  ) {
    guard !name.isEmpty, name.allSatisfy(ASCII.isTokenByte), !isServerOwned(name) else { return }
    output.append(contentsOf: name)
    appendText(": ", to: &output)
    if ASCII.areFieldValueBytes(value) {
      output.append(contentsOf: value)
    } else {
      for byte in value { output.append(ASCII.isFieldValueByte(byte) ? byte : ASCII.space) }
    }
    appendText("\r\n", to: &output)
  }

  private static func isServerOwned(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    switch name.count {
    case 4: ASCII.equalsIgnoringCase(name, lowercase: "date")
    case 10: ASCII.equalsIgnoringCase(name, lowercase: "connection")
    case 14: ASCII.equalsIgnoringCase(name, lowercase: "content-length")
    case 17: ASCII.equalsIgnoringCase(name, lowercase: "transfer-encoding")
    default: false
    }
  }

  private static func appendDecimal(_ number: Int, to output: inout [UInt8]) {
    if number >= 10 { appendDecimal(number / 10, to: &output) }
    output.append(UInt8(ascii: "0") + UInt8(number % 10))
  }

  private static func appendText(_ text: StaticString, to output: inout [UInt8]) {
    // Guard: the pointer of a StaticString literal is valid for the process.
    output.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// The reason phrases of RFC 9110 §15 and RFC 6585.
  private static func reason(_ status: Int) -> StaticString {
    switch status {
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    default: "Status"
    }
  }
}
