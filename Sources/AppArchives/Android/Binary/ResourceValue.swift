internal import AppStrings

/// An entry of a resource table: the index of its name, and its value or values (AOSP ResTable_entry).
struct ResourceEntry {
  let key: Int
  let value: Value

  enum Value {
    case single(ResourceValue)
    /// The id of each item, and its value: a plural's categories or an array's indices.
    case items([(name: Int, value: ResourceValue)])
  }

  /// Nil if the entry is damaged.
  init?(_ bytes: LittleEndianBytes, at offset: Int, in values: ResourceTypeValues, budget: TextBudget) {
    guard let size = bytes.u16(offset), let flags = bytes.u16(offset + 2), let last = bytes.u32(offset + 4)
    else { return nil }
    if flags & 8 != 0 {
      // Compact: the name's index takes the place of the size, and the type is in the flags.
      key = size
      value = .single(ResourceValue(type: flags >> 8, data: last))
      return
    }
    key = last
    let content = offset + size
    if flags & 1 == 0 {
      guard size >= 8, values.contains(content..<content + 8),
        let value = ResourceValue(bytes, at: content)
      else { return nil }
      self.value = .single(value)
      return
    }
    guard size >= 16, let count = bytes.u32(offset + 12),
      values.contains(content..<content + 12 * count), budget.take(items: count)
    else { return nil }
    var items: [(name: Int, value: ResourceValue)] = []
    items.reserveCapacity(count)
    for index in 0..<count {
      guard let name = bytes.u32(content + 12 * index),
        let value = ResourceValue(bytes, at: content + 12 * index + 4)
      else { return nil }
      items.append((name, value))
    }
    value = .items(items)
  }

  /// The index of an entry's name alone.
  static func key(_ bytes: LittleEndianBytes, at offset: Int) -> Int? {
    guard let flags = bytes.u16(offset + 2) else { return nil }
    return flags & 8 != 0 ? bytes.u16(offset) : bytes.u32(offset + 4)
  }
}

/// A typed value (AOSP Res_value).
struct ResourceValue {
  let type: Int
  let data: Int

  init(type: Int, data: Int) { (self.type, self.data) = (type, data) }

  init?(_ bytes: LittleEndianBytes, at offset: Int) {
    guard let type = bytes.u8(offset + 3), let data = bytes.u32(offset + 4) else { return nil }
    self.init(type: type, data: data)
  }

  /// What `getString` makes of it.
  enum Meaning {
    /// An index in the table's pool of texts.
    case pooled(Int)
    /// A resource id.
    case reference(Int)
    case text(String)
    /// Nothing that is a text.
    case other
  }

  /// What a value that is no text stands for.
  var absence: StringEntry.Absence? {
    switch type {
    case 0: .empty
    case 1, 7: data == 0 ? .null : nil
    default: nil
    }
  }

  /// AOSP TypedValue.coerceToString. A reference to nothing and an empty value count as empty texts, like
  /// `@null` and `@empty` in a source folder.
  var meaning: Meaning {
    switch type {
    case 0: .text("")
    case 1, 7: data == 0 ? .text("") : .reference(data)
    case 3: .pooled(data)
    case 0x10: .text(String(Int32(truncatingIfNeeded: data)))
    case 0x11: .text("0x" + String(data, radix: 16))
    case 0x12: .text(data == 0 ? "false" : "true")
    default: .other
    }
  }
}
