internal import AppStrings

/// A module's `resources.pb` (AOSP Resources.proto), read as far as it concerns texts.
struct BundleResources {
  /// The name of the package that has the most entries: the module's own.
  private(set) var package: String?
  /// Every name of a string, with a value or without one.
  private(set) var names: [String] = []
  private(set) var layers: [AndroidAppLayer] = []
  private let file: String
  private let budget: TextBudget
  private let configurationsMax: Int
  private let namesMax: Int
  private let isWanted: (String) -> Bool
  /// The indices in `layers`, by the bytes of the configuration.
  private var indices: [[UInt8]: Int] = [:]
  private var hasTooManyConfigurations = false

  /// Reads the texts of the wanted names. `file` is the path that entries name.
  init(
    _ content: [UInt8], file: String, limits: ArchiveLimits, budget: TextBudget,
    isWanted: @escaping (String) -> Bool
  ) throws(ArchiveError) {
    (self.file, self.budget, self.isWanted) = (file, budget, isWanted)
    configurationsMax = limits.configurationsMax
    namesMax = limits.valuesMax
    let table = ProtobufMessage(content)
    for field in table {
      guard field.number == 2, case .bytes(let range) = field.value else { continue }
      readPackage(table.message(range))
    }
    guard names.count < namesMax else {
      throw .tooLarge("The app has more than \(limits.valuesMax) names of strings.")
    }
    guard !hasTooManyConfigurations else {
      throw .tooLarge("The app has texts in more than \(limits.configurationsMax) configurations.")
    }
  }

  private mutating func readPackage(_ message: ProtobufMessage) {
    for field in message {
      guard case .bytes(let range) = field.value else { continue }
      if field.number == 2, package == nil { package = message.text(range) }
      if field.number == 3 { readType(message.message(range)) }
    }
  }

  private mutating func readType(_ message: ProtobufMessage) {
    var kind: TextResourceKind?
    for field in message {
      guard case .bytes(let range) = field.value else { continue }
      if field.number == 2 { kind = TextResourceKind(rawValue: message.text(range)) }
      if field.number == 3, let kind { readEntry(message.message(range), kind) }
    }
  }

  private mutating func readEntry(_ message: ProtobufMessage, _ kind: TextResourceKind) {
    var name: String?
    for field in message {
      guard budget.isKept, case .bytes(let range) = field.value else { continue }
      if field.number == 2 {
        let text = message.text(range)
        if kind == .string, names.count < namesMax { names.append(text) }
        guard isWanted(text) else { return }
        name = text
      }
      if field.number == 6, let name { readValue(message.message(range), name, kind) }
    }
  }

  /// A `ConfigValue`: a configuration and the value for it.
  private mutating func readValue(_ message: ProtobufMessage, _ name: String, _ kind: TextResourceKind) {
    var configuration = 0..<0
    var value: ProtobufMessage?
    for field in message {
      guard case .bytes(let range) = field.value else { continue }
      if field.number == 1 { configuration = range }
      if field.number == 2 { value = message.message(range) }
    }
    guard let value, let layer = layer(message, configuration) else { return }
    let qualifiers = layers[layer].configuration.qualifiers
    let reader = BundleValue(value, budget: budget)
    guard let read = reader.value(kind) else { return }
    let entry = StringEntry(
      key: name, value: read.value, file: file, line: nil, qualifiers: qualifiers,
      absence: kind == .string ? reader.absence : nil)
    layers[layer].drafts.append(AndroidDraft(entry: entry, product: nil, references: read.references))
  }

  private mutating func layer(_ message: ProtobufMessage, _ range: Range<Int>) -> Int? {
    let identity = Array(message.slice(range))
    if let index = indices[identity] { return index }
    guard layers.count < configurationsMax else {
      hasTooManyConfigurations = true
      return nil
    }
    let configuration = AndroidAppConfiguration(message.message(range), identity: identity[...])
    indices[identity] = layers.count
    layers.append(AndroidAppLayer(configuration: configuration, drafts: []))
    return layers.count - 1
  }
}
