extension AndroidManifest {
  /// Reads Android's binary XML (AOSP ResourceTypes.h, ResXMLTree): `manifest`, and `uses-sdk` and
  /// `application` in it.
  init?(binary content: [UInt8]) {
    let bytes = LittleEndianBytes(content)
    guard let root = ResourceChunk(bytes, at: 0, limit: bytes.count), root.type == ResourceChunk.xml else {
      return nil
    }
    let chunks = root.children(bytes)
    guard let first = chunks.first(where: { $0.type == ResourceChunk.stringPool }),
      let pool = ResourceStringPool(bytes, first)
    else { return nil }
    let ids = chunks.first { $0.type == ResourceChunk.resourceMap }
    for chunk in chunks where chunk.type == ResourceChunk.startElement {
      let content = chunk.start + chunk.headerSize
      guard let name = bytes.u32(content + 4).flatMap({ pool.name($0) }), let start = bytes.u16(content + 8),
        let size = bytes.u16(content + 10), size >= 20, let count = bytes.u16(content + 12),
        content + start + size * count <= chunk.end
      else { return nil }
      guard Self.elements.contains(name) else { continue }
      for index in 0..<count {
        read(bytes, at: content + start + size * index, of: name, pool, ids)
      }
    }
  }

  private mutating func read(
    _ bytes: LittleEndianBytes, at offset: Int, of element: String, _ pool: ResourceStringPool,
    _ ids: ResourceChunk?
  ) {
    guard let name = bytes.u32(offset + 4), let value = ResourceValue(bytes, at: offset + 12) else { return }
    // The map has an id of four bytes for each of the first names.
    let place = ids.map { $0.start + $0.headerSize + 4 * name }
    let id = place.flatMap { place in place + 4 <= ids?.end ?? 0 ? bytes.u32(place) : nil } ?? 0
    let text: Text? =
      switch value.meaning {
      case .reference(let id): .reference(id)
      case .text(let text): .literal(text)
      case .pooled(let index): pool.name(index).map { .literal($0) }
      case .other: nil
      }
    switch (element, id, value.meaning) {
    case ("uses-sdk", Self.minimumVersionID, .text(let text)): minimumVersion = Int(text)
    case ("manifest", Self.versionNameID, _): versionName = text
    case ("application", Self.labelID, _): label = text
    case ("manifest", 0, .pooled(let index)):
      switch pool.name(name) {
      case "package": package = pool.name(index)
      case "split": split = pool.name(index)
      default: break
      }
    default: break
    }
  }
}
