internal import JSON

/// A text in a stringsdict file or string catalog that varies by plural category, device or width.
struct AppleVariations {
  var forms: [StringEntry.Form] = []
  /// The result of looking the key up as a plain string: the format with its `%#@…@`; of device variations
  /// the one for `iphone`, otherwise `other`; of widths the widest. Nil if there is none of these.
  var formatKey: String?
  /// What an iPhone assembles the text from; nil if there is nothing.
  var pluralFormat: PluralFormat?
  /// Descriptions of what is missing.
  private(set) var faults: [FindingText] = []

  /// A few are enough for one entry.
  mutating func fault(_ text: FindingText) {
    if faults.count < 8 { faults.append(text) }
  }

  /// CLDR's categories, which are also the keys of a plural rule.
  static let categories = ["zero", "one", "two", "few", "many", "other"]

  /// The variables that a format names, `%#@count@` or `%1$#@count@`, in order.
  static func variables(in format: String) -> [String] {
    let bytes = Array(format.utf8)
    var names: [String] = []
    var index = 0
    while let percent = bytes[index...].firstIndex(of: UInt8(ascii: "%")) {
      index = percent + 1
      let digits = bytes[index...].prefix(while: \.isASCIIDigit).count
      if digits > 0, index + digits < bytes.count, bytes[index + digits] == UInt8(ascii: "$") {
        index += digits + 1
      }
      guard bytes[index...].starts(with: "#@".utf8) else {
        if index == percent + 1, index < bytes.count, bytes[index] == UInt8(ascii: "%") { index += 1 }
        continue
      }
      index += 2
      guard let end = bytes[index...].firstIndex(of: UInt8(ascii: "@")) else { break }
      names.append(String(decoding: bytes[index..<end], as: UTF8.self))
      index = end + 1
    }
    return names
  }
}

extension AppleVariations {
  /// An entry of a stringsdict ("Stringsdict File Format", Apple's archive).
  init(stringsDict entry: PropertyListDictionary) { self.init(stringsDict: entry, depth: 0) }

  private init(stringsDict entry: PropertyListDictionary, depth: Int) {
    if let devices = entry["NSStringDeviceSpecificRuleType"]?.dictionary {
      addDevices(devices, depth: depth)
    } else if let widths = entry["NSStringVariableWidthRuleType"]?.dictionary {
      addWidths(widths)
    } else {
      addVariables(of: entry)
    }
  }

  private mutating func addDevices(_ devices: PropertyListDictionary, depth: Int) {
    var texts: [String: String] = [:]
    var formats: [String: PluralFormat] = [:]
    for member in devices.members {
      switch member.value {
      case .string(let text):
        forms.append(.init(category: member.key, text: text))
        texts[member.key] = text
        formats[member.key] = .text(text)
      case .dictionary(let nested) where depth < 4:
        let variations = AppleVariations(stringsDict: nested, depth: depth + 1)
        forms += variations.forms.map { .init(category: "\(member.key).\($0.category)", text: $0.text) }
        texts[member.key] = variations.formatKey
        formats[member.key] = variations.pluralFormat
        variations.faults.forEach { fault($0) }
      default:
        fault(FindingText(.noVariation, [member.key.shortened, member.value.kind]))
      }
    }
    formatKey = texts["iphone"] ?? texts["other"]
    pluralFormat = formats["iphone"] ?? formats["other"]
    if formatKey == nil { fault(FindingText(.noPhoneVariation)) }
  }

  private mutating func addWidths(_ widths: PropertyListDictionary) {
    var widest = Int.min
    for member in widths.members {
      guard let text = member.value.string, let width = Int(member.key) else {
        fault(FindingText(.badWidth, [member.key.shortened]))
        continue
      }
      forms.append(.init(category: member.key, text: text))
      if width > widest { (widest, formatKey) = (width, text) }
    }
    pluralFormat = formatKey.map { .text($0) }
    if forms.isEmpty { fault(FindingText(.noWidth)) }
  }

  private mutating func addVariables(of entry: PropertyListDictionary) {
    formatKey = entry["NSStringLocalizedFormatKey"]?.string
    if formatKey == nil { fault(FindingText(.noFormatKey)) }
    let named = formatKey.map { Self.variables(in: $0) } ?? []
    for name in named where entry[name]?.dictionary == nil {
      fault(FindingText(.undefinedInFormat, [name.shortened]))
    }
    var firstForms: [StringEntry.Form]?
    var variables: [PluralFormat.Variable] = []
    for member in entry.members {
      guard let rule = member.value.dictionary else { continue }
      if rule["NSStringFormatSpecTypeKey"]?.string != "NSStringPluralRuleType" {
        fault(FindingText(.otherRuleType, [member.key.shortened]))
      }
      let forms = rule.members.compactMap { form in
        form.value.string.flatMap { text in
          Self.categories.contains(form.key) ? StringEntry.Form(category: form.key, text: text) : nil
        }
      }
      if !forms.contains(where: { $0.category == "other" }) {
        fault(FindingText(.lacksOther, [member.key.shortened]))
      }
      variables.append(.init(name: member.key, position: nil, forms: forms))
      if firstForms == nil || named.first?.hasSameBytes(as: member.key) == true { firstForms = forms }
    }
    forms = firstForms ?? []
    pluralFormat = formatKey.map { PluralFormat(format: $0, variables: variables, hasArgSign: false) }
  }
}
