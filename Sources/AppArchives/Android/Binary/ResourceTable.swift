internal import AppStrings

/// A `resources.arsc` (AOSP ResourceTypes.h, LoadedArsc.cpp), read as far as it concerns texts.
struct ResourceTable: Sendable {
  /// The resources of one package. An app has its own; a library's are merged into it.
  struct Package: Sendable {
    let id: Int
    let name: String
    /// The names of the entries, by index.
    let keys: [String]
    let values: [ResourceTypeValues]
  }

  let packages: [Package]
  let texts: ResourceStringPool
  let bytes: LittleEndianBytes

  init(_ content: [UInt8], limits: ArchiveLimits) throws(ArchiveError) {
    let damaged = ArchiveError.malformed("The app's resource table is damaged.")
    bytes = LittleEndianBytes(content)
    guard let table = ResourceChunk(bytes, at: 0, limit: bytes.count), table.type == ResourceChunk.table
    else {
      throw damaged
    }
    let chunks = table.children(bytes)
    guard let pool = chunks.first(where: { $0.type == ResourceChunk.stringPool }),
      let texts = ResourceStringPool(bytes, pool)
    else { throw damaged }
    self.texts = texts
    var packages: [Package] = []
    var configurationsLeft = limits.configurationsMax
    for chunk in chunks where chunk.type == ResourceChunk.package {
      guard let package = Package(bytes, chunk, &configurationsLeft) else { throw damaged }
      packages.append(package)
    }
    guard configurationsLeft >= 0 else {
      throw .tooLarge("The app has texts in more than \(limits.configurationsMax) configurations.")
    }
    self.packages = packages
  }
}

extension ResourceTable.Package {
  fileprivate init?(_ bytes: LittleEndianBytes, _ chunk: ResourceChunk, _ configurationsLeft: inout Int) {
    guard chunk.headerSize >= 284, let id = bytes.u32(chunk.start + 8),
      let typesOffset = bytes.u32(chunk.start + 268), let keysOffset = bytes.u32(chunk.start + 276),
      let types = Self.pool(bytes, chunk, at: typesOffset), let keys = Self.pool(bytes, chunk, at: keysOffset)
    else { return nil }
    self.id = id
    name = Self.name(bytes, at: chunk.start + 12)
    self.keys = (0..<keys.count).map { keys[$0] ?? "" }
    let typeIDOffset = chunk.headerSize >= 288 ? bytes.u32(chunk.start + 284) ?? 0 : 0
    var values: [ResourceTypeValues] = []
    for child in chunk.children(bytes) where child.type == ResourceChunk.typeValues {
      guard let type = bytes.u8(child.start + 8), type > 0, let name = types[type - 1],
        let kind = TextResourceKind(rawValue: name)
      else { continue }
      configurationsLeft -= 1
      guard configurationsLeft >= 0 else { break }
      guard let read = ResourceTypeValues(bytes, child, typeIDOffset: typeIDOffset, kind: kind) else {
        return nil
      }
      values.append(read)
    }
    self.values = values
  }

  private static func pool(
    _ bytes: LittleEndianBytes, _ package: ResourceChunk, at offset: Int
  ) -> ResourceStringPool? {
    guard offset <= package.end - package.start,
      let chunk = ResourceChunk(bytes, at: package.start + offset, limit: package.end)
    else { return nil }
    return ResourceStringPool(bytes, chunk)
  }

  /// Up to 128 UTF-16 units.
  private static func name(_ bytes: LittleEndianBytes, at start: Int) -> String {
    let units = (0..<128).map { bytes.u16(start + 2 * $0) ?? 0 }.prefix { $0 != 0 }
    return String(decoding: units.map { UInt16($0) }, as: UTF16.self)
  }
}
