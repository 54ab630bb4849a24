/// One header or trailer field line (RFC 9112 §5).
enum FieldLine {
  /// The field in `bytes[line]`, where `line` is not empty and has no line end.
  static func parse(_ bytes: [UInt8], _ line: Range<Int>) throws(HTTPProtocolError) -> HTTPHeaders.Field {
    let span = bytes.span
    guard span[line.lowerBound] != ASCII.space, span[line.lowerBound] != ASCII.tab else {
      throw HTTPProtocolError(.badRequest, "A header field is folded over several lines.")
    }
    var colon = line.lowerBound
    while colon < line.upperBound, ASCII.isTokenByte(span[colon]) { colon += 1 }
    guard colon > line.lowerBound, colon < line.upperBound, span[colon] == UInt8(ascii: ":") else {
      throw HTTPProtocolError(.badRequest, "A header field's name is malformed.")
    }
    var start = colon + 1
    var end = line.upperBound
    while start < end, isBlank(span[start]) { start += 1 }
    while end > start, isBlank(span[end - 1]) { end -= 1 }
    // Guard: the range lies inside the line, and the pointer does not leave the closure.
    let isText = bytes.withUnsafeBufferPointer {
      ASCII.areFieldValueBytes(UnsafeBufferPointer(rebasing: $0[start..<end]))
    }
    guard isText else {
      throw HTTPProtocolError(.badRequest, "A header field's value holds a control character.")
    }
    return HTTPHeaders.Field(
      nameStart: UInt32(line.lowerBound), nameCount: UInt32(colon - line.lowerBound),
      valueStart: UInt32(start), valueCount: UInt32(end - start))
  }

  /// `value` without spaces and tabs around it.
  static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var rest = value.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.tab }
}
