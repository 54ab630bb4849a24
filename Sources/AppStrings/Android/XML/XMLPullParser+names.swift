internal import FCMMessage
internal import JSON

/// Names, the namespaces of their prefixes (Namespaces in XML 1.0), and the ways to look ahead.
extension XMLPullParser {
  static func boundPrefix(_ attribute: String) -> String? {
    if attribute.utf8.elementsEqual("xmlns".utf8) { return "" }
    return attribute.utf8.starts(with: "xmlns:".utf8) ? String(attribute.dropFirst(6)) : nil
  }

  static func space(uri: String) -> Space {
    switch uri {
    case "": .none
    case "urn:oasis:names:tc:xliff:document:1.2": .xliff
    case "http://schemas.android.com/tools": .tools
    default: .other
    }
  }

  mutating func resolve(_ name: String, isElement: Bool) -> (Space, String) {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      return (isElement ? bindings[ExactText("")]?.last ?? .none : .none, name)
    }
    let prefix = String(name[..<colon])
    let local = String(name[name.utf8.index(after: colon)...])
    if let space = bindings[ExactText(prefix)]?.last { return (space, local) }
    if prefix == "xml" { return (.xml, local) }
    record("The prefix \(prefix.firstScalars): is not declared (xmlns:\(prefix.firstScalars)).")
    return (prefix == "xliff" ? .xliff : prefix == "tools" ? .tools : .other, local)
  }

  mutating func checkDuplicates(_ attributes: [(name: String, value: String)]) {
    guard attributes.count > 1 else { return }
    var seen: Set<ExactText> = []
    for attribute in attributes where !seen.insert(ExactText(attribute.name)).inserted {
      record("The attribute \(attribute.name.firstScalars) stands twice in one tag.")
    }
  }

  /// A name, loosely: what expat would refuse in it never names anything that is read.
  mutating func readName() -> String? {
    guard let first = byte(after: 0), first.isXMLNameStart else { return nil }
    let start = position
    while position < bytes.count, bytes[position].isXMLName { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  @discardableResult mutating func skipSpace() -> Bool {
    let start = position
    while position < bytes.count, bytes[position].isXMLSpace { position += 1 }
    return position > start
  }

  func byte(after offset: Int) -> UInt8? {
    position + offset < bytes.count ? bytes[position + offset] : nil
  }

  func isNext(_ text: StaticString) -> Bool { bytes[position...].starts(with: text.description.utf8) }

  /// Where `text` begins next.
  func find(_ text: StaticString) -> Int? {
    let wanted = Array(text.description.utf8)
    guard let first = wanted.first else { return nil }
    var index = position
    while index + wanted.count <= bytes.count {
      if bytes[index] == first, bytes[index...].starts(with: wanted) { return index }
      index += 1
    }
    return nil
  }

  mutating func fault(_ message: String) -> Fault { Fault(line: line, message: message) }

  mutating func record(_ message: @autoclosure () -> String) {
    guard faultCount < limits.problemsPerFileMax else { return }
    faultCount += 1
    faults.append(fault(message()))
  }
}
