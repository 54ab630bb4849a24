internal import CYAML

/// Reads the events of a text one by one with libyaml's parser.
final class YAMLEventReader {
  enum Event {
    case streamStart, streamEnd, documentStart, documentEnd, sequenceEnd, mappingEnd
    case alias(String)
    case scalar(YAMLNode.Scalar, tag: String?, anchor: String?)
    case sequenceStart(tag: String?, anchor: String?)
    case mappingStart(tag: String?, anchor: String?)
  }

  struct Position {
    let line: Int
    let column: Int
  }

  private let parser: UnsafeMutablePointer<yaml_parser_t>
  /// The start of the last event read.
  private(set) var position = Position(line: 1, column: 1)

  /// `text` must outlive the reader.
  init(_ text: UnsafeBufferPointer<UInt8>) throws(YAMLSyntaxError) {
    parser = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      throw YAMLSyntaxError(line: 1, column: 1, message: "out of memory")
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, text.baseAddress, text.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  func next() throws(YAMLSyntaxError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw syntaxError() }
    defer { yaml_event_delete(&event) }
    position = Position(line: Int(event.start_mark.line) + 1, column: Int(event.start_mark.column) + 1)
    switch event.type {
    case YAML_STREAM_START_EVENT: return .streamStart
    case YAML_DOCUMENT_START_EVENT: return .documentStart
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_SEQUENCE_END_EVENT: return .sequenceEnd
    case YAML_MAPPING_END_EVENT: return .mappingEnd
    case YAML_ALIAS_EVENT: return .alias(text(event.data.alias.anchor) ?? "")
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      let style: YAMLNode.Style = scalar.style == YAML_PLAIN_SCALAR_STYLE ? .plain : .quoted
      return .scalar(
        .init(text: String(decoding: bytes, as: UTF8.self), style: style), tag: text(scalar.tag),
        anchor: text(scalar.anchor))
    case YAML_SEQUENCE_START_EVENT:
      let start = event.data.sequence_start
      return .sequenceStart(tag: text(start.tag), anchor: text(start.anchor))
    case YAML_MAPPING_START_EVENT:
      let start = event.data.mapping_start
      return .mappingStart(tag: text(start.tag), anchor: text(start.anchor))
    default: return .streamEnd
    }
  }

  private func text(_ pointer: UnsafePointer<yaml_char_t>?) -> String? {
    pointer.map { String(cString: $0) }
  }

  private func syntaxError() -> YAMLSyntaxError {
    let state = parser.pointee
    var message = state.problem.map { String(cString: $0) } ?? "out of memory"
    if message == "found character that cannot start any token" {
      message = "a tab, \"@\", \"`\" or \"%\" cannot begin a value; indent with spaces and put text in quotes"
    }
    if let context = state.context.map({ String(cString: $0) }) {
      message += ", \(context)"
      let line = Int(state.context_mark.line) + 1
      if line != Int(state.problem_mark.line) + 1 { message += " that began in line \(line)" }
    }
    return YAMLSyntaxError(
      line: Int(state.problem_mark.line) + 1, column: Int(state.problem_mark.column) + 1, message: message)
  }
}
