/// Reads an XML property list as CFPropertyList.c does, which deviates from XML in both directions: it
/// ignores attributes, the document type and everything after the first element, and reads text only in
/// strings and keys. Therefore expat is no substitute.
///
/// Safe on any input: it indexes only below `bytes.count`, recursion and the number of values are bounded,
/// and the pointer does not outlive the caller's closure.
struct XMLPropertyListReader {
  let bytes: UnsafeBufferPointer<UInt8>
  var position = 0
  private var countedPosition = 0
  private var countedLine = 1
  private var valuesLeft: Int

  /// The value of the first element; its text is UTF-8 without a byte order mark.
  static func read(_ bytes: [UInt8], valueCountMax: Int) throws(PropertyListError) -> PropertyListValue {
    try bytes.withUnsafeBufferPointer { buffer throws(PropertyListError) -> PropertyListValue in
      var reader = XMLPropertyListReader(bytes: buffer, valuesLeft: valueCountMax)
      return try reader.readDocument()
    }
  }

  private init(bytes: UnsafeBufferPointer<UInt8>, valuesLeft: Int) {
    self.bytes = bytes
    self.valuesLeft = valuesLeft
  }

  private mutating func readDocument() throws(PropertyListError) -> PropertyListValue {
    while true {
      skipSpace()
      guard current == UInt8(ascii: "<"), position + 1 < bytes.count else {
        throw error(.elementExpected)
      }
      position += 1
      switch current {
      case UInt8(ascii: "!"):
        position += 1
        if starts(with: "--") {
          // CFPropertyList skips one character more than `--` here.
          position += 3
          try skipComment()
        } else {
          try skipDocumentType()
        }
      case UInt8(ascii: "?"):
        position += 1
        try skipInstruction()
      default:
        return try readElement(depth: 0).value
      }
    }
  }

  // MARK: Elements

  /// The content of `<key>`, `<string>` or another element. `position` is after its `<`.
  private mutating func readElement(
    depth: Int
  ) throws(PropertyListError) -> (value: PropertyListValue, isKey: Bool) {
    valuesLeft -= 1
    guard valuesLeft >= 0 else { throw error(.tooManyValues) }
    guard depth <= AppleResourceLimits.nestingMax else {
      throw error(.nestTooDeep)
    }
    let tag = try readTag()
    if tag.isEmpty {
      switch tag.name {
      case "array": return (.array([]), false)
      case "dict": return (.dictionary(.init()), false)
      case "string": return (.string(""), false)
      case "key": return (.string(""), true)
      case "true", "false": return (.other(.booleanValue), false)
      default: throw error(.emptyElement, [tag.name])
      }
    }
    switch tag.name {
    case "plist": return (try readRoot(depth: depth + 1), false)
    case "array": return (.array(try readArray(depth: depth + 1)), false)
    case "dict": return (try readDictionary(depth: depth + 1), false)
    case "key", "string":
      let text = try readText()
      try readEnd(of: tag.name)
      return (.string(text), tag.name == "key")
    case "true", "false":
      try readEnd(of: tag.name)
      return (.other(.booleanValue), false)
    case "data": try skipData()
    case "date": try skipDate()
    case "real": try skipReal()
    case "integer": try skipInteger()
    default: throw error(.noListElement, [tag.name])
    }
    try readEnd(of: tag.name)
    return (.other(tag.name == "data" ? .dataValue : tag.name == "date" ? .dateValue : .numberValue), false)
  }

  private mutating func readTag() throws(PropertyListError) -> (name: String, isEmpty: Bool) {
    let start = position
    var nameEnd: Int?
    while let byte = current, byte != UInt8(ascii: ">") {
      if byte.isXMLSpace, nameEnd == nil { nameEnd = position }
      position += 1
    }
    guard current != nil else { throw error(.tagOpen) }
    let isEmpty = bytes[position - 1] == UInt8(ascii: "/")
    let name = start..<max(start, nameEnd ?? (isEmpty ? position - 1 : position))
    guard !name.isEmpty else { throw error(.tagNameless) }
    position += 1
    // No element has a longer name; this keeps messages short.
    return (String(decoding: UnsafeBufferPointer(rebasing: bytes[name].prefix(40)), as: UTF8.self), isEmpty)
  }

  private mutating func readRoot(depth: Int) throws(PropertyListError) -> PropertyListValue {
    guard let (value, _) = try readContent(depth: depth) else { throw error(.emptyList) }
    guard try readContent(depth: depth) == nil else { throw error(.severalValues) }
    try readEnd(of: "plist")
    return value
  }

  private mutating func readArray(depth: Int) throws(PropertyListError) -> [PropertyListValue] {
    var elements: [PropertyListValue] = []
    while let (value, _) = try readContent(depth: depth) { elements.append(value) }
    try readEnd(of: "array")
    return elements
  }

  private mutating func readDictionary(depth: Int) throws(PropertyListError) -> PropertyListValue {
    var members = PropertyListDictionary()
    while let (key, line) = try readKey(depth: depth) {
      guard let (value, _) = try readContent(depth: depth) else { throw error(.keyWithoutValue) }
      members.set(key, value, line: line)
    }
    try readEnd(of: "dict")
    if members.members.count == 1, let only = members["CF$UID"], case .other(.numberValue) = only {
      return .other(.referenceValue)
    }
    return .dictionary(members)
  }

  private mutating func readKey(depth: Int) throws(PropertyListError) -> (String, line: Int)? {
    guard try skipToElement() else { return nil }
    let line = line()
    guard case (.string(let key), true) = try readElement(depth: depth) else {
      throw error(.keyExpected)
    }
    return (key, line)
  }

  /// The next value inside an element; nil at its end tag.
  private mutating func readContent(
    depth: Int
  ) throws(PropertyListError) -> (value: PropertyListValue, isKey: Bool)? {
    guard try skipToElement() else { return nil }
    return try readElement(depth: depth)
  }

  /// Skips space, comments and instructions up to after the `<` of an element; false at an end tag.
  private mutating func skipToElement() throws(PropertyListError) -> Bool {
    while true {
      skipSpace()
      guard current == UInt8(ascii: "<") else { throw error(.tagExpected) }
      position += 1
      switch current {
      case UInt8(ascii: "?"): try skipInstruction()
      case UInt8(ascii: "!"):
        position += 1
        guard starts(with: "--") else { throw error(.tagExpected) }
        position += 2
        try skipComment()
      case UInt8(ascii: "/"):
        position -= 1
        return false
      default: return true
      }
    }
  }

  private mutating func readEnd(of name: String) throws(PropertyListError) {
    guard starts(with: "</") else { throw error(.endExpected, [name]) }
    position += 2
    guard bytes[position...].starts(with: name.utf8) else { throw error(.endExpected, [name]) }
    position += name.utf8.count
    skipSpace()
    guard current == UInt8(ascii: ">") else { throw error(.endExpected, [name]) }
    position += 1
  }

  // MARK: Small steps

  @inline(__always) var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  func starts(with text: StaticString) -> Bool {
    text.withUTF8Buffer { position <= bytes.count && bytes[position...].starts(with: $0) }
  }

  private mutating func skipSpace() {
    while let byte = current, byte.isXMLSpace { position += 1 }
  }

  private mutating func skipComment() throws(PropertyListError) {
    let start = min(position, bytes.count)
    while position < bytes.count {
      if starts(with: "-->") {
        position += 3
        return
      }
      position += 1
    }
    position = start
    throw error(.commentOpen)
  }

  private mutating func skipInstruction() throws(PropertyListError) {
    let start = position
    while position < bytes.count {
      if starts(with: "?>") {
        position += 2
        return
      }
      position += 1
    }
    position = start
    throw error(.instructionOpen)
  }

  /// A document type without declarations of its own.
  private mutating func skipDocumentType() throws(PropertyListError) {
    guard starts(with: "DOCTYPE") else { throw error(.tagExpected) }
    while let byte = current, byte != UInt8(ascii: ">") {
      guard byte != UInt8(ascii: "[") else {
        throw error(.typeWithDeclarations)
      }
      position += 1
    }
    guard current != nil else { throw error(.typeOpen) }
    position += 1
  }

  /// The line of `position`, from 1. Linear over the whole file if positions only increase.
  private mutating func line() -> Int {
    let end = min(position, bytes.count)
    if end < countedPosition {
      countedPosition = 0
      countedLine = 1
    }
    while countedPosition < end {
      let byte = bytes[countedPosition]
      let isCRLF = byte == 0x0D && countedPosition + 1 < bytes.count && bytes[countedPosition + 1] == 0x0A
      if byte == 0x0A || byte == 0x0D && !isCRLF { countedLine += 1 }
      countedPosition += 1
    }
    return countedLine
  }

  func error(_ reason: AppleFileText, _ values: [any FindingValue] = []) -> PropertyListError {
    var copy = self
    return PropertyListError(line: copy.line(), reason: FindingText(reason, values))
  }
}
