internal import AppStrings

/// A `Value` of a bundle's resources: a text, a plural or an array (AOSP Resources.proto).
struct BundleValue {
  typealias Read = (value: StringEntry.Value, references: [AndroidDraft.Reference])

  private let message: ProtobufMessage
  private let budget: TextBudget

  init(_ message: ProtobufMessage, budget: TextBudget) { (self.message, self.budget) = (message, budget) }

  /// What a string that is no text stands for.
  var absence: StringEntry.Absence? {
    guard let item = message.message(numbered: 4) else { return nil }
    for field in item {
      guard case .bytes(let range) = field.value else { continue }
      switch field.number {
      case 1:
        let namesSomething = item.message(range).contains { [2, 3].contains($0.number) }
        return namesSomething ? nil : .null
      case 7: return item.message(range).contains { [1, 2].contains($0.number) } ? .empty : nil
      default: return nil
      }
    }
    return nil
  }

  /// Nil for a value that is not of this kind.
  func value(_ kind: TextResourceKind) -> Read? {
    var references: [AndroidDraft.Reference] = []
    switch kind {
    case .string:
      guard let item = message.message(numbered: 4), let text = text(item, index: 0, &references) else {
        return nil
      }
      return (.string(text), references)
    case .plurals:
      guard let plural = message.message(numbered: 5)?.message(numbered: 5) else { return nil }
      return (.plural(forms(plural, &references)), references)
    case .array:
      guard let array = message.message(numbered: 5)?.message(numbered: 4),
        let items = items(array, &references)
      else { return nil }
      return (.array(items), references)
    }
  }

  private func forms(
    _ plural: ProtobufMessage, _ references: inout [AndroidDraft.Reference]
  ) -> [StringEntry.Form] {
    var forms: [StringEntry.Form] = []
    for field in plural {
      guard field.number == 1, case .bytes(let range) = field.value else { continue }
      let entry = plural.message(range)
      // The first category, zero, has the number 0, which protobuf leaves out.
      var category = 0
      for field in entry {
        if field.number == 3, case .integer(let number) = field.value {
          category = Int(clamping: number)
        }
      }
      guard Self.categories.indices.contains(category), let item = entry.message(numbered: 4),
        let text = text(item, index: forms.count, &references)
      else { continue }
      forms.append(StringEntry.Form(category: Self.categories[category], text: text))
    }
    return forms
  }

  private static let categories = ["zero", "one", "two", "few", "many", "other"]

  /// Nil for an array of anything but texts.
  private func items(_ array: ProtobufMessage, _ references: inout [AndroidDraft.Reference]) -> [String]? {
    var items: [String] = []
    for field in array {
      guard field.number == 1, case .bytes(let range) = field.value else { continue }
      guard let item = array.message(range).message(numbered: 3), item.message(numbered: 7) == nil,
        let text = text(item, index: items.count, &references)
      else { return nil }
      items.append(text)
    }
    return items
  }

  /// The text of an `Item`; nil for one that is none.
  private func text(
    _ item: ProtobufMessage, index: Int, _ references: inout [AndroidDraft.Reference]
  ) -> String? {
    for field in item {
      guard case .bytes(let range) = field.value else { continue }
      switch field.number {
      // A plain, a raw and a styled text each have their text in field 1.
      case 2, 3, 4: return inner(item.message(range))
      case 1: return reference(item.message(range), index: index, &references)
      case 7: return primitive(item.message(range))
      default: continue
      }
    }
    return nil
  }

  private func inner(_ message: ProtobufMessage) -> String? {
    var text = ""
    for field in message {
      guard field.number == 1, case .bytes(let range) = field.value else { continue }
      guard budget.take(range.count) else { return nil }
      text = message.text(range)
    }
    // The bundle has the whole text, but the APKs that are made of it have not.
    return CutText.isTooLong(text) ? CutText.replacement : text
  }

  private func reference(
    _ message: ProtobufMessage, index: Int, _ references: inout [AndroidDraft.Reference]
  ) -> String? {
    var name = ""
    for field in message {
      if field.number == 3, case .bytes(let range) = field.value { name = message.text(range) }
    }
    guard budget.take(name.utf8.count) else { return nil }
    guard !name.isEmpty else { return "" }
    let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
    let isOwnString = parts.first == "string" || parts.first?.hasSuffix(":string") ?? false
    references.append(
      AndroidDraft.Reference(
        index: index, name: isOwnString && !name.hasPrefix("android:") ? parts.last : nil))
    return "@\(name)"
  }

  /// A number or boolean as `getString` shows it; an empty value as an empty text.
  private func primitive(_ message: ProtobufMessage) -> String? {
    for field in message {
      switch (field.number, field.value) {
      case (1, _), (2, _): return ""
      case (6, .integer(let number)): return String(Int32(truncatingIfNeeded: number))
      case (7, .integer(let number)): return "0x" + String(UInt32(truncatingIfNeeded: number), radix: 16)
      case (8, .integer(let number)): return number == 0 ? "false" : "true"
      default: continue
      }
    }
    return nil
  }
}
