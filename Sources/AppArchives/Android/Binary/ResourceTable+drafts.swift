internal import AppStrings
internal import Dispatch
internal import JSON
internal import Synchronization

/// Counts what is decoded, on all threads. A table of a few bytes can name one text any number of times.
final class TextBudget: Sendable {
  private let values: Atomic<Int>
  private let bytes: Atomic<Int>

  init(_ limits: ArchiveLimits) {
    values = Atomic(limits.valuesMax)
    bytes = Atomic(limits.textBytesMax)
  }

  /// Whether one more text of a size may be decoded.
  func take(_ byteCount: Int) -> Bool {
    let valuesLeft = values.subtract(1, ordering: .relaxed).newValue
    let bytesLeft = bytes.subtract(byteCount, ordering: .relaxed).newValue
    return valuesLeft >= 0 && bytesLeft >= 0
  }

  /// Whether the items of a plural or array may be decoded; their texts are counted once more.
  func take(items count: Int) -> Bool { bytes.subtract(16 * count, ordering: .relaxed).newValue >= 0 }

  /// Whether everything fitted.
  var isKept: Bool { values.load(ordering: .relaxed) >= 0 && bytes.load(ordering: .relaxed) >= 0 }
}

extension ResourceTable {
  /// The values of a package by configuration, decoded on all cores; only those of the names that are wanted.
  /// Entries name `file` as their place.
  func layers(
    of package: Package, file: String, names: ReferenceNames, budget: TextBudget,
    isWanted: @Sendable (String) -> Bool
  ) -> [AndroidAppLayer] {
    let wanted = package.keys.map(isWanted)
    let layers = Mutex([AndroidAppLayer?](repeating: nil, count: package.values.count))
    DispatchQueue.concurrentPerform(iterations: package.values.count) { index in
      let decoder = ResourceTextDecoder(
        table: self, package: package, values: package.values[index], wanted: wanted, file: file,
        names: names, budget: budget)
      let layer = AndroidAppLayer(
        configuration: package.values[index].configuration, drafts: decoder.drafts())
      layers.withLock { $0[index] = layer }
    }
    return layers.withLock { $0.compactMap(\.self) }
  }
}

/// Decodes the values of one type in one configuration.
private struct ResourceTextDecoder {
  let table: ResourceTable
  let package: ResourceTable.Package
  let values: ResourceTypeValues
  let wanted: [Bool]
  let file: String
  let names: ReferenceNames
  let budget: TextBudget

  func drafts() -> [AndroidDraft] {
    var drafts: [AndroidDraft] = []
    let (bytes, wanted, names) = (table.bytes, wanted, package.keys)
    for position in 0..<values.capacity {
      guard let place = values.place(bytes, at: position),
        let key = ResourceEntry.key(bytes, at: place.offset), wanted.indices.contains(key), wanted[key]
      else { continue }
      guard budget.isKept else { return [] }
      guard let entry = ResourceEntry(bytes, at: place.offset, in: values, budget: budget) else { continue }
      if let draft = draft(entry, name: names[key]) { drafts.append(draft) }
    }
    return drafts
  }

  private func draft(_ entry: ResourceEntry, name: String) -> AndroidDraft? {
    var references: [AndroidDraft.Reference] = []
    var absence: StringEntry.Absence?
    let value: StringEntry.Value
    switch (values.kind, entry.value) {
    case (.string, .single(let single)):
      guard let text = text(single, index: 0, &references) else { return nil }
      value = .string(text)
      absence = single.absence
    case (.plurals, .items(let items)):
      var forms: [StringEntry.Form] = []
      for item in items {
        guard let category = Self.categories[item.name],
          let text = text(item.value, index: forms.count, &references)
        else { continue }
        forms.append(StringEntry.Form(category: category, text: text))
      }
      value = .plural(forms)
    case (.array, .items(let items)):
      var texts: [String] = []
      for item in items {
        // An array of numbers or colors is another kind of resource.
        switch item.value.meaning {
        case .pooled, .reference: break
        case .text, .other: return nil
        }
        guard let text = text(item.value, index: texts.count, &references) else { return nil }
        texts.append(text)
      }
      value = .array(texts)
    default: return nil
    }
    let draft = StringEntry(
      key: name, value: value, file: file, line: nil, qualifiers: values.configuration.qualifiers,
      absence: absence)
    return AndroidDraft(entry: draft, product: nil, references: references)
  }

  private func text(
    _ value: ResourceValue, index: Int, _ references: inout [AndroidDraft.Reference]
  ) -> String? {
    switch value.meaning {
    case .pooled(let place):
      guard budget.take(table.texts.byteCount(place)) else { return nil }
      return table.texts[place]
    case .reference(let id):
      guard budget.take(10) else { return nil }
      let name = names[id]
      references.append(AndroidDraft.Reference(index: index, name: name))
      return name.map { "@string/\($0)" } ?? "@0x" + String(id, radix: 16)
    case .text(let text): return budget.take(text.utf8.count) ? text : nil
    case .other: return nil
    }
  }

  /// The ids of a plural's categories (AOSP attrs, `android:attr/other` and the like).
  private static let categories = [
    0x0100_0004: "other", 0x0100_0005: "zero", 0x0100_0006: "one", 0x0100_0007: "two", 0x0100_0008: "few",
    0x0100_0009: "many",
  ]
}
