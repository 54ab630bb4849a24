/// Reads a binary property list (`bplist0?`, CFBinaryPList.c).
///
/// Safe on any bytes: it checks each offset before use and bounds recursion and the number of values. A list
/// whose objects refer to each other in a circle, or too often, gives nil.
struct BinaryPropertyListReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let tableOffset: Int
  private var valuesLeft: Int
  private var textBytesLeft: Int

  /// The root value; nil if the bytes are not a valid binary property list, or one beyond the limits.
  static func read(
    _ bytes: [UInt8], valueCountMax: Int, budget: BuiltAppBudget? = nil
  ) -> PropertyListValue? {
    guard bytes.starts(with: magic) else { return nil }
    let valuesMax = min(valueCountMax, budget?.readValuesLeft ?? .max)
    let textBytesMax = min(AppleResourceLimits.textBytesMax, budget?.readTextBytesLeft ?? .max)
    return bytes.withUnsafeBufferPointer { buffer in
      guard let (reader, top) = make(buffer, valuesLeft: valuesMax, textBytesLeft: textBytesMax) else {
        return nil
      }
      var copy = reader
      let root = copy.readObject(top, depth: 0)
      budget?.takeRead(values: valuesMax - copy.valuesLeft, textBytes: textBytesMax - copy.textBytesLeft)
      return root
    }
  }

  /// What every binary property list begins with.
  static let magic = "bplist0".utf8

  private static let trailerSize = 32

  private static func make(
    _ bytes: UnsafeBufferPointer<UInt8>, valuesLeft: Int, textBytesLeft: Int
  ) -> (BinaryPropertyListReader, top: Int)? {
    guard bytes.count >= trailerSize + 9 else { return nil }
    let trailer = bytes.count - trailerSize
    let offsetSize = Int(bytes[trailer + 6])
    let referenceSize = Int(bytes[trailer + 7])
    guard offsetSize > 0, referenceSize > 0,
      let objectCount = integer(bytes, at: trailer + 8, size: 8), objectCount > 0,
      let top = integer(bytes, at: trailer + 16, size: 8), top < objectCount,
      let tableOffset = integer(bytes, at: trailer + 24, size: 8), tableOffset >= 9, tableOffset < trailer
    else { return nil }
    let (tableSize, overflow) = objectCount.multipliedReportingOverflow(by: offsetSize)
    guard !overflow, tableSize == trailer - tableOffset,
      referenceSize >= 8 || 1 << (8 * referenceSize) > objectCount,
      offsetSize >= 8 || 1 << (8 * offsetSize) > tableOffset
    else { return nil }
    for index in 0..<objectCount {
      guard let offset = integer(bytes, at: tableOffset + index * offsetSize, size: offsetSize),
        offset < tableOffset
      else { return nil }
    }
    let reader = BinaryPropertyListReader(
      bytes: bytes, offsetSize: offsetSize, referenceSize: referenceSize, objectCount: objectCount,
      tableOffset: tableOffset, valuesLeft: valuesLeft, textBytesLeft: textBytesLeft)
    return (reader, top)
  }

  /// An unsigned big-endian integer; nil if it does not fit in an Int. Only the last 8 bytes count.
  private static func integer(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int, size: Int) -> Int? {
    guard offset >= 0, size <= bytes.count, offset <= bytes.count - size else { return nil }
    var value: UInt64 = 0
    for index in offset..<offset + size { value = value << 8 | UInt64(bytes[index]) }
    return Int(exactly: value)
  }

  private mutating func readObject(_ index: Int, depth: Int) -> PropertyListValue? {
    valuesLeft -= 1
    guard valuesLeft >= 0, depth <= AppleResourceLimits.nestingMax, index < objectCount,
      let offset = Self.integer(bytes, at: tableOffset + index * offsetSize, size: offsetSize),
      offset >= 8, offset < tableOffset
    else { return nil }
    let marker = bytes[offset]
    switch marker >> 4 {
    case 0x0:
      return marker == 0 || marker == 8 || marker == 9
        ? .other(marker == 0 ? .nullValue : .booleanValue) : nil
    case 0x1:
      return marker & 0xF <= 4 && has(1 << Int(marker & 0xF), at: offset + 1) ? .other(.numberValue) : nil
    case 0x2:
      let size = marker & 0xF
      return (size == 2 || size == 3) && has(1 << Int(size), at: offset + 1) ? .other(.numberValue) : nil
    case 0x3: return marker == 0x33 && has(8, at: offset + 1) ? .other(.dateValue) : nil
    case 0x4: return content(at: offset, unitSize: 1) == nil ? nil : .other(.dataValue)
    case 0x5, 0x6: return readString(at: offset, isUTF16: marker >> 4 == 6).map { .string($0) }
    case 0x8: return has(Int(marker & 0xF) + 1, at: offset + 1) ? .other(.referenceValue) : nil
    case 0xA, 0xC:
      return readArray(at: offset, depth: depth).map { marker >> 4 == 0xA ? .array($0) : .other(.setValue) }
    case 0xD: return readDictionary(at: offset, depth: depth).map { .dictionary($0) }
    default: return nil
    }
  }

  private mutating func readString(at offset: Int, isUTF16: Bool) -> String? {
    guard let range = content(at: offset, unitSize: isUTF16 ? 2 : 1) else { return nil }
    textBytesLeft -= range.count
    guard textBytesLeft >= 0 else { return nil }
    guard isUTF16 else {
      // A string that is marked as ASCII but has other bytes is read as Latin-1.
      return bytes[range].allSatisfy { $0 < 0x80 }
        ? String(decoding: bytes[range], as: UTF8.self) : UTF16Text.string(bytes[range].map { UInt16($0) })
    }
    // CoreFoundation rejects an empty one, and writes it as ASCII.
    guard !range.isEmpty else { return nil }
    let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
      UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
    }
    return UTF16Text.string(units)
  }

  private mutating func readArray(at offset: Int, depth: Int) -> [PropertyListValue]? {
    guard let range = content(at: offset, unitSize: referenceSize) else { return nil }
    var elements: [PropertyListValue] = []
    for reference in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
      guard let element = readReference(at: reference, depth: depth + 1) else { return nil }
      elements.append(element)
    }
    return elements
  }

  private mutating func readDictionary(at offset: Int, depth: Int) -> PropertyListDictionary? {
    guard let range = content(at: offset, unitSize: 2 * referenceSize) else { return nil }
    var members = PropertyListDictionary()
    let half = range.count / 2
    for reference in stride(from: range.lowerBound, to: range.lowerBound + half, by: referenceSize) {
      guard let key = readReference(at: reference, depth: depth + 1),
        let value = readReference(at: reference + half, depth: depth + 1)
      else { return nil }
      switch key {
      case .array, .dictionary, .other(.setValue): return nil
      case .string, .other: break
      }
      // Keys that are not strings are legal, but no lookup finds them. Of equal keys the first wins.
      if let key = key.string, members[key] == nil { members.set(key, value, line: nil) }
    }
    return members
  }

  private mutating func readReference(at offset: Int, depth: Int) -> PropertyListValue? {
    guard let index = Self.integer(bytes, at: offset, size: referenceSize) else { return nil }
    return readObject(index, depth: depth)
  }

  /// The bytes of a counted object. The count is the low half of the marker, or, if that is 15, the next
  /// integer.
  private func content(at offset: Int, unitSize: Int) -> Range<Int>? {
    var start = offset + 1
    var count = Int(bytes[offset] & 0xF)
    if count == 0xF {
      guard start < tableOffset, bytes[start] >> 4 == 1 else { return nil }
      let size = 1 << Int(bytes[start] & 0xF)
      guard has(size, at: start + 1), let long = Self.integer(bytes, at: start + 1, size: size) else {
        return nil
      }
      count = long
      start += 1 + size
    }
    let (size, overflow) = count.multipliedReportingOverflow(by: unitSize)
    guard !overflow, has(size, at: start) else { return nil }
    return start..<start + size
  }

  private func has(_ size: Int, at offset: Int) -> Bool {
    size >= 0 && offset <= tableOffset && size <= tableOffset - offset
  }
}
