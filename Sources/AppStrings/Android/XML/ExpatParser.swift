internal import CExpat
internal import JSON

/// One run of expat over a whole file, which records its tags and text.
///
/// aapt2 reads resource files with expat too, so the same files are well-formed. Nothing outside
/// the file is ever fetched. An error ends the run and leaves what was recorded before it.
struct ExpatParser {
  /// Without strings of its own: a language has thousands of tags, and few of their names matter.
  struct Tag {
    enum Kind {
      /// The place of the name in `symbols.bytes`, and the indices of the attributes.
      case start(name: Range<Int>, attributes: Range<Int>)
      case end
    }

    let kind: Kind
    /// The offset in the file of the tag, or of the reference to the entity that contains the tag.
    let start: Int
    /// The offset after it.
    let end: Int
    /// The length of `text` before the tag.
    let textEnd: Int
  }

  /// What ended the run.
  struct Failure {
    /// `XML_ERROR_ABORTED` for a limit of our own.
    let code: XML_Error
    let error: XMLSyntaxError
    /// The offset in the file; for an error in an attribute or entity it can be the start of the tag or
    /// reference.
    let offset: Int
  }

  private(set) var tags: [Tag] = []
  /// The names and values in the tags.
  private(set) var symbols = XMLSymbols()
  /// All character data, as UTF-8.
  private(set) var text: [UInt8] = []
  /// References that aapt2 skips silently, in file order.
  private(set) var faults: [(offset: Int, error: XMLSyntaxError)] = []
  private(set) var failure: Failure?
  private(set) var entities = XMLEntityDeclarations()
  /// The encoding that the XML declaration names.
  private(set) var declaredEncoding: String?

  private let limits: AndroidLimits
  private let textBytesMax: Int
  /// Nil before and after the run.
  private var handle: XML_Parser?
  /// The names of the open elements, in `symbols.bytes`.
  private var open: [Range<Int>] = []
  private var ownFailure: FindingText?

  init(_ bytes: [UInt8], limits: AndroidLimits) {
    self.limits = limits
    textBytesMax = bytes.count + limits.expansionBytesMax
    guard let handle = XML_ParserCreate(nil), let count = Int32(exactly: bytes.count) else {
      failure = Failure(
        code: XML_ERROR_NO_MEMORY, error: .init(line: 1, FindingText(.xmlTooLarge)), offset: 0)
      return
    }
    self.handle = handle
    text.reserveCapacity(bytes.count)
    tags.reserveCapacity(bytes.count / Self.tagBytes)
    Self.setLimits(handle, limits)
    // The handlers change this value through its address, which is valid for as long as expat runs.
    let status = withUnsafeMutablePointer(to: &self) { parser in
      Self.setHandlers(handle, UnsafeMutableRawPointer(parser))
      return bytes.withUnsafeBytes { buffer in
        XML_Parse(handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), count, 1)
      }
    }
    if status != XML_STATUS_OK { fail(XML_GetErrorCode(handle)) }
    XML_ParserFree(handle)
    self.handle = nil
  }

  private static func setLimits(_ handle: XML_Parser, _ limits: AndroidLimits) {
    XML_SetBillionLaughsAttackProtectionActivationThreshold(handle, UInt64(max(0, limits.expansionBytesMax)))
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(handle, amplificationMax)
  }

  /// The bytes of a file for each of its tags: fewer than in most files.
  private static let tagBytes = 40

  /// The most that entities may expand to beyond `expansionBytesMax`, as a multiple of the bytes read so far.
  private static let amplificationMax: Float = 10

  private static func setHandlers(_ handle: XML_Parser, _ parser: UnsafeMutableRawPointer) {
    XML_SetUserData(handle, parser)
    XML_SetXmlDeclHandler(handle) { parser, _, encoding, _ in
      if let encoding { ExpatParser.of(parser)?.pointee.declaredEncoding = String(cString: encoding) }
    }
    XML_SetEntityDeclHandler(handle) { parser, name, isParameter, value, valueLength, _, _, _, _ in
      guard isParameter == 0, let name else { return }
      let value = value.map { Array(UnsafeRawBufferPointer(start: $0, count: Int(valueLength))) }
      ExpatParser.of(parser)?.pointee.declare(String(cString: name), value: value)
    }
    XML_SetEndDoctypeDeclHandler(handle) { parser in ExpatParser.of(parser)?.pointee.endDoctype() }
    XML_SetElementHandler(
      handle, { parser, name, attributes in ExpatParser.of(parser)?.pointee.start(name, attributes) },
      { parser, _ in ExpatParser.of(parser)?.pointee.end() })
    XML_SetCharacterDataHandler(handle) { parser, bytes, count in
      ExpatParser.of(parser)?.pointee.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
    XML_SetSkippedEntityHandler(handle) { parser, name, isParameter in
      guard isParameter == 0, let name else { return }
      ExpatParser.of(parser)?.pointee.skipUndeclared(String(cString: name))
    }
    // Without an argument of its own this handler would receive expat's handle.
    XML_SetExternalEntityRefHandlerArg(handle, parser)
    XML_SetExternalEntityRefHandler(handle) { parser, context, _, _, _ in
      let names = context.map { String(cString: $0) } ?? ""
      ExpatParser.of(parser.map { UnsafeMutableRawPointer($0) })?.pointee.skipExternal(among: names)
      return Int32(XML_STATUS_OK.rawValue)
    }
  }

  private static func of(_ parser: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<ExpatParser>? {
    parser?.assumingMemoryBound(to: ExpatParser.self)
  }
}

// MARK: Handlers

extension ExpatParser {
  private var line: Int { Int(clamping: XML_GetCurrentLineNumber(handle)) }
  private var offset: Int { max(0, Int(clamping: XML_GetCurrentByteIndex(handle))) }

  private mutating func start(
    _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard let name else { return }
    guard open.count < limits.elementDepthMax else {
      return stop(FindingText(.tooDeep, [limits.elementDepthMax]))
    }
    let place = symbols.add(name)
    open.append(place)
    let first = symbols.attributes.count
    var next = attributes
    while let current = next, let attribute = current.pointee, let value = (current + 1).pointee {
      guard symbols.attributes.count - first < limits.attributesMax else {
        return stop(
          FindingText(.tooManyAttributes, [symbols[place].firstScalars, limits.attributesMax]))
      }
      symbols.add(attribute, value)
      next = current + 2
    }
    record(.start(name: place, attributes: first..<symbols.attributes.count))
  }

  private mutating func end() {
    open.removeLast(min(1, open.count))
    record(.end)
  }

  private mutating func record(_ kind: Tag.Kind) {
    let start = offset
    let end = start + Int(clamping: XML_GetCurrentByteCount(handle))
    tags.append(Tag(kind: kind, start: start, end: end, textEnd: text.count))
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard text.count + bytes.count <= textBytesMax else { return stop(expansion) }
    text.append(contentsOf: bytes)
  }

  /// Handles a reference that expat may skip, because parts of the DTD were not read.
  private mutating func skipUndeclared(_ name: String) {
    faults.append((offset, .init(line: line, FindingText(.undeclared, ["&\(name.firstScalars);"]))))
    text.append(contentsOf: Array("&\(name);".utf8))
  }

  /// `names` are the entities that are open, separated by form feeds; one of them is the external one.
  private mutating func skipExternal(among names: String) {
    let name = names.split(separator: "\u{0C}").first { entities.isExternal(String($0)) } ?? ""
    faults.append((offset, .init(line: line, FindingText(.external, ["&\(name.firstScalars);"]))))
  }

  /// Bounding the number also bounds the depth of entities in default values of attributes, which expat
  /// expands before `endDoctype`.
  private mutating func declare(_ name: String, value: [UInt8]?) {
    guard entities.count < limits.entitiesMax else {
      return stop(FindingText(.tooManyEntities, [limits.entitiesMax]))
    }
    entities.declare(name, value: value)
  }

  private mutating func endDoctype() {
    guard entities.isDeeper(than: limits.entityDepthMax) else { return }
    stop(FindingText(.entitiesTooDeep, [limits.entityDepthMax]))
  }

  private mutating func stop(_ reason: FindingText) {
    guard ownFailure == nil else { return }
    ownFailure = reason
    XML_StopParser(handle, 0)
  }

  private mutating func fail(_ code: XML_Error) {
    let text = ownFailure ?? XMLSyntaxError.text(code, open: open.last.map { symbols[$0] }) ?? expansion
    failure = Failure(code: code, error: .init(line: line, text), offset: offset)
  }

  private var expansion: FindingText { FindingText(.entitiesTooLarge, [limits.expansionBytesMax]) }
}

extension XMLSyntaxError {
  /// A text about an error of expat for the file's author; nil if entities expand to too much.
  fileprivate static func text(_ code: XML_Error, open element: String?) -> FindingText? {
    let element = element?.firstScalars
    let text: FileText
    switch code {
    case XML_ERROR_AMPLIFICATION_LIMIT_BREACH: return nil
    case XML_ERROR_NO_ELEMENTS:
      return element.map { FindingText(.unclosed, [$0]) } ?? FindingText(.noElement)
    case XML_ERROR_TAG_MISMATCH:
      return element.map { FindingText(.otherEnd, [$0]) } ?? FindingText(.noStart)
    case XML_ERROR_INVALID_TOKEN, XML_ERROR_SYNTAX: text = .notWellFormed
    case XML_ERROR_UNCLOSED_TOKEN: text = .unclosedTag
    case XML_ERROR_UNCLOSED_CDATA_SECTION: text = .unclosedSection
    case XML_ERROR_DUPLICATE_ATTRIBUTE: text = .attributeTwice
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT: text = .afterRoot
    case XML_ERROR_UNDEFINED_ENTITY: text = .undeclaredEntity
    case XML_ERROR_RECURSIVE_ENTITY_REF: text = .entityOfItself
    case XML_ERROR_ASYNC_ENTITY: text = .entityAcross
    case XML_ERROR_BAD_CHAR_REF: text = .badReference
    case XML_ERROR_ATTRIBUTE_EXTERNAL_ENTITY_REF: text = .externalInAttribute
    case XML_ERROR_MISPLACED_XML_PI: text = .lateDeclaration
    case XML_ERROR_UNKNOWN_ENCODING: text = .unknownEncoding
    case XML_ERROR_INCORRECT_ENCODING: text = .otherEncoding
    default: return FindingText(.expat, [String(cString: XML_ErrorString(code))])
    }
    return FindingText(text)
  }
}
