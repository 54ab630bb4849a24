internal import Glibc

/// Parses HTTP/1.1 requests (RFC 9112) without I/O: bytes in, steps out, the same steps however the
/// bytes are cut. It rejects what two readers could interpret as two different requests.
struct RequestParser: Sendable {
  enum Step: Sendable {
    /// All input is consumed.
    case needsInput
    /// A head; `beginBody` must follow before the next step.
    case head(HTTPRequestHead, RequestFraming)
    /// The body of the last head, complete.
    case body([UInt8])
    /// Nothing after this can be trusted; the parser accepts no more input.
    case failed(HTTPProtocolError)
  }

  /// The part of the request that is being read.
  enum Phase: Sendable, Equatable { case betweenRequests, head, body }

  private enum State: Sendable {
    case requestLine, fieldLine
    /// The head has been returned; the connection decides how to proceed.
    case awaitingDecision
    case fixedBody(remaining: Int)
    case chunkSize
    case chunkData(remaining: Int)
    case chunkEndCarriageReturn, chunkEndLineFeed
    case trailer
    case failed
  }

  /// The number of empty lines allowed before a request line (RFC 9112 §2.2 requires ignoring at least one).
  static let leadingEmptyLinesMax = 4
  /// The longest request line that is kept until the next one.
  private static let keptLineBytesMax = 128

  /// The first byte of a TLS connection (RFC 8446 §5.1), after which no line may ever end.
  private static let tlsHandshake: UInt8 = 0x16

  private let limits: HTTPServerConfiguration
  private let peer: String
  /// Copied into the heads that follow.
  var clientSubject: String?
  private var state = State.requestLine

  /// The head's bytes (or, in a body, those of one chunk line), up to the last byte read.
  private var buffer: [UInt8] = []
  private var lineStart = 0
  private var fieldsStart = 0
  private var leadingEmptyLines = 0
  private var requestLine: RequestLine?
  /// The last request line, if it was short: most clients repeat theirs.
  private var lastLine: (bytes: [UInt8], parsed: RequestLine)?
  private var fields: [HTTPHeaders.Field] = []
  private var framingFields = FramingFields()
  private var framing = RequestFraming()

  private var body: [UInt8] = []
  private var bodyBytesMax = 0
  private var extensionBytes = 0
  private var trailerBytes = 0
  private var trailerCount = 0

  init(limits: HTTPServerConfiguration, peer: String) {
    self.limits = limits
    self.peer = peer
  }

  var phase: Phase {
    switch state {
    case .requestLine: buffer.isEmpty && leadingEmptyLines == 0 ? .betweenRequests : .head
    case .fieldLine, .awaitingDecision, .failed: .head
    case .fixedBody, .chunkSize, .chunkData, .chunkEndCarriageReturn, .chunkEndLineFeed, .trailer: .body
    }
  }

  /// The bytes of the body so far.
  var bodyByteCount: Int { body.count }

  /// Reads from `input[offset]` up to the next step; `offset` is then after the consumed bytes.
  mutating func next(_ input: Span<UInt8>, _ offset: inout Int) -> Step {
    do {
      return try advance(input, &offset)
    } catch {
      state = .failed
      buffer = []
      body = []
      return .failed(error)
    }
  }

  /// Continues with the body of the head just returned, which may have `bytesMax` bytes.
  mutating func beginBody(bytesMax: Int) throws(HTTPProtocolError) {
    bodyBytesMax = bytesMax
    body = []
    switch framing.body {
    case .none: state = .fixedBody(remaining: 0)
    case .length(let count):
      guard count <= bytesMax else {
        state = .failed
        throw bodyTooLarge
      }
      // Memory is not reserved for an announced length that may never arrive.
      body.reserveCapacity(min(count, 65_536))
      state = .fixedBody(remaining: count)
    case .chunked:
      extensionBytes = 0
      trailerBytes = 0
      trailerCount = 0
      state = .chunkSize
    }
  }

  /// Continues with the next request after a head that announced no body.
  mutating func skipBody() { state = .requestLine }

  /// Forgets the body that is being read; nothing further is parsed.
  mutating func dropBody() {
    body = []
    state = .failed
  }

  private var bodyTooLarge: HTTPProtocolError {
    HTTPProtocolError(.payloadTooLarge, "The body is larger than the \(bodyBytesMax) bytes that are allowed.")
  }

  private mutating func advance(_ input: Span<UInt8>, _ offset: inout Int) throws(HTTPProtocolError) -> Step {
    while true {
      switch state {
      case .requestLine:
        if buffer.isEmpty, offset < input.count, input[offset] == Self.tlsHandshake {
          throw HTTPProtocolError(
            .badRequest, "This port speaks plain HTTP, and TLS arrived: ask with http, or set server.tls.")
        }
        guard try takeRequestLine(input, &offset) else { return .needsInput }
      case .fieldLine:
        guard try takeLine(input, &offset, bytesMax: limits.headerBytesMax - (lineStart - fieldsStart)) else {
          return .needsInput
        }
        if let head = try endFieldLine() { return .head(head, framing) }
      case .awaitingDecision, .failed: return .needsInput
      case .fixedBody(let remaining):
        let count = min(remaining, input.count - offset)
        append(input, &offset, count)
        guard count == remaining else {
          state = .fixedBody(remaining: remaining - count)
          return .needsInput
        }
        return endBody()
      case .chunkSize:
        guard try takeLine(input, &offset, bytesMax: limits.chunkLineBytesMax) else { return .needsInput }
        try endChunkSizeLine()
      case .chunkData(let remaining):
        let count = min(remaining, input.count - offset)
        append(input, &offset, count)
        guard count == remaining else {
          state = .chunkData(remaining: remaining - count)
          return .needsInput
        }
        state = .chunkEndCarriageReturn
      case .chunkEndCarriageReturn:
        guard try take(ASCII.carriageReturn, input, &offset) else { return .needsInput }
        state = .chunkEndLineFeed
      case .chunkEndLineFeed:
        guard try take(ASCII.lineFeed, input, &offset) else { return .needsInput }
        state = .chunkSize
      case .trailer:
        guard try takeLine(input, &offset, bytesMax: limits.headerBytesMax - trailerBytes) else {
          return .needsInput
        }
        if try endTrailerLine() { return endBody() }
      }
    }
  }

  // MARK: Lines

  /// Moves input up to a line's end to `buffer`; true when the line is whole. Its text is `line`.
  private mutating func takeLine(
    _ input: Span<UInt8>, _ offset: inout Int, bytesMax: Int
  ) throws(HTTPProtocolError) -> Bool {
    let start = offset
    let count = input.count - start
    guard count > 0 else { return false }
    // Guard: `start` and `count` lie inside the span, and the pointer does not leave the closure.
    let lineCount = input.withUnsafeBufferPointer { bytes -> Int? in
      guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, count) else { return nil }
      return UnsafeRawPointer(found) - UnsafeRawPointer(base + start) + 1
    }
    let taken = lineCount ?? count
    try refuseBareCarriageReturn(input, start, taken, bytesMax: bytesMax)
    guard buffer.count - lineStart + taken <= bytesMax else { throw lineTooLong(input, start) }
    Self.append(input, from: start, count: taken, to: &buffer)
    offset = start + taken
    guard lineCount != nil else { return false }
    guard buffer.count - lineStart >= 2, buffer[buffer.count - 2] == ASCII.carriageReturn else {
      throw HTTPProtocolError(.badRequest, "A line ends without a carriage return.")
    }
    return true
  }

  /// Refuses a CR without its LF as soon as it is seen (RFC 9112 §2.2): a client for which it ends a line
  /// would otherwise wait for an answer that never comes. Only within the line's limit, so that the result
  /// does not depend on how the input is split.
  private func refuseBareCarriageReturn(
    _ input: Span<UInt8>, _ start: Int, _ count: Int, bytesMax: Int
  ) throws(HTTPProtocolError) {
    let before = buffer.count - lineStart
    let seen = min(count, bytesMax - before)
    guard seen > 0 else { return }
    if before > 0, buffer[buffer.count - 1] == ASCII.carriageReturn, input[start] != ASCII.lineFeed {
      throw Self.bareCarriageReturn
    }
    // Guard: `start` and `seen` lie inside the span, and the pointer does not leave the closure.
    let isBare = input.withUnsafeBufferPointer { bytes -> Bool in
      guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0D, seen) else { return false }
      let place = UnsafeRawPointer(found) - UnsafeRawPointer(base)
      return place + 1 < start + seen && bytes[place + 1] != ASCII.lineFeed
    }
    if isBare { throw Self.bareCarriageReturn }
  }

  private static var bareCarriageReturn: HTTPProtocolError {
    HTTPProtocolError(.badRequest, "A line holds a carriage return without a line feed.")
  }

  private var line: Range<Int> { lineStart..<(buffer.count - 2) }

  private func lineTooLong(_ input: Span<UInt8>, _ offset: Int) -> HTTPProtocolError {
    switch state {
    case .requestLine:
      var start = Array(buffer[lineStart...].prefix(limits.methodBytesMax + 1))
      Self.append(
        input, from: offset, count: min(limits.methodBytesMax + 1 - start.count, input.count - offset),
        to: &start)
      if !start.contains(ASCII.space) { return RequestLine.methodTooLong }
      return HTTPProtocolError(.uriTooLong, "The request line is longer than allowed.")
    case .chunkSize: return HTTPProtocolError(.badRequest, "A chunk's size line is longer than allowed.")
    default: return HTTPProtocolError(.headersTooLarge, "The header fields are larger than allowed.")
    }
  }

  private static func append(_ input: Span<UInt8>, from start: Int, count: Int, to array: inout [UInt8]) {
    guard count > 0 else { return }
    // Guard: `extracting` checks the range; the pointer does not leave the closure.
    input.extracting(start..<(start + count)).withUnsafeBufferPointer { array.append(contentsOf: $0) }
  }

  // MARK: Heads

  private mutating func takeRequestLine(
    _ input: Span<UInt8>, _ offset: inout Int
  ) throws(HTTPProtocolError) -> Bool {
    if buffer.isEmpty, offset < input.count {
      // A byte that cannot start a request is rejected at once, before a line end that may never arrive.
      guard ASCII.isTokenByte(input[offset]) || input[offset] == ASCII.carriageReturn else {
        throw HTTPProtocolError(.badRequest, "This is not an HTTP/1.1 request.")
      }
      if buffer.capacity == 0 { buffer.reserveCapacity(512) }
    }
    guard try takeLine(input, &offset, bytesMax: limits.requestLineBytesMax) else { return false }
    if line.isEmpty {
      leadingEmptyLines += 1
      guard leadingEmptyLines <= Self.leadingEmptyLinesMax else {
        throw HTTPProtocolError(.badRequest, "Too many empty lines before the request line.")
      }
      buffer.removeAll(keepingCapacity: true)
      return true
    }
    requestLine = try parsedRequestLine()
    lineStart = buffer.count
    fieldsStart = buffer.count
    fields.reserveCapacity(12)
    state = .fieldLine
    return true
  }

  private mutating func parsedRequestLine() throws(HTTPProtocolError) -> RequestLine {
    let text = buffer[line]
    if let lastLine, lastLine.bytes.elementsEqual(text) { return lastLine.parsed }
    let parsed = try RequestLine(text, methodBytesMax: limits.methodBytesMax)
    if text.count <= Self.keptLineBytesMax { lastLine = (Array(text), parsed) }
    return parsed
  }

  private mutating func endFieldLine() throws(HTTPProtocolError) -> HTTPRequestHead? {
    guard !line.isEmpty else { return try endHead() }
    guard fields.count < limits.headerCountMax else {
      throw HTTPProtocolError(.headersTooLarge, "There are more header fields than allowed.")
    }
    let field = try FieldLine.parse(buffer, line)
    try framingFields.note(field, of: buffer)
    fields.append(field)
    lineStart = buffer.count
    return nil
  }

  private mutating func endHead() throws(HTTPProtocolError) -> HTTPRequestHead? {
    guard let requestLine else { return nil }
    framing = try framingFields.framing(minorVersion: requestLine.minorVersion)
    var headers = HTTPHeaders(bytes: buffer, fields: fields)
    // RFC 9112 §3.2.2: the authority of an absolute-form target replaces Host.
    if let authority = requestLine.authority { headers["Host"] = authority }
    let head = HTTPRequestHead(
      method: requestLine.method, target: requestLine.target, minorVersion: requestLine.minorVersion,
      headers: headers, peer: peer, clientSubject: clientSubject)
    resetHead()
    state = .awaitingDecision
    return head
  }

  private mutating func resetHead() {
    buffer = []
    fields = []
    lineStart = 0
    fieldsStart = 0
    leadingEmptyLines = 0
    requestLine = nil
    framingFields = FramingFields()
  }

  // MARK: Bodies

  private mutating func append(_ input: Span<UInt8>, _ offset: inout Int, _ count: Int) {
    Self.append(input, from: offset, count: count, to: &body)
    offset += count
  }

  private mutating func take(
    _ byte: UInt8, _ input: Span<UInt8>, _ offset: inout Int
  ) throws(HTTPProtocolError) -> Bool {
    guard offset < input.count else { return false }
    guard input[offset] == byte else {
      throw HTTPProtocolError(.badRequest, "A chunk does not end where its size says.")
    }
    offset += 1
    return true
  }

  private mutating func endChunkSizeLine() throws(HTTPProtocolError) {
    let chunk = try ChunkLine(buffer[line])
    buffer.removeAll(keepingCapacity: true)
    extensionBytes += chunk.extensionBytes
    guard extensionBytes <= limits.chunkExtensionBytesMax else {
      throw HTTPProtocolError(.badRequest, "The chunk extensions are larger than allowed.")
    }
    guard chunk.size <= bodyBytesMax - body.count else { throw bodyTooLarge }
    state = chunk.size == 0 ? .trailer : .chunkData(remaining: chunk.size)
  }

  /// Trailer fields are checked and dropped: merged into the head, they could contradict what was decided on
  /// it. Those that would change where the message ends or goes are refused (RFC 9110 §6.5.1).
  private mutating func endTrailerLine() throws(HTTPProtocolError) -> Bool {
    defer { buffer.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else { return true }
    trailerBytes += buffer.count
    trailerCount += 1
    guard trailerCount <= limits.headerCountMax else {
      throw HTTPProtocolError(.headersTooLarge, "There are more trailer fields than allowed.")
    }
    let field = try FieldLine.parse(buffer, line)
    guard !FramingFields.decidesOnFraming(buffer[field.nameRange]) else {
      throw HTTPProtocolError(.badRequest, "A trailer field is one that only a header may have.")
    }
    return false
  }

  private mutating func endBody() -> Step {
    let whole = body
    body = []
    buffer = []
    state = .requestLine
    return .body(whole)
  }
}
