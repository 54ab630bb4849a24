internal import JSON

/// A property list, as far as string tables need it: its texts and its shape, with the lines of its keys.
enum PropertyListValue: Sendable {
  case string(String)
  case array([PropertyListValue])
  case dictionary(PropertyListDictionary)
  /// Something that is no text, by its name: `a number`.
  case other(String)

  /// What a person calls this kind of value.
  var kind: String {
    switch self {
    case .string: "a string"
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .other(let name): name
    }
  }

  var string: String? { if case .string(let text) = self { text } else { nil } }
  var dictionary: PropertyListDictionary? { if case .dictionary(let members) = self { members } else { nil } }
}

/// A dictionary of a property list in the file's order; of equal keys the last stands, in the first one's place.
struct PropertyListDictionary: Sendable {
  struct Member: Sendable {
    let key: String
    var value: PropertyListValue
    /// Of the key, from 1; nil in a binary property list.
    var line: Int?
  }

  /// A key that the dictionary had already.
  struct Duplicate: Sendable {
    let key: String
    let line: Int?
    let firstLine: Int?
  }

  private(set) var members: [Member] = []
  private(set) var duplicates: [Duplicate] = []
  private var indices: [ExactText: Int] = [:]

  subscript(key: String) -> PropertyListValue? {
    indices[ExactText(key)].map { members[$0].value }
  }

  mutating func set(_ key: String, _ value: PropertyListValue, line: Int?) {
    if let index = indices.updateValue(members.count, forKey: ExactText(key)) {
      if duplicates.count < AppleResourceLimits.remarkCountMax {
        duplicates.append(Duplicate(key: key, line: line, firstLine: members[index].line))
      }
      members[index].value = value
      members[index].line = line
      indices[ExactText(key)] = index
    } else {
      members.append(Member(key: key, value: value, line: line))
    }
  }
}

/// Why bytes are no property list.
struct PropertyListError: Error, Equatable {
  let line: Int?
  let reason: String
}

/// A property list that was read, and what a person should know about how.
struct PropertyListDocument: Sendable {
  /// Something legal that is surely not meant.
  struct Remark: Sendable, Equatable {
    let line: Int?
    let message: String
    /// Whether a part of the file is lost to the reader.
    var losesText = false
  }

  let root: PropertyListDictionary
  let remarks: [Remark]

  /// Reads a binary, XML or old-style property list with a dictionary at its top, as
  /// `CFPropertyListCreateWithData` does (CFPropertyList.c, CFBinaryPList.c, CFOldStylePList.c).
  static func read(
    _ bytes: [UInt8], limits: AppleResourceLimits = .init()
  ) throws(PropertyListError) -> PropertyListDocument {
    guard !bytes.isEmpty else { throw PropertyListError(line: nil, reason: "the file is empty") }
    if let value = BinaryPropertyListReader.read(bytes, valueCountMax: limits.valueCountMax) {
      return PropertyListDocument(root: try dictionary(value), remarks: [])
    }
    let text = try PropertyListText(bytes)
    if text.looksLikeXML {
      let value = try XMLPropertyListReader.read(text.utf8, valueCountMax: limits.valueCountMax)
      return PropertyListDocument(root: try dictionary(value), remarks: text.remarks)
    }
    let units = try text.utf16()
    let (value, remarks) = try units.withUnsafeBufferPointer {
      buffer throws(PropertyListError) -> (PropertyListValue, [Remark]) in
      var reader = OldStylePropertyListReader(units: buffer, valueCountMax: limits.valueCountMax)
      let value = try reader.readDocument()
      return (value, reader.remarks)
    }
    return PropertyListDocument(root: try dictionary(value), remarks: text.remarks + remarks)
  }

  private static func dictionary(
    _ value: PropertyListValue
  ) throws(PropertyListError) -> PropertyListDictionary {
    guard let dictionary = value.dictionary else {
      throw PropertyListError(line: nil, reason: "\(value.kind) stands where a dictionary is expected")
    }
    return dictionary
  }
}
