internal import CExpat
internal import JSON

/// One run of expat over a whole file, which records its tags and text.
///
/// aapt2 reads resource files with expat too, so the same files are well-formed. Nothing outside
/// the file is ever fetched. An error ends the run and leaves what was recorded before it.
final class ExpatParser {
  struct Tag {
    enum Kind {
      case start(name: String, attributes: [(name: String, value: String)])
      case end
    }

    let kind: Kind
    let line: Int
    /// The offset in the file after the tag, or after the reference to the entity that contains the tag.
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
  private let handle: XML_Parser?
  private var open: [String] = []
  private var ownFailure: String?

  init(_ bytes: [UInt8], limits: AndroidLimits) {
    self.limits = limits
    textBytesMax = bytes.count + limits.expansionBytesMax
    handle = XML_ParserCreate(nil)
    guard let handle, let count = Int32(exactly: bytes.count) else {
      failure = Failure(
        code: XML_ERROR_NO_MEMORY, error: .init(line: 1, message: "The file is too large to read."), offset: 0
      )
      return
    }
    setLimits(handle)
    setHandlers(handle)
    let status = bytes.withUnsafeBytes { buffer in
      XML_Parse(handle, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), count, 1)
    }
    if status != XML_STATUS_OK { fail(XML_GetErrorCode(handle)) }
  }

  deinit { XML_ParserFree(handle) }

  private func setLimits(_ handle: XML_Parser) {
    XML_SetBillionLaughsAttackProtectionActivationThreshold(handle, UInt64(max(0, limits.expansionBytesMax)))
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(handle, Self.amplificationMax)
  }

  /// The most that entities may expand to beyond `expansionBytesMax`, as a multiple of the bytes read so far.
  private static let amplificationMax: Float = 10

  private func setHandlers(_ handle: XML_Parser) {
    let data = Unmanaged.passUnretained(self).toOpaque()
    XML_SetUserData(handle, data)
    XML_SetXmlDeclHandler(handle) { data, _, encoding, _ in
      if let encoding { ExpatParser.of(data)?.declaredEncoding = String(cString: encoding) }
    }
    XML_SetEntityDeclHandler(handle) { data, name, isParameter, value, valueLength, _, _, _, _ in
      guard isParameter == 0, let name else { return }
      let value = value.map { Array(UnsafeRawBufferPointer(start: $0, count: Int(valueLength))) }
      ExpatParser.of(data)?.declare(String(cString: name), value: value)
    }
    XML_SetEndDoctypeDeclHandler(handle) { data in ExpatParser.of(data)?.endDoctype() }
    XML_SetElementHandler(
      handle, { data, name, attributes in ExpatParser.of(data)?.start(name, attributes) },
      { data, _ in ExpatParser.of(data)?.end() })
    XML_SetCharacterDataHandler(handle) { data, bytes, count in
      ExpatParser.of(data)?.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
    XML_SetSkippedEntityHandler(handle) { data, name, isParameter in
      guard isParameter == 0, let name else { return }
      ExpatParser.of(data)?.skipUndeclared(String(cString: name))
    }
    // Without an argument of its own this handler would receive expat's handle.
    XML_SetExternalEntityRefHandlerArg(handle, data)
    XML_SetExternalEntityRefHandler(handle) { data, context, _, _, _ in
      let names = context.map { String(cString: $0) } ?? ""
      ExpatParser.of(data.map { UnsafeMutableRawPointer($0) })?.skipExternal(among: names)
      return Int32(XML_STATUS_OK.rawValue)
    }
  }

  private static func of(_ data: UnsafeMutableRawPointer?) -> ExpatParser? {
    data.map { Unmanaged<ExpatParser>.fromOpaque($0).takeUnretainedValue() }
  }
}

// MARK: Handlers

extension ExpatParser {
  private var line: Int { Int(clamping: XML_GetCurrentLineNumber(handle)) }
  private var offset: Int { max(0, Int(clamping: XML_GetCurrentByteIndex(handle))) }

  private func start(
    _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard let name = name.map({ String(cString: $0) }) else { return }
    guard open.count < limits.elementDepthMax else {
      return stop("Elements nest deeper than \(limits.elementDepthMax).")
    }
    open.append(name)
    var pairs: [(name: String, value: String)] = []
    var next = attributes
    while let current = next, let attribute = current.pointee, let value = (current + 1).pointee {
      guard pairs.count < limits.attributesMax else {
        return stop("<\(name.firstScalars)> has more than \(limits.attributesMax) attributes.")
      }
      pairs.append((String(cString: attribute), String(cString: value)))
      next = current + 2
    }
    record(.start(name: name, attributes: pairs))
  }

  private func end() {
    open.removeLast(min(1, open.count))
    record(.end)
  }

  private func record(_ kind: Tag.Kind) {
    let end = offset + Int(clamping: XML_GetCurrentByteCount(handle))
    tags.append(Tag(kind: kind, line: line, end: end, textEnd: text.count))
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    guard text.count + bytes.count <= textBytesMax else { return stop(expansionMessage) }
    text.append(contentsOf: bytes)
  }

  /// Handles a reference that expat may skip, because parts of the DTD were not read.
  private func skipUndeclared(_ name: String) {
    faults.append((offset, .init(line: line, message: "&\(name.firstScalars); is not declared.")))
    text.append(contentsOf: Array("&\(name);".utf8))
  }

  /// `names` are the entities that are open, separated by form feeds; one of them is the external one.
  private func skipExternal(among names: String) {
    let name = names.split(separator: "\u{0C}").first { entities.isExternal(String($0)) } ?? ""
    let message = "&\(name.firstScalars); is an external entity, which is not read."
    faults.append((offset, .init(line: line, message: message)))
  }

  /// Bounding the number also bounds the depth of entities in default values of attributes, which expat
  /// expands before `endDoctype`.
  private func declare(_ name: String, value: [UInt8]?) {
    guard entities.count < limits.entitiesMax else {
      return stop("The file declares more than \(limits.entitiesMax) entities.")
    }
    entities.declare(name, value: value)
  }

  private func endDoctype() {
    guard entities.isDeeper(than: limits.entityDepthMax) else { return }
    stop("Entities nest deeper than \(limits.entityDepthMax), or refer to each other in a circle.")
  }

  private func stop(_ message: String) {
    guard ownFailure == nil else { return }
    ownFailure = message
    XML_StopParser(handle, 0)
  }

  private func fail(_ code: XML_Error) {
    let message = ownFailure ?? XMLSyntaxError.message(code, open: open.last) ?? expansionMessage
    failure = Failure(code: code, error: .init(line: line, message: message), offset: offset)
  }

  private var expansionMessage: String { "Entities expand to more than \(limits.expansionBytesMax) bytes." }
}

extension XMLSyntaxError {
  /// A message about an error of expat for the file's author; nil if entities expand to too much.
  fileprivate static func message(_ code: XML_Error, open element: String?) -> String? {
    let element = element.map { "<\($0.firstScalars)>" }
    switch code {
    case XML_ERROR_AMPLIFICATION_LIMIT_BREACH: return nil
    case XML_ERROR_NO_ELEMENTS: return element.map { "\($0) is never closed." } ?? "The file has no element."
    case XML_ERROR_TAG_MISMATCH: return "The end tag does not match \(element ?? "any open element")."
    case XML_ERROR_INVALID_TOKEN, XML_ERROR_SYNTAX:
      return "This is not well-formed XML. In text, write < as &lt; and & as &amp;."
    case XML_ERROR_UNCLOSED_TOKEN: return "A tag, comment or declaration is never closed."
    case XML_ERROR_UNCLOSED_CDATA_SECTION: return "A CDATA section is never closed."
    case XML_ERROR_PARTIAL_CHAR: return "The file ends within a character."
    case XML_ERROR_DUPLICATE_ATTRIBUTE: return "An attribute occurs twice in one tag."
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT: return "Only comments may follow the root element."
    case XML_ERROR_UNDEFINED_ENTITY: return "An entity is not declared."
    case XML_ERROR_RECURSIVE_ENTITY_REF: return "An entity refers to itself."
    case XML_ERROR_ASYNC_ENTITY: return "An entity begins an element that it does not end, or ends one."
    case XML_ERROR_BAD_CHAR_REF: return "A character reference names no character that XML allows."
    case XML_ERROR_ATTRIBUTE_EXTERNAL_ENTITY_REF:
      return "An attribute refers to an external entity, which XML does not allow."
    case XML_ERROR_MISPLACED_XML_PI:
      return "The XML declaration is not at the start of the file. Remove what precedes it."
    case XML_ERROR_UNKNOWN_ENCODING:
      return "aapt2 does not read the encoding that the file declares. Save the file as UTF-8."
    case XML_ERROR_INCORRECT_ENCODING:
      return "The file is not in the encoding that it declares. Save it as UTF-8."
    default: return "expat cannot read the file here: \(String(cString: XML_ErrorString(code)))."
    }
  }
}
