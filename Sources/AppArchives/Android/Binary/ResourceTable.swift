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
    try Self.refuseDamage(in: table, bytes)
    let chunks = table.children(bytes)
    guard let pool = chunks.first(where: { $0.type == ResourceChunk.stringPool }),
      let texts = ResourceStringPool(bytes, pool)
    else { throw damaged }
    self.texts = texts
    var packages: [Package] = []
    var configurationsLeft = limits.configurationsMax
    let names = TextBudget(limits)
    for chunk in chunks where chunk.type == ResourceChunk.package {
      try Self.refuseDamage(in: chunk, bytes)
      let package = Package(bytes, chunk, &configurationsLeft, names)
      guard names.isKept else {
        throw .tooLarge(
          "The app has more than \(limits.valuesMax) names of resources, or more than "
            + "\(limits.textBytesMax) bytes of them.")
      }
      guard configurationsLeft >= 0 else {
        throw .tooLarge("The app has texts in more than \(limits.configurationsMax) configurations.")
      }
      guard let package else { throw damaged }
      packages.append(package)
    }
    self.packages = packages
  }

  private static func refuseDamage(
    in chunk: ResourceChunk, _ bytes: LittleEndianBytes
  ) throws(ArchiveError) {
    guard let place = chunk.damage(bytes) else { return }
    throw .malformed(
      "The app's resource table is damaged: resources.arsc has no valid chunk at byte \(place), so no phone "
        + "reads it. Build the app again.")
  }
}

extension ResourceTable.Package {
  /// Nil if the package is damaged, or exceeds what is left of a limit.
  fileprivate init?(
    _ bytes: LittleEndianBytes, _ chunk: ResourceChunk, _ configurationsLeft: inout Int, _ budget: TextBudget
  ) {
    guard chunk.headerSize >= 284, let id = bytes.u32(chunk.start + 8),
      let typesOffset = bytes.u32(chunk.start + 268), let keysOffset = bytes.u32(chunk.start + 276),
      let types = Self.pool(bytes, chunk, at: typesOffset), let keys = Self.pool(bytes, chunk, at: keysOffset)
    else { return nil }
    self.id = id
    name = Self.name(bytes, at: chunk.start + 12)
    var names: [String] = []
    for index in 0..<keys.count {
      guard budget.take(keys.byteCount(index)) else { return nil }
      names.append(keys[index] ?? "")
    }
    self.keys = names
    let kinds = (0..<min(types.count, Self.typesMax)).map { index in
      types.name(index).flatMap { TextResourceKind(rawValue: $0) }
    }
    let typeIDOffset = chunk.headerSize >= 288 ? bytes.u32(chunk.start + 284) ?? 0 : 0
    var values: [ResourceTypeValues] = []
    for child in chunk.children(bytes) where child.type == ResourceChunk.typeValues {
      guard let type = bytes.u8(child.start + 8), kinds.indices.contains(type - 1), let kind = kinds[type - 1]
      else { continue }
      configurationsLeft -= 1
      guard configurationsLeft >= 0 else { return nil }
      guard let read = ResourceTypeValues(bytes, child, typeIDOffset: typeIDOffset, kind: kind) else {
        return nil
      }
      values.append(read)
    }
    self.values = values
  }

  /// The id of a type has one byte.
  private static let typesMax = 255

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
