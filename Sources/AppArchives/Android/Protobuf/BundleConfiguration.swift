/// What a bundle's `BundleConfig.pb` orders for the APKs that phones get (bundletool, config.proto).
struct BundleConfiguration {
  /// Whether each phone gets only the texts of its own languages, besides `values/`.
  private(set) var splitsByLanguage = true
  /// Whether the names of resources are replaced by one meaningless name.
  private(set) var collapsesNames = false
  /// The names of strings that stay.
  private(set) var keptNames: Set<String> = []

  init(_ content: [UInt8]) {
    guard let optimizations = ProtobufMessage(content).message(numbered: 2) else { return }
    if let splits = optimizations.message(numbered: 1) { readSplits(splits) }
    if let collapse = optimizations.message(numbered: 5)?.message(numbered: 2) { readCollapse(collapse) }
  }

  private mutating func readSplits(_ splits: ProtobufMessage) {
    for field in splits {
      guard field.number == 1, case .bytes(let range) = field.value else { continue }
      let (dimension, isNegated) = (
        Self.integer(splits.message(range), 1), Self.integer(splits.message(range), 2)
      )
      // 3 is LANGUAGE.
      if dimension == 3 { splitsByLanguage = isNegated == 0 }
    }
  }

  private mutating func readCollapse(_ collapse: ProtobufMessage) {
    collapsesNames = Self.integer(collapse, 1) == 1
    for field in collapse {
      guard field.number == 2, case .bytes(let range) = field.value else { continue }
      let exception = collapse.message(range)
      var (type, name) = ("", "")
      for field in exception {
        guard case .bytes(let range) = field.value else { continue }
        if field.number == 1 { type = exception.text(range) }
        if field.number == 2 { name = exception.text(range) }
      }
      if type == "string" { keptNames.insert(name) }
    }
  }

  private static func integer(_ message: ProtobufMessage, _ number: Int) -> UInt64 {
    var found: UInt64 = 0
    for field in message {
      if field.number == number, case .integer(let value) = field.value { found = value }
    }
    return found
  }
}
