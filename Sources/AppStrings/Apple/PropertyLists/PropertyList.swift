internal import JSON

/// A property list reduced to what string tables need: its texts, its structure and the lines of its keys.
enum PropertyListValue: Sendable {
  case string(String)
  case array([PropertyListValue])
  case dictionary(PropertyListDictionary)
  /// A value other than a text, described as in `numberValue`.
  case other(AppleFileText)

  /// A description of the kind of value, for messages.
  var kind: AppleFileText {
    switch self {
    case .string: .stringValue
    case .array: .arrayValue
    case .dictionary: .dictionaryValue
    case .other(let name): name
    }
  }

  var string: String? { if case .string(let text) = self { text } else { nil } }
  var dictionary: PropertyListDictionary? { if case .dictionary(let members) = self { members } else { nil } }
}

/// A dictionary of a property list in file order. Of equal keys the last wins, at the position of the first.
struct PropertyListDictionary: Sendable {
  struct Member: Sendable {
    let key: String
    var value: PropertyListValue
    /// The line of the key, from 1; nil in a binary property list.
    var line: Int?
  }

  /// A key that the dictionary already had.
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

/// Why bytes are not a property list.
struct PropertyListError: Error, Equatable {
  let line: Int?
  let reason: FindingText
}

/// A property list with remarks about its text.
struct PropertyListDocument: Sendable {
  /// Something legal that is certainly unintended.
  struct Remark: Sendable, Equatable {
    let line: Int?
    let text: FindingText
    /// Whether a part of the file was not read.
    var losesText = false
  }

  let root: PropertyListDictionary
  let remarks: [Remark]

  /// Reads a binary, XML or old-style property list with a dictionary as its root, as
  /// `CFPropertyListCreateWithData` does (CFPropertyList.c, CFBinaryPList.c, CFOldStylePList.c).
  static func read(
    _ bytes: [UInt8], limits: AppleResourceLimits = .init()
  ) throws(PropertyListError) -> PropertyListDocument {
    guard !bytes.isEmpty else { throw PropertyListError(line: nil, reason: FindingText(.emptyFile)) }
    if let value = BinaryPropertyListReader.read(
      bytes, valueCountMax: limits.valueCountMax, budget: limits.budget)
    {
      return PropertyListDocument(root: try dictionary(value), remarks: [])
    }
    do throws(PropertyListError) {
      return try readText(bytes, limits: limits)
    } catch {
      guard bytes.starts(with: BinaryPropertyListReader.magic) else { throw error }
      throw PropertyListError(line: nil, reason: FindingText(.damagedList))
    }
  }

  private static func readText(
    _ bytes: [UInt8], limits: AppleResourceLimits
  ) throws(PropertyListError) -> PropertyListDocument {
    let text = try PropertyListText(bytes)
    do throws(PropertyListError) {
      return try read(text, limits: limits)
    } catch {
      // Where the encoding is in doubt, it is the cause of what the reader stumbled over.
      guard let doubt = text.remarks.first else { throw error }
      throw PropertyListError(line: doubt.line, reason: doubt.text)
    }
  }

  private static func read(
    _ text: PropertyListText, limits: AppleResourceLimits
  ) throws(PropertyListError) -> PropertyListDocument {
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
      throw PropertyListError(line: nil, reason: FindingText(.noDictionary, [value.kind]))
    }
    return dictionary
  }
}
