extension AndroidManifest {
  /// Reads a module's manifest (AOSP Resources.proto, XmlNode): `manifest`, and `uses-sdk` and `application`
  /// in it.
  init?(protobuf content: [UInt8]) {
    guard let root = ProtobufMessage(content).message(numbered: 1) else { return nil }
    guard read(root) == "manifest" else { return nil }
    for field in root {
      guard field.number == 5, case .bytes(let range) = field.value,
        let child = root.message(range).message(numbered: 1)
      else { continue }
      _ = read(child)
    }
  }

  /// Reads the attributes of an element, and returns its name.
  private mutating func read(_ element: ProtobufMessage) -> String? {
    var name: String?
    for field in element {
      guard case .bytes(let range) = field.value else { continue }
      if field.number == 3 { name = element.text(range) }
      if field.number == 4, let name, Self.elements.contains(name) {
        readAttribute(element.message(range), of: name)
      }
    }
    return name
  }

  private mutating func readAttribute(_ attribute: ProtobufMessage, of element: String?) {
    var (name, value, id) = ("", "", 0)
    var reference: String?
    for field in attribute {
      switch (field.number, field.value) {
      case (2, .bytes(let range)): name = attribute.text(range)
      case (3, .bytes(let range)): value = attribute.text(range)
      case (5, .integer(let number)): id = Int(clamping: number)
      case (6, .bytes(let range)):
        guard let target = attribute.message(range).message(numbered: 1) else { continue }
        for field in target {
          if field.number == 3, case .bytes(let range) = field.value { reference = target.text(range) }
        }
      default: break
      }
    }
    let target = reference?.split(separator: "/", maxSplits: 1).last.map(String.init)
    let text = target.map { Text.named($0) } ?? .literal(value)
    switch (element, id) {
    case ("uses-sdk", Self.minimumVersionID): minimumVersion = Int(value)
    case ("manifest", Self.versionNameID): versionName = text
    case ("application", Self.labelID): label = text
    case ("application", Self.iconID): icon = text
    case ("manifest", 0) where name == "package": package = value
    case ("manifest", 0) where name == "split": split = value
    default: break
    }
  }
}
