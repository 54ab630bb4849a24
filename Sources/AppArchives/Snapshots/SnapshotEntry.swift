internal import AppStrings

/// An entry of a snapshot: the string, plural and array of one name, with what else checks need to know.
struct SnapshotEntry {
  private var kind = ""
  private var text: String?
  private var forms: [StringEntry.Form]?
  private var formReferences: [(name: String, text: String)] = []
  private var items: [String]?
  private var isConditional = false
  private var qualifiers: String?
  private var alternatives: [SnapshotEntry] = []
  private var isTranslatable = true
  private var isFormatted = true
  private var isUnresolved = false
  private var state: String?
  private var reference: String?
  private var absence: String?
  private var formatKey: String?
  private var pluralFormat: PluralFormat?
  private var owner: String?
  private var variants: [String] = []

  /// Nil if the entry is damaged.
  init?(_ scanner: inout SnapshotScanner) { self.init(&scanner, canHaveAlternatives: true) }

  private init?(_ scanner: inout SnapshotScanner, canHaveAlternatives: Bool) {
    let isComplete = scanner.object { name, scanner in
      if name == "alternatives", canHaveAlternatives { return readAlternatives(&scanner) }
      return read(name, &scanner)
    }
    guard isComplete, ["string", "plural", "array"].contains(kind) else { return nil }
  }

  /// Reads a member; false if it is damaged.
  private mutating func read(_ name: String, _ scanner: inout SnapshotScanner) -> Bool {
    switch name {
    case "kind": return scanner.take(string: &kind)
    case "text": return scanner.take(optional: &text)
    case "reference": return scanner.take(optional: &reference)
    case "absence": return scanner.take(optional: &absence)
    case "format": return scanner.take(optional: &formatKey)
    case "conditional": return scanner.take(boolean: &isConditional)
    case "qualifiers": return scanner.take(optional: &qualifiers)
    case "translatable": return scanner.take(boolean: &isTranslatable)
    case "formatted": return scanner.take(boolean: &isFormatted)
    case "unresolved": return scanner.take(boolean: &isUnresolved)
    case "state": return scanner.take(optional: &state)
    case "module", "bundle": return scanner.take(optional: &owner)
    case "variants":
      guard let names = scanner.strings() else { return false }
      variants = names
      return true
    case "forms":
      forms = scanner.forms()
      return forms != nil
    case "form_references":
      guard let read = scanner.texts() else { return false }
      formReferences = read
      return true
    case "items":
      items = scanner.strings()
      return items != nil
    case "plural":
      pluralFormat = scanner.pluralFormat()
      return pluralFormat != nil
    default: return scanner.skipValue()
    }
  }

  /// Reads the strings for some phones only; false if one is damaged.
  private mutating func readAlternatives(_ scanner: inout SnapshotScanner) -> Bool {
    scanner.list { scanner in
      guard let entry = SnapshotEntry(&scanner, canHaveAlternatives: false) else { return false }
      if alternatives.count < StringTable.alternativesMax { alternatives.append(entry) }
      return true
    }
  }

  /// The strings that only some phones use.
  func alternatives(named key: String, file: String) -> [StringEntry] {
    alternatives.compactMap { $0.resources(named: key, file: file).first }
  }

  private func referring(_ form: StringEntry.Form) -> StringEntry.Form {
    guard let reference = formReferences.first(where: { $0.name == form.category }) else { return form }
    return StringEntry.Form(category: form.category, text: form.text, reference: reference.text)
  }

  /// The one that a loc key finds comes first.
  func resources(named key: String, file: String) -> [StringEntry] {
    var values: [StringEntry.Value] = []
    if kind == "string" { values.append(.string(text ?? "")) }
    if let forms = forms ?? (kind == "plural" ? [] : nil) { values.append(.plural(forms.map(referring))) }
    if let items = items ?? (kind == "array" ? [] : nil) { values.append(.array(items)) }
    return values.enumerated().map { index, value in
      guard index == 0 else { return StringEntry(key: key, value: value, file: file, line: nil) }
      return StringEntry(
        key: key, value: value, file: file, line: nil, isTranslatable: isTranslatable,
        state: state.flatMap { StringEntry.State(rawValue: $0) }, isFormatted: isFormatted,
        formatKey: formatKey, pluralFormat: pluralFormat,
        qualifiers: qualifiers ?? (isConditional ? "" : nil),
        reference: reference,
        absence: absence.flatMap { StringEntry.Absence(rawValue: $0) }, isUnresolved: isUnresolved,
        owner: owner, variants: variants)
    }
  }
}

extension SnapshotScanner {
  /// Takes an object, member by member; false if it, or what `read` reads of it, is damaged.
  mutating func object(_ read: (_ name: String, inout SnapshotScanner) -> Bool) -> Bool {
    guard take("{") else { return false }
    var isFirst = true
    while true {
      switch member(isFirst: isFirst) {
      case .end: return true
      case .damaged: return false
      case .value(let name): guard read(name, &self) else { return false }
      }
      isFirst = false
    }
  }

  /// Takes a list, element by element; false if it, or what `read` reads of it, is damaged.
  mutating func list(_ read: (inout SnapshotScanner) -> Bool) -> Bool {
    guard take("[") else { return false }
    var isFirst = true
    while !take("]") {
      guard isFirst || take(","), read(&self) else { return false }
      isFirst = false
    }
    return true
  }

  mutating func take(string text: inout String) -> Bool {
    guard let read = string() else { return false }
    text = read
    return true
  }

  mutating func take(optional text: inout String?) -> Bool {
    guard case .value(let read) = optionalString() else { return false }
    text = read
    return true
  }

  fileprivate mutating func take(boolean value: inout Bool) -> Bool {
    switch scalar() {
    case "true": value = true
    case "false": value = false
    default: return false
    }
    return true
  }

  /// An object of strings, in its order.
  mutating func texts() -> [(name: String, text: String)]? {
    var texts: [(name: String, text: String)] = []
    let isComplete = object { name, scanner in
      guard let text = scanner.string() else { return false }
      texts.append((name, text))
      return true
    }
    return isComplete ? texts : nil
  }

  fileprivate mutating func forms() -> [StringEntry.Form]? {
    texts()?.map { StringEntry.Form(category: $0.name, text: $0.text) }
  }

  mutating func strings() -> [String]? {
    var items: [String] = []
    let isComplete = list { scanner in
      guard let item = scanner.string() else { return false }
      items.append(item)
      return true
    }
    return isComplete ? items : nil
  }

  fileprivate mutating func pluralFormat() -> PluralFormat? {
    var format: String?
    var hasArgSign = false
    var variables: [PluralFormat.Variable] = []
    let isComplete = object { name, scanner in
      switch name {
      case "format": return scanner.take(optional: &format)
      case "arg_sign": return scanner.take(boolean: &hasArgSign)
      case "variables":
        return scanner.list { scanner in
          guard let variable = scanner.variable() else { return false }
          variables.append(variable)
          return true
        }
      default: return scanner.skipValue()
      }
    }
    return isComplete ? PluralFormat(format: format, variables: variables, hasArgSign: hasArgSign) : nil
  }

  private mutating func variable() -> PluralFormat.Variable? {
    var variableName = ""
    var position: Int?
    var forms: [StringEntry.Form] = []
    let isComplete = object { name, scanner in
      switch name {
      case "name": return scanner.take(string: &variableName)
      case "position":
        guard let number = scanner.scalar() else { return false }
        position = Int(number)
        return position != nil || number == "null"
      case "forms":
        guard let read = scanner.forms() else { return false }
        forms = read
        return true
      default: return scanner.skipValue()
      }
    }
    return isComplete ? PluralFormat.Variable(name: variableName, position: position, forms: forms) : nil
  }
}
