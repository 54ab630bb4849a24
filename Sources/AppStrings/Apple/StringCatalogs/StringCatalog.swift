internal import JSON

/// A string catalog (`.xcstrings`): all languages of one table in one JSON file, which Xcode compiles into
/// `LANGUAGE.lproj/TABLE.strings` and `.stringsdict`. Like Xcode, this ignores unknown members.
struct StringCatalog {
  /// The localization of one key in one language.
  struct Localization {
    let language: String
    let line: Int
    let text: CatalogText
  }

  struct Record {
    let key: String
    let line: Int
    /// A member whose name is nearly `localizations`, which Xcode ignores.
    var misspelt: (name: String, line: Int)?
    var isTranslatable = true
    var localizations: [Localization] = []
  }

  private(set) var sourceLanguage: String?
  private(set) var version: String?
  private(set) var hasStrings = false
  /// In file order. Of equal keys the last wins, at the position of the first.
  private(set) var records: [Record] = []
  private(set) var duplicates: [JSONCursor.Duplicate] = []
  /// Keys that stand beside `strings` instead of in it.
  private(set) var misplaced: [(key: String, line: Int)] = []
  /// Whether there were more translations than `valueCountMax`.
  private(set) var isCutOff = false

  private var indices: [ExactText: Int] = [:]
  private var valuesLeft: Int

  /// - Throws: `JSONParseError`.
  static func read(
    _ bytes: [UInt8], limits: AppleResourceLimits = .init()
  ) throws(JSONParseError) -> StringCatalog {
    let isMarked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
    return try JSONCursor.read(isMarked ? Array(bytes.dropFirst(3)) : bytes) {
      cursor throws(JSONParseError) -> StringCatalog in
      var catalog = StringCatalog(valuesLeft: limits.valueCountMax)
      try cursor.readObject { cursor, key, line throws(JSONParseError) in
        switch key {
        case "sourceLanguage": catalog.sourceLanguage = try cursor.readString()
        case "version": catalog.version = try cursor.readString()
        case "strings": try catalog.readStrings(&cursor)
        default: try catalog.readUnknown(&cursor, key: key, line: line)
        }
      }
      catalog.duplicates = cursor.duplicates
      return catalog
    }
  }

  private init(valuesLeft: Int) { self.valuesLeft = valuesLeft }

  private mutating func readStrings(_ cursor: inout JSONCursor) throws(JSONParseError) {
    records = []
    indices = [:]
    var catalog = self
    catalog.hasStrings = try cursor.readObject { cursor, key, line throws(JSONParseError) in
      let record = try catalog.readRecord(&cursor, key: key, line: line)
      if let index = catalog.indices[ExactText(key)] {
        catalog.records[index] = record
      } else {
        catalog.indices[ExactText(key)] = catalog.records.count
        catalog.records.append(record)
      }
    }
    self = catalog
  }

  private mutating func readUnknown(
    _ cursor: inout JSONCursor, key: String, line: Int
  ) throws(JSONParseError) {
    var isKey = false
    try cursor.readObject { cursor, member, _ throws(JSONParseError) in
      if member == "localizations" { isKey = true }
      try cursor.skipValue()
    }
    if isKey, misplaced.count < AppleResourceLimits.remarkCountMax { misplaced.append((key, line)) }
  }

  private mutating func readRecord(
    _ cursor: inout JSONCursor, key: String, line: Int
  ) throws(JSONParseError) -> Record {
    var record = Record(key: key, line: line)
    try cursor.readObject { cursor, member, line throws(JSONParseError) in
      switch member {
      case "shouldTranslate": record.isTranslatable = try cursor.readValue().bool ?? true
      // `extractionState: stale` says only that no code names the key, which is true of every key that only
      // push messages name.
      case "localizations": record.localizations = try readLocalizations(&cursor)
      default:
        let name = member.lowercased()
        if name.hasPrefix("locali"), name.hasSuffix("ation") || name.hasSuffix("ations") {
          record.misspelt = (member, line)
        }
        try cursor.skipValue()
      }
    }
    return record
  }

  private mutating func readLocalizations(
    _ cursor: inout JSONCursor
  ) throws(JSONParseError) -> [Localization] {
    var localizations: [Localization] = []
    var indices: [ExactText: Int] = [:]
    try cursor.readObject { cursor, language, line throws(JSONParseError) in
      let localization = Localization(language: language, line: line, text: try CatalogText(&cursor))
      if let index = indices[ExactText(language)] {
        localizations[index] = localization
      } else {
        indices[ExactText(language)] = localizations.count
        localizations.append(localization)
      }
    }
    valuesLeft -= localizations.count
    guard valuesLeft >= 0 else {
      isCutOff = true
      return []
    }
    return localizations
  }
}

/// A localization of a string catalog: one text, or a tree of variations.
struct CatalogText: Sendable {
  private(set) var text: String?
  private(set) var state: String?
  /// The position of a substitution's number among the args, from 1.
  private(set) var argNum: Int?
  private(set) var values: [String]?
  /// Whether a text stands where Xcode does not look for one, rather than in `stringUnit`.
  private(set) var isMisplaced = false
  private(set) var plural: [(category: String, text: CatalogText)] = []
  private(set) var device: [(name: String, text: CatalogText)] = []
  private(set) var substitutions: [(name: String, text: CatalogText)] = []

  /// Reads the object of a localization, a variation or a substitution. The cursor bounds how deep they nest.
  init(_ cursor: inout JSONCursor) throws(JSONParseError) {
    var read = CatalogText()
    let isObject = try cursor.readObject { cursor, member, _ throws(JSONParseError) in
      switch member {
      case "stringUnit":
        try cursor.readObject { cursor, key, _ throws(JSONParseError) in
          switch key {
          case "value": read.text = try cursor.readString()
          case "state": read.state = try cursor.readString()
          default: try cursor.skipValue()
          }
        }
      case "stringSet": try read.readSet(&cursor)
      case "variations":
        try cursor.readObject { cursor, kind, _ throws(JSONParseError) in
          switch kind {
          case "plural": read.plural = try Self.readNamed(&cursor)
          case "device": read.device = try Self.readNamed(&cursor)
          default: try cursor.skipValue()
          }
        }
      case "substitutions": read.substitutions = try Self.readNamed(&cursor)
      case "argNum": read.argNum = try cursor.readValue().int64.flatMap { Int(exactly: $0) }
      default:
        if member == "value" { read.isMisplaced = true }
        try cursor.skipValue()
      }
    }
    if !isObject { read.isMisplaced = true }
    self = read
  }

  private init() {}

  /// The same text with other substitutions.
  func with(substitutions: [(name: String, text: CatalogText)]) -> CatalogText {
    var copy = self
    copy.substitutions = substitutions
    return copy
  }

  private mutating func readSet(_ cursor: inout JSONCursor) throws(JSONParseError) {
    var read = self
    try cursor.readObject { cursor, key, _ throws(JSONParseError) in
      switch key {
      case "state": read.state = try cursor.readString()
      case "values":
        var values: [String] = []
        try cursor.readArray { cursor throws(JSONParseError) in
          if let value = try cursor.readString() { values.append(value) }
        }
        read.values = values
      default: try cursor.skipValue()
      }
    }
    self = read
  }

  /// Members by name; of equal names the last wins.
  private static func readNamed(
    _ cursor: inout JSONCursor
  ) throws(JSONParseError) -> [(String, CatalogText)] {
    var members: [(String, CatalogText)] = []
    var indices: [ExactText: Int] = [:]
    try cursor.readObject { cursor, name, _ throws(JSONParseError) in
      let text = try CatalogText(&cursor)
      if let index = indices[ExactText(name)] {
        members[index].1 = text
      } else {
        indices[ExactText(name)] = members.count
        members.append((name, text))
      }
    }
    return members
  }
}
